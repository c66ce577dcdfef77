//go:build unix

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestFileModes(t *testing.T) {
	shared := t.TempDir()
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(shared, "data", "lukasa")
	path := filepath.Join(folder, "memory.db")
	for i := range 2 { // a new file, then one that somebody opened to others
		store := open(t, path)
		if _, err := store.CreateWorkspace(t.Context(), fmt.Sprint("demo", i), "", time.Now()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			if got := mode(t, name); got != 0o600 {
				t.Errorf("%s has mode %o, want 600", filepath.Base(name), got)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got := mode(t, folder); got != 0o700 {
		t.Errorf("the folder has mode %o, want 700", got)
	}
	if got := mode(t, shared); got != 0o755 {
		t.Errorf("a folder that was there has mode %o now, want 755", got)
	}
}

func TestOpenSymlink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(filepath.Join(dir, "real.db"), link); err != nil {
		t.Fatal(err)
	}
	first := open(t, link)
	defer first.Close()
	second := open(t, filepath.Join(dir, "real.db"))
	defer second.Close()
	if _, err := first.CreateWorkspace(t.Context(), "demo", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Workspace(t.Context(), "demo"); err != nil {
		t.Errorf("by its other name: %v", err)
	}
}

// TestOpenLeavesOthersAlone names what isn't a store. It must be refused in words, and stay as it is.
func TestOpenLeavesOthersAlone(t *testing.T) {
	at := t.TempDir()
	text, database := []byte("this is no database, however long it may be\n"), filepath.Join(at, "database")
	if _, err := raw(t, database).Exec(`CREATE TABLE notes (text)`); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(
		os.Mkdir(filepath.Join(at, "folder"), 0o755), os.WriteFile(filepath.Join(at, "text"), text, 0o644),
		syscall.Mkfifo(filepath.Join(at, "pipe"), 0o644), os.Symlink("folder", filepath.Join(at, "link")),
		os.Symlink("text", filepath.Join(at, "text link")),
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"folder": "it is a folder", "link": "it is a folder", "pipe": "it is not a regular file", "text": "not a lukasa store",
		"text link": "not a lukasa store", "database": "another database",
	} {
		path := filepath.Join(at, name)
		perm := fs.FileMode(0o755)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			perm = 0o644
		}
		if err := os.Chmod(path, perm); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a pipe that is opened would wait for ever
		store, err := sqlite.Open(ctx, path)
		cancel()
		if store != nil || !errors.Is(err, sqlite.ErrNotStore) {
			t.Errorf("opening the %s: %v, want %v", name, err, sqlite.ErrNotStore)
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "(26)") {
			t.Errorf("the %s is refused with %q, want %q without SQLite's code", name, err, want)
		}
		if got := mode(t, path); got != perm {
			t.Errorf("the %s has mode %o now, want %o", name, got, perm)
		}
	}
	left, err := filepath.Glob(filepath.Join(at, "*-*"))
	if b, reading := os.ReadFile(filepath.Join(at, "text")); reading != nil || string(b) != string(text) || err != nil || len(left) > 0 {
		t.Errorf("the text is %q, %v; beside it are %v, %v", b, reading, left, err)
	}
}

// TestPing harms the file of a store that is open.
func TestPing(t *testing.T) {
	junk := func(t *testing.T, path string, size int) {
		t.Helper()
		if err := os.WriteFile(path, bytes.Repeat([]byte("junk"), size/4), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sizeOf := func(t *testing.T, path string) int {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
	tests := map[string]func(t *testing.T, store *sqlite.Store, path string){
		"a little text": func(t *testing.T, _ *sqlite.Store, path string) { junk(t, path, 40) },
		"as much text": func(t *testing.T, store *sqlite.Store, path string) {
			// From here on the file has all of it, and the log nothing that is needed.
			if _, err := raw(t, path).Exec(`PRAGMA wal_checkpoint(truncate)`); err != nil {
				t.Fatal(err)
			}
			if err := store.Ping(t.Context()); err != nil { // and remembers it
				t.Fatal(err)
			}
			junk(t, path, sizeOf(t, path))
		},
		"removed": func(t *testing.T, _ *sqlite.Store, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"replaced": func(t *testing.T, _ *sqlite.Store, path string) {
			junk(t, path+".new", sizeOf(t, path))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, harm := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			store := open(t, path)
			defer store.Close()
			for range 2 {
				if err := store.Ping(t.Context()); err != nil {
					t.Fatalf("before: %v", err)
				}
			}
			harm(t, store, path)
			if err := store.Ping(t.Context()); err == nil {
				t.Error("the store is taken to be readable")
			}
		})
	}
}
