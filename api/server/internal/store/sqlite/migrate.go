package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a file as a store of ours: "LUKA" in ASCII.
const applicationID = 0x4C554B41

// The files that Open refuses.
var (
	// ErrNewerSchema is of a file that a newer version of the program has written.
	ErrNewerSchema = errors.New("the store was written by a newer version of lukasa: update lukasa to open it")
	// ErrNotStore is of what is there and is something else: a folder, a device, another file or database.
	ErrNotStore = errors.New("not a lukasa store")
)

// The other ways in which opening a file ends, in words: SQLite's own speak to programmers, with its codes.
var (
	errNotOpened  = errors.New("the file can't be opened: look at who may read and write it and its folder")
	errNotWritten = errors.New("the file can't be written: look at who may write it and its folder")
	errDamaged    = errors.New("the file is damaged")
	errReplaced   = errors.New("another file has taken the store's place")
)

// plainly says in words why SQLite couldn't open a file, where that doesn't depend on the moment.
func plainly(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xFF {
	case sqlite3.SQLITE_NOTADB:
		return ErrNotStore
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return errNotOpened
	case sqlite3.SQLITE_READONLY:
		return errNotWritten
	case sqlite3.SQLITE_CORRUPT:
		return errDamaged
	}
	return err
}

// migrate brings the schema up to date. Of several processes that open a new file at once, one does it.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("listing migrations: %w", err)
	}
	slices.Sort(names)
	var version, id int
	err = retryBusy(ctx, func() error {
		return s.writer.QueryRowContext(ctx,
			`SELECT user_version, application_id FROM pragma_user_version, pragma_application_id`).Scan(&version, &id)
	})
	switch {
	case err != nil:
		return fmt.Errorf("reading the schema's version: %w", err)
	case version == len(names) && id == applicationID:
		return nil
	case version > 0 && id != applicationID:
		return fmt.Errorf("%w, but another database", ErrNotStore)
	}
	if version == 0 {
		if err := s.enterWAL(ctx); err != nil {
			return err
		}
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return applyMigrations(ctx, tx, names) })
}

// enterWAL makes the file keep a write-ahead log, for good. Nothing else can be using a file without a schema, except
// for another process that does the same.
func (s *Store) enterWAL(ctx context.Context) error {
	var objects int
	if err := s.writer.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&objects); err == nil && objects > 0 {
		return nil // migrated by now, or not ours: applyMigrations tells
	}
	err := retryBusy(ctx, func() error {
		var mode string
		return s.writer.QueryRowContext(ctx, `PRAGMA journal_mode = wal`).Scan(&mode)
	})
	if err != nil {
		return fmt.Errorf("turning on the write-ahead log: %w", err)
	}
	return nil
}

// applyMigrations runs those of the named migrations that the schema lacks. It looks again at the version, now that it
// holds the lock.
func applyMigrations(ctx context.Context, tx *sql.Tx, names []string) error {
	var version, objects int
	err := tx.QueryRowContext(ctx, `SELECT user_version, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version`).
		Scan(&version, &objects)
	switch {
	case err != nil:
		return fmt.Errorf("reading the schema's version: %w", err)
	case version > len(names):
		return fmt.Errorf("%w (its schema is %d, this version knows %d)", ErrNewerSchema, version, len(names))
	case version == 0 && objects > 0:
		return fmt.Errorf("%w, but another database", ErrNotStore)
	}
	for i, name := range names[version:] {
		script, err := migrationFiles.ReadFile(name)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("running %s: %w", name, err)
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version+i+1)); err != nil {
			return fmt.Errorf("recording the schema's version: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)); err != nil {
		return fmt.Errorf("marking the file: %w", err)
	}
	return nil
}
