package server

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

// openStore opens the store that a data source name such as "sqlite:/var/lib/lukasa/memory.db" stands for.
func openStore(ctx context.Context, name string) (memory.Store, error) {
	path, err := sqlitePath(name)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return store, nil
}

// sqlitePath never shows a name whole in its error: the name of another sort of store may hold a password.
func sqlitePath(name string) (string, error) {
	path, named := strings.CutPrefix(name, "sqlite:")
	if named {
		path = strings.TrimPrefix(path, "//") // sqlite:///path is an absolute path too
	} else if scheme, _, ok := strings.Cut(name, "://"); ok {
		return "", fmt.Errorf("stores of the sort %q are not known: use sqlite:PATH", scheme)
	}
	if path == "" {
		return "", errors.New("no store is named: use sqlite:PATH")
	}
	return path, nil
}

// The primary result codes of SQLite that say "not now" rather than "never", see https://www.sqlite.org/rescode.html.
const (
	sqliteBusy   = 5
	sqliteLocked = 6
	sqliteFull   = 13
)

// storeBusy reports whether the store may do later what it can't do now. The error of a driver says so with its code.
func storeBusy(err error) bool {
	var coded interface {
		error
		Code() int
	}
	if !errors.As(err, &coded) {
		return false
	}
	switch coded.Code() & 0xFF {
	case sqliteBusy, sqliteLocked, sqliteFull:
		return true
	}
	return false
}
