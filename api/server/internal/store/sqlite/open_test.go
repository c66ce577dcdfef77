package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

// raw opens the file without the store.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestOpenOddPaths(t *testing.T) {
	for _, name := range []string{"with space", "100%41", "what?_pragma=x", "#hash", "ünï", "a&b=c"} {
		if runtime.GOOS == "windows" && name[0] == 'w' {
			continue
		}
		path := filepath.Join(t.TempDir(), name, "memory.db")
		store := open(t, path)
		if err := store.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v; want the store there", path, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer.db")
	if err := open(t, newer).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, newer).Exec(`PRAGMA user_version = 99`); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if _, err := raw(t, other).Exec(`CREATE TABLE notes (text)`); err != nil {
		t.Fatal(err)
	}
	versioned := filepath.Join(t.TempDir(), "versioned.db")
	if _, err := raw(t, versioned).Exec(`CREATE TABLE notes (text); PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		newer: sqlite.ErrNewerSchema, other: sqlite.ErrNotStore, versioned: sqlite.ErrNotStore,
	} {
		store, err := sqlite.Open(t.Context(), path)
		if !errors.Is(err, want) || store != nil {
			t.Errorf("opening %s: %v, want %v", filepath.Base(path), err, want)
		}
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte("this is no database, however long it may be\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), text); err == nil {
		t.Error("a text file is opened")
	}
	if b, err := os.ReadFile(text); err != nil || string(b[:4]) != "this" {
		t.Errorf("a refused file was changed: %q, %v", b, err)
	}
	tables := 0
	if err := raw(t, other).QueryRow(`SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil || tables != 1 {
		t.Errorf("a refused database has %d tables, %v; want its own", tables, err)
	}
}

func TestOpenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			store, err := sqlite.Open(context.WithoutCancel(t.Context()), path)
			if err != nil {
				t.Errorf("opening: %v", err)
				return
			}
			if err := store.Ping(t.Context()); err != nil {
				t.Errorf("pinging: %v", err)
			}
			if err := store.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
	wg.Wait()
}

// TestSettings looks at what the file keeps and at what each connection is told.
func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	var journal string
	if err := raw(t, path).QueryRow(`PRAGMA journal_mode`).Scan(&journal); err != nil || journal != "wal" {
		t.Errorf("journal mode %q, %v; want wal", journal, err)
	}
	var secure int
	err := raw(t, path).QueryRow(`SELECT v FROM passages_index_config WHERE k = 'secure-delete'`).Scan(&secure)
	if err != nil || secure != 1 {
		t.Errorf("secure-delete of the index: %d, %v; want 1", secure, err)
	}
}
