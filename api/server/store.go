package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

// The stores that aren't opened.
var (
	// ErrNotStore is of what is there and is something else: a folder, a device, another file or database. It is left
	// as it is.
	ErrNotStore = sqlite.ErrNotStore
	// ErrNoStore is of a store that isn't there, where [Options] want one that is.
	ErrNoStore = errors.New("the store does not exist")
)

// openStore opens the store that a data source name such as "sqlite:/var/lib/lukasa/memory.db" stands for. One that has
// to be there already isn't made.
func openStore(ctx context.Context, name string, existing bool) (memory.Store, error) {
	path, err := sqlitePath(name)
	if err != nil {
		return nil, err
	}
	if existing {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("opening %s: %w", path, ErrNoStore)
		}
	}
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return store, nil
}

// sqlitePath never shows a name whole in its error: the name of another sort of store may hold a password. What looks
// like another program's way of naming a store isn't taken for a path: nobody wants a file of that name.
func sqlitePath(name string) (string, error) {
	path := name
	if rest, named := strings.CutPrefix(name, "sqlite:"); named {
		path = strings.TrimPrefix(rest, "//") // sqlite:///path is an absolute path too
	}
	if path == "" {
		return "", errors.New("no store is named: use sqlite:PATH")
	}
	if strings.HasPrefix(path, ":") {
		return "", errors.New("a store is kept in a file, and its path can't begin with a colon: use sqlite:PATH")
	}
	if scheme := schemeOf(path); scheme != "" {
		return "", fmt.Errorf("stores of the sort %q are not known: use sqlite:PATH, with ./ before a path that has a colon", scheme)
	}
	if strings.Contains(path[strings.LastIndexAny(path, `/\`)+1:], "?") {
		return "", errors.New("a store takes no options after a question mark: use sqlite:PATH")
	}
	return path, nil
}

// schemeOf is what a URI begins with (RFC 3986 section 3.1), or "". A single letter is a drive of Windows.
func schemeOf(name string) string {
	scheme, _, ok := strings.Cut(name, ":")
	if !ok || len(scheme) < 2 {
		return ""
	}
	for i, r := range []byte(scheme) {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		case i > 0 && ('0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'):
		default:
			return ""
		}
	}
	return scheme
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
