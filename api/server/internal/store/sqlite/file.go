package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// prepareFile makes the folder and the file when they aren't there, and refuses what can't be a store. Nothing that is
// there is changed, for it may be anything: SQLite looks into it first.
//
// A file that is there must not be opened here, not even to look at it: on POSIX systems, closing it would drop the
// locks that any other connection of this process holds on it.
func prepareFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%w: it is a folder", ErrNotStore)
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is not a regular file", ErrNotStore)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("looking for the store's file: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("creating the store's folder: %w", err)
	}
	if err := createFile(path); err != nil {
		return fmt.Errorf("creating the store's file: %w", err)
	}
	return nil
}

// closeFile closes a file that is known to be a store, and the log and the shared memory beside it, to others. SQLite
// gives those that it makes later the mode of the file.
func closeFile(path string) error {
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := closeToOthers(name); err != nil {
			return fmt.Errorf("closing the store's file to others: %w", err)
		}
	}
	return nil
}

// createFile makes an empty file that nobody else can read, unless somebody makes it first. It is complete and closed
// before it has its name, so that no other connection can have it open by then.
func createFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	fresh := f.Name()
	defer func() { err = errors.Join(err, os.Remove(fresh)) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Link(fresh, path); err == nil {
		return nil
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	// The file system has no links, or path is a symbolic link to what isn't there yet.
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// closeToOthers takes every right from all but the owner. Where that can't be done, the folder has to do.
func closeToOthers(name string) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	err = os.Chmod(name, 0o600)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
