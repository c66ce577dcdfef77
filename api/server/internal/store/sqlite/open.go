package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Store is a [memory.Store] in one file. It is safe for concurrent use.
type Store struct {
	writer  *sql.DB // one connection: the writers of a process queue up here, not at the file's lock
	readers *sql.DB // opened when they are needed; they can't write
	now     func() time.Time
}

var _ memory.Store = (*Store)(nil)

// maxReaders is how many reads of a process run at once. Each connection has a cache of its own.
const maxReaders = 4

// Open opens the store in the file at path, which it creates with its folder when they aren't there, for nobody but the
// user (folder 0700, file 0600). It refuses what isn't a store ([ErrNotStore]) and leaves it as it is, and a file that a
// newer version has written ([ErrNewerSchema]).
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolving the store's path: %w", err)
	}
	if err := prepareFile(path); err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	s := &Store{now: time.Now}
	if s.writer, err = connect(path, writerOptions()); err != nil {
		return nil, err
	}
	s.writer.SetMaxOpenConns(1)
	if s.readers, err = connect(path, readerOptions()); err != nil {
		return nil, errors.Join(err, s.writer.Close())
	}
	s.readers.SetMaxOpenConns(maxReaders)
	s.readers.SetMaxIdleConns(maxReaders)
	s.readers.SetConnMaxIdleTime(time.Minute)
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, plainly(err)), s.Close())
	}
	if err := closeFile(path); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), s.Close())
	}
	return s, nil
}

// Close closes every connection. The last process to close moves the log into the file.
func (s *Store) Close() error {
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// Ping reports whether the store can be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM workspaces LIMIT 1)`).Scan(&n); err != nil {
			return fmt.Errorf("reading the store: %w", err)
		}
		return nil
	})
}

// busyTimeout is how long SQLite itself waits for a lock; begin waits on after that.
const busyTimeout = 200 * time.Millisecond

func commonOptions() url.Values {
	return url.Values{
		"_busy_timeout": {fmt.Sprint(busyTimeout.Milliseconds())},
		"_pragma":       {"foreign_keys(1)", "temp_store(memory)", "trusted_schema(0)", "cache_size(-2048)"},
	}
}

func writerOptions() url.Values {
	options := commonOptions()
	options.Set("_txlock", "immediate")
	options["_pragma"] = append(options["_pragma"], "synchronous(full)", "secure_delete(1)")
	return options
}

func readerOptions() url.Values {
	options := commonOptions()
	options.Set("_query_only", "1")
	return options
}

func connect(path string, options url.Values) (*sql.DB, error) {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // file:///C:/…
	}
	dsn := (&url.URL{Scheme: "file", Path: slashed, RawQuery: options.Encode()}).String()
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	return sql.OpenDB(connector), nil
}
