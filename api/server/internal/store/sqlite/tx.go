package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// patience is how long a transaction waits for other processes when its context has no end.
const patience = 30 * time.Second

// The pauses between two attempts to take a lock.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// write runs do in a transaction that holds the write lock from its start, and commits it unless do fails.
func (s *Store) write(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	return transact(ctx, s.writer, do)
}

// read runs do on one consistent snapshot.
func (s *Store) read(ctx context.Context, do func(ctx context.Context, tx *sql.Tx) error) error {
	return transact(ctx, s.readers, do)
}

func transact(ctx context.Context, db *sql.DB, do func(ctx context.Context, tx *sql.Tx) error) error {
	tx, err := begin(ctx, db)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer tx.Rollback() // after Commit there is nothing to roll back
	if err := do(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	return nil
}

// freeCache gives back the pages that a large transaction left in the writer's cache. All connections of a process
// share one allowance, and a writer that holds on to it leaves the readers with nothing: their queries become several
// times slower. When it fails, it costs time at worst.
func (s *Store) freeCache(ctx context.Context) {
	_, _ = s.writer.ExecContext(ctx, `PRAGMA shrink_memory`)
}

func begin(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	var tx *sql.Tx
	err := retryBusy(ctx, func() (err error) {
		tx, err = db.BeginTx(ctx, nil)
		return err
	})
	return tx, err
}

// retryBusy runs do until another process no longer stands in its way, for as long as ctx lasts.
func retryBusy(ctx context.Context, do func() error) error {
	wait := ctx
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do()
		if !isBusy(err) {
			return err
		}
		select {
		case <-wait.Done():
			return fmt.Errorf("%w (%w)", err, wait.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// isBusy reports whether another connection held a lock. The low byte of a code is its kind.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xFF == sqlite3.SQLITE_BUSY
}

// isTaken reports whether a unique value was there already.
func isTaken(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) &&
		(e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}
