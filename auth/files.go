package auth

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxSessionFile bounds what is read of a session's file, in bytes.
const maxSessionFile = 1 << 20

// stamp tells whether a file was replaced since it was read; the zero stamp is that of a file that is absent. A saved
// session is always a new file, so that the system's notion of the same file is part of it.
type stamp struct {
	info fs.FileInfo
	size int64
	time time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info, info.Size(), info.ModTime()} }

func (s stamp) same(other stamp) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return s.size == other.size && s.time.Equal(other.time) && os.SameFile(s.info, other.info)
}

// statFile stamps a file without reading it.
func statFile(path string) (stamp, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stamp{}, nil
	case err != nil:
		return stamp{}, errors.Unwrap(err)
	}
	return stampOf(info), nil
}

// readSecure reads a file that is its owner's alone. It returns an error of fs.ErrNotExist when there is none.
func readSecure(path string) ([]byte, stamp, error) {
	f, err := openNoFollow(path)
	if err != nil {
		return nil, stamp{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, stamp{}, errors.Unwrap(err)
	}
	if err := checkSecure(info); err != nil {
		return nil, stamp{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSessionFile+1))
	if err != nil {
		return nil, stamp{}, errors.Unwrap(err)
	}
	if len(data) > maxSessionFile {
		return nil, stamp{}, errDamaged
	}
	return data, stampOf(info), nil
}

// checkSecure refuses what a session must not be read from.
func checkSecure(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a link")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	return checkOwner(info)
}

// secureFolder makes the folder for sessions, or checks the one that is there.
func secureFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return errors.Unwrap(err)
	}
	return checkFolder(dir)
}

func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return errors.Unwrap(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a link")
	case !info.IsDir():
		return errors.New("it is not a folder")
	}
	return checkOwner(info)
}

// writeSecure replaces path by data so that at any moment either the old file or the new one is there as a whole, also
// after a power cut, and nobody else can read it at any moment.
func writeSecure(path string, data []byte) (_ stamp, err error) {
	if info, err := os.Lstat(path); err == nil {
		if err := checkSecure(info); err != nil {
			return stamp{}, err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return stamp{}, errors.Unwrap(err)
	}
	defer func() {
		f.Close()
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return stamp{}, errors.Unwrap(err)
	}
	if err := f.Sync(); err != nil {
		return stamp{}, errors.Unwrap(err)
	}
	if err := f.Close(); err != nil {
		return stamp{}, errors.Unwrap(err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return stamp{}, unwrapLink(err)
	}
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return stamp{}, fmt.Errorf("making it last: %w", err)
	}
	return statFile(path)
}

func unwrapLink(err error) error {
	var e *os.LinkError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
