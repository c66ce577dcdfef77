//go:build unix

package sqlite_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
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
