package sqlite

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// A store of the first schema keeps what it holds, and gets what it lacks.
func TestUpgrade(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	s, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	key := memory.Key{Hash: [32]byte{1}, Key: api.Key{ID: "key_1", Label: "CI", Role: "reader", CreatedAt: time.Now()}}
	if err := s.CreateKey(ctx, key); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`DROP TABLE audit`, `DROP TABLE attempts`, `DROP TABLE devices`, `DROP TABLE codes`, `DROP TABLE tokens`, `DROP TABLE sessions`,
		`DROP TABLE logins`, `DROP TABLE invitations`, `DROP TABLE roles`, `DROP TABLE users`, `PRAGMA user_version = 1`,
	} {
		if _, err := s.writer.ExecContext(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(ctx, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if got, err := s.KeyByHash(ctx, key.Hash); err != nil || got.Label != "CI" {
		t.Errorf("the key is %+v, %v", got, err)
	}
	if _, _, err := s.Members(ctx, memory.Page{Size: 1}); err != nil {
		t.Errorf("listing members: %v", err)
	}
	if _, err := s.RevokeKey(ctx, "key_1", time.Now()); err != nil {
		t.Errorf("revoking a key of before: %v", err)
	}
}
