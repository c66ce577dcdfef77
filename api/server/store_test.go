package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/formation"
)

func TestSQLitePath(t *testing.T) {
	tests := []struct{ name, want string }{ // want "" when it is refused
		{"sqlite:/var/lib/memory.db", "/var/lib/memory.db"},
		{"sqlite:///var/lib/memory.db", "/var/lib/memory.db"},
		{"sqlite:memory.db", "memory.db"},
		{"/var/lib/memory.db", "/var/lib/memory.db"},
		{"memory.db", "memory.db"},
		{`C:\data\memory.db`, `C:\data\memory.db`},
		{`sqlite:C:\data\memory.db`, `C:\data\memory.db`},
		{"sqlite:./a:b.db", "./a:b.db"},
		{"/srv/what?/memory.db", "/srv/what?/memory.db"},
		{"2026-11-30T10:00.db", "2026-11-30T10:00.db"},
		{"foo:memory.db", ""},
		{"file:x.db", ""},
		{"SQLITE:x.db", ""},
		{"sqlite:file:x.db", ""},
		{"sqlite:sqlite:x.db", ""},
		{":memory:", ""},
		{"sqlite::memory:", ""},
		{"sqlite:good.db?mode=ro", ""},
		{"good.db?", ""},
		{"", ""},
		{"sqlite:", ""},
		{"sqlite://", ""},
		{"postgres://lukasa:hunter2@db/memory", ""},
	}
	for _, test := range tests {
		got, err := sqlitePath(test.name)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q: %q, %v", test.name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, name := range []string{"", "mysql://x", "sqlite:" + t.TempDir()} {
		if s, err := Open(context.Background(), Options{Store: name}); err == nil {
			t.Errorf("%q was opened", name)
			_ = s.Close()
		}
	}
}

// One that has to be there is not made, nor is its folder; one that is something else says so.
func TestOpenExisting(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "below")
	opts := Options{Store: filepath.Join(folder, "memory.db"), Existing: true, NoWorker: true}
	if _, err := Open(t.Context(), opts); !errors.Is(err, ErrNoStore) {
		t.Errorf("opening what isn't there: %v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v; want none", err)
	}
	if _, err := Open(t.Context(), Options{Store: dir, Existing: true}); !errors.Is(err, ErrNotStore) {
		t.Errorf("opening a folder: %v", err)
	}
	for _, existing := range []bool{false, true} {
		opts.Existing = existing
		s, err := Open(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "memory.db")
	for range 2 { // the second time it is there
		s, err := Open(context.Background(), Options{Store: path})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		}
	}
}

// codedError is like the error of SQLite's driver.
type codedError int

func (e codedError) Error() string { return fmt.Sprintf("sqlite %d", int(e)) }
func (e codedError) Code() int     { return int(e) }

func TestEveryErrorHasItsCode(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("doing something with /secret/path: %w", err) }
	tests := []struct {
		err  error
		code api.Code
	}{
		{wrap(memory.ErrNotFound), api.CodeNotFound},
		{wrap(memory.ErrExists), api.CodeAlreadyExists},
		{wrap(memory.ErrBadCursor), api.CodeInvalidRequest},
		{wrap(codedError(5)), api.CodeUnavailable},
		{wrap(codedError(5 | 2<<8)), api.CodeUnavailable}, // SQLITE_BUSY_SNAPSHOT
		{wrap(codedError(6)), api.CodeUnavailable},
		{wrap(codedError(13)), api.CodeUnavailable},
		{wrap(codedError(11)), api.CodeInternal}, // the file is corrupt
		{wrap(context.DeadlineExceeded), api.CodeUnavailable},
		{wrap(context.Canceled), api.CodeUnavailable},
		{wrap(&access.Denied{Permission: "memory:read"}), api.CodePermissionDenied},
		{wrap(&formation.TurnError{Turn: 3, Field: "content", Reason: "is blank"}), api.CodeInvalidTurns},
		{wrap(&formation.TurnError{Turn: -1, TooLarge: true}), api.CodeTooLarge},
		{wrap(badCredential("x")), api.CodeUnauthenticated},
		{wrap(newError(api.CodeHandleMismatch, "x")), api.CodeHandleMismatch},
		{wrap(errors.New("x")), api.CodeInternal},
		{memory.ErrNoJob, api.CodeInternal},
	}
	for _, test := range tests {
		e := asProblem(test.err)
		if e.Code != test.code || e.Status != test.code.Status() {
			t.Errorf("%v is %s (%d), want %s", test.err, e.Code, e.Status, test.code)
		}
		if strings.Contains(e.Detail, "/secret/path") || e.Detail == "" {
			t.Errorf("%v is told as %q", test.err, e.Detail)
		}
		if (e.RetryAfter > 0) != (e.Code == api.CodeUnavailable) {
			t.Errorf("%v: retry after %v", test.err, e.RetryAfter)
		}
	}
}
