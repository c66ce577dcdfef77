//go:build unix

package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openNoFollow opens a file for reading, but no link; it does not wait for a writer when it is a pipe.
func openNoFollow(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, errors.New("it is a link")
	case err != nil:
		return nil, errors.Unwrap(err)
	}
	return f, nil
}

// checkOwner refuses what others own or may read.
func checkOwner(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to another user (%d)", st.Uid)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read or change it (mode %#o)", info.Mode().Perm())
	}
	return nil
}

// syncFolder makes a rename in dir last.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer f.Close()
	// Some file systems have no such thing for folders.
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return errors.Unwrap(err)
	}
	return nil
}
