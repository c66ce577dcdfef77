package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
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
	path    string
	file    fs.FileInfo // as it was when it was opened
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
	s := &Store{now: time.Now, path: path}
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
	if s.file, err = os.Stat(path); err == nil {
		err = closeFile(path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", path, err), s.Close())
	}
	return s, nil
}

// Close closes every connection. The last process to close moves the log into the file.
func (s *Store) Close() error {
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// Ping reports whether the store can be read: from the file, not from what is remembered of it.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.checkFile(); err != nil {
		return err
	}
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return fmt.Errorf("reading the store: %w", err)
	}
	defer func() { _ = conn.Close() }() // which gives it back
	if _, err := conn.ExecContext(ctx, `PRAGMA shrink_memory`); err != nil {
		return fmt.Errorf("forgetting what was read of the store: %w", err)
	}
	var id, n int
	err = conn.QueryRowContext(ctx, `SELECT application_id, (SELECT count(*) FROM (SELECT 1 FROM workspaces LIMIT 1))
		FROM pragma_application_id`).Scan(&id, &n)
	switch {
	case err != nil:
		return fmt.Errorf("reading the store: %w", plainly(err))
	case id != applicationID:
		return ErrNotStore
	}
	return nil
}

// checkFile reports whether the store's path still leads to the file that was opened, and whether that can be a
// database. While the log has all of it, SQLite itself doesn't look at the file. It must not be opened here, see
// [prepareFile].
func (s *Store) checkFile() error {
	info, err := os.Stat(s.path)
	switch {
	case err != nil:
		return fmt.Errorf("looking for the store's file: %w", err)
	case !os.SameFile(info, s.file):
		return errReplaced
	case info.Size()%sectorSize != 0:
		return errDamaged
	}
	return nil
}

// sectorSize is what the size of every database is a multiple of, in bytes: its pages have 512 or a multiple of that.
const sectorSize = 512

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
