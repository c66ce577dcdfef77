package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func testExport(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.workspace(t, "other")
	f.remember(t, "other", "elsewhere")
	first, ids := f.form(t, "demo", movesOutcome(f), "I live in Utrecht", "it rains")
	o := memory.Outcome{Closures: []memory.Closure{{Assertion: "as_1", ExpiredAt: f.now, SupersededBy: "as_2"}}}
	second, more := f.form(t, "demo", o, "it snows")
	var got []string
	export := func(r api.ExportRecord) error {
		var v struct {
			ID, Name, Handle string
			SupersededBy     string `json:"superseded_by"`
		}
		if err := json.Unmarshal(r.Data, &v); err != nil {
			return fmt.Errorf("record %s: %w", r.Data, err)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintln(r.Type, v.ID+v.Handle+v.Name, v.SupersededBy)))
		return nil
	}
	wantErr(t, "exporting", f.Export(t.Context(), "demo", export), nil)
	wantEqual(t, "records", got, []string{
		"workspace demo", "formation " + first, "formation " + second,
		"passage " + ids[0], "passage " + ids[1], "passage " + more[0],
		"entity " + memory.EntityID("Ana") + "Ana", "entity " + memory.EntityID("Utrecht") + "Utrecht",
		"assertion as_1 as_2",
	})
	stop := errors.New("stop")
	n := 0
	err := f.Export(t.Context(), "demo", func(api.ExportRecord) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	wantErr(t, "stopping", err, stop)
	wantEqual(t, "records before it stopped", n, 3)
}

func testKeys(t *testing.T, f *fixture) {
	var want []api.Key
	for i := range 5 {
		k := memory.Key{Hash: sha256.Sum256([]byte{byte(i)}), Key: api.Key{
			ID: fmt.Sprintf("key_%d", i), Label: "CI", Role: "reader", Permissions: []string{"memory.read"},
			Selectors: []string{"team.*", "a"}, CreatedAt: f.tick(),
		}}
		if i == 1 {
			k.Role, k.Selectors, k.ExpiresAt = "", []string{}, ptr(f.now.Add(time.Hour))
		}
		wantErr(t, "creating", f.CreateKey(t.Context(), k), nil)
		want = append([]api.Key{k.Key}, want...)
		found, err := f.KeyByHash(t.Context(), k.Hash)
		wantErr(t, "finding", err, nil)
		wantEqual(t, "found", found, k)
	}
	wantErr(t, "the same id again", f.CreateKey(t.Context(), memory.Key{Key: want[0]}), memory.ErrExists)
	same := memory.Key{Hash: sha256.Sum256([]byte{0}), Key: api.Key{ID: "key_new", CreatedAt: f.now}}
	wantErr(t, "the same secret again", f.CreateKey(t.Context(), same), memory.ErrExists)
	for _, size := range []int{1, 2, 5, 9} {
		got := allPages(t, size, func(p memory.Page) ([]api.Key, string, error) { return f.Keys(t.Context(), p) })
		wantEqual(t, fmt.Sprintf("in pages of %d", size), got, want)
	}
	testKeyLife(t, f)
}

func testKeyLife(t *testing.T, f *fixture) {
	t.Helper()
	used, revoked := f.tick(), f.tick()
	wantErr(t, "touching", f.TouchKey(t.Context(), "key_2", used), nil)
	wantErr(t, "touching late", f.TouchKey(t.Context(), "key_2", used.Add(-time.Hour)), nil)
	for _, at := range []time.Time{revoked, f.tick()} {
		k, err := f.RevokeKey(t.Context(), "key_2", at)
		wantErr(t, "revoking", err, nil)
		wantEqual(t, "revoked", k.RevokedAt, &revoked)
		wantEqual(t, "used", k.LastUsedAt, &used)
	}
	k, err := f.KeyByHash(t.Context(), sha256.Sum256([]byte{2}))
	if err != nil || k.RevokedAt == nil {
		t.Errorf("a revoked key: %+v, %v; want it found", k, err)
	}
	wantErr(t, "an unknown digest", second(f.KeyByHash(t.Context(), [32]byte{1})), memory.ErrNotFound)
	wantErr(t, "revoking an unknown one", second(f.RevokeKey(t.Context(), "key_none", f.now)), memory.ErrNotFound)
	wantErr(t, "touching an unknown one", f.TouchKey(t.Context(), "key_none", f.now), memory.ErrNotFound)
}

func testBadCursors(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.form(t, "demo", movesOutcome(f), "I live in Utrecht", "it rains")
	_, good, err := f.Passages(t.Context(), "demo", memory.Page{Size: 1})
	if err != nil || good == "" {
		t.Fatalf("a cursor: %q, %v", good, err)
	}
	ctx := t.Context()
	all := func(string) bool { return true }
	lists := map[string]func(memory.Page) error{
		"Workspaces":  func(p memory.Page) error { _, _, err := f.Workspaces(ctx, all, p); return err },
		"Formations":  func(p memory.Page) error { _, _, err := f.Formations(ctx, "demo", "", p); return err },
		"Passages":    func(p memory.Page) error { _, _, err := f.Passages(ctx, "demo", p); return err },
		"Graph":       func(p memory.Page) error { return second(f.Graph(ctx, "demo", f.now, p)) },
		"Keys":        func(p memory.Page) error { _, _, err := f.Keys(ctx, p); return err },
		"Members":     func(p memory.Page) error { _, _, err := f.Members(ctx, p); return err },
		"Invitations": func(p memory.Page) error { _, _, err := f.Invitations(ctx, p); return err },
		"Audit":       func(p memory.Page) error { _, _, err := f.Audit(ctx, p); return err },
	}
	bad := []string{"x", "1", "-1", ".", "passages.", "passages.x", "passages.-1", "passages.1.2", "passages.01", "graph.1",
		"passages.99999999999999999999", "passages.9223372036854775807", "' OR 1=1", "\x00", strings.Repeat("9", 5000)}
	for name, list := range lists {
		for _, cursor := range bad {
			wantErr(t, fmt.Sprintf("%s after %.30q", name, cursor), list(memory.Page{Size: 5, After: cursor}), memory.ErrBadCursor)
		}
		if name != "Passages" {
			wantErr(t, name+" after another list's cursor", list(memory.Page{Size: 5, After: good}), memory.ErrBadCursor)
		}
	}
}
