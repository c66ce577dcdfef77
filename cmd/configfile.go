package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// setEndpoint puts the key api, which the configuration file does not have yet, before everything else in it, so that
// people's comments stay as they are. The file is replaced as a whole. One that is a link, as to a folder of dotfiles, is written
// through.
func setEndpoint(path, endpoint string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the configuration file: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the configuration folder: %w", err)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	content := append([]byte("api = "+strconv.Quote(endpoint)+"\n"), old...)
	return replaceFile(path, content, mode)
}

// replaceFile writes a file that is there as a whole or not at all.
func replaceFile(path string, content []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*")
	if err != nil {
		return fmt.Errorf("writing the configuration file: %w", err)
	}
	defer func() {
		f.Close()
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("writing the configuration file: %w", err)
		}
	}()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
