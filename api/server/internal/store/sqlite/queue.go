package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// waitingSQL finds the oldest formation that may be leased at ?1. One that is put off steps aside for those after it.
const waitingSQL = `SELECT q.key FROM queue q
	WHERE (q.lease_until IS NULL OR q.lease_until <= ?1) AND (q.not_before IS NULL OR q.not_before <= ?1)
	AND NOT EXISTS (SELECT 1 FROM queue o WHERE o.workspace = q.workspace AND o.lease_until > ?1)
	ORDER BY q.key LIMIT 1`

// Lease takes the oldest formation that waits, see [memory.FormationStore].
func (s *Store) Lease(ctx context.Context, owner string, now, until time.Time) (*memory.Job, error) {
	// Workers ask again and again: an empty queue must not cost the others the write lock.
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := waiting(ctx, tx, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	var job *memory.Job
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		key, err := waiting(ctx, tx, now)
		if err != nil {
			return err
		}
		job, err = lease(ctx, tx, key, owner, until)
		return err
	})
	if err != nil {
		return nil, err
	}
	return job, nil
}

func waiting(ctx context.Context, q querier, now time.Time) (key int64, err error) {
	err = q.QueryRowContext(ctx, waitingSQL, micros(now)).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, memory.ErrNoJob
	}
	if err != nil {
		return 0, fmt.Errorf("looking for a formation that waits: %w", err)
	}
	return key, nil
}

func lease(ctx context.Context, tx *sql.Tx, key int64, owner string, until time.Time) (*memory.Job, error) {
	_, err := tx.ExecContext(ctx, `UPDATE queue SET owner = ?, lease_until = ?, not_before = NULL WHERE key = ?`,
		owner, micros(until), key)
	if err != nil {
		return nil, fmt.Errorf("taking a lease: %w", err)
	}
	_, err = tx.ExecContext(ctx, `UPDATE formations SET state = ?, attempts = attempts + 1, error = ''
		WHERE key = (SELECT formation FROM queue WHERE key = ?)`, api.FormationRunning, key)
	if err != nil {
		return nil, fmt.Errorf("marking a formation as running: %w", err)
	}
	row := tx.QueryRowContext(ctx, `SELECT w.name, f.handle, f.attempts, f.submitted_at, f.source, f.redactions,
		q.observed_at, q.observed_offset, q.turns, q.owner
		FROM queue q JOIN formations f ON f.key = q.formation JOIN workspaces w ON w.id = q.workspace
		WHERE q.key = ?`, key)
	return scanJob(row)
}

func scanJob(row scanner) (*memory.Job, error) {
	var job memory.Job
	var submitted int64
	var observed, offset sql.NullInt64
	var source, redactions sql.NullString
	var turns string
	err := row.Scan(&job.Workspace, &job.Handle, &job.Attempt, &submitted, &source, &redactions,
		&observed, &offset, &turns, &job.Owner)
	if err != nil {
		return nil, fmt.Errorf("reading a queued formation: %w", err)
	}
	job.SubmittedAt, job.ObservedAt = timeOf(submitted), inOffset(observed, offset)
	if err := json.Unmarshal([]byte(turns), &job.Turns); err != nil {
		return nil, fmt.Errorf("decoding queued turns: %w", err)
	}
	if job.Source, err = decodeSource(source); err != nil {
		return nil, err
	}
	return &job, decodeJSON(redactions, &job.Redactions)
}

// leased is the place of a job that its owner still holds.
type leased struct{ ws, formation, queue int64 }

// holdLease returns where a job is, or [memory.ErrLeaseLost] when it is not this owner's any more. A lease that has run
// out is still its owner's until somebody takes it.
func holdLease(ctx context.Context, q querier, job *memory.Job) (leased, error) {
	var l leased
	err := q.QueryRowContext(ctx, `SELECT w.id, f.key, q.key
		FROM workspaces w JOIN formations f ON f.workspace = w.id JOIN queue q ON q.formation = f.key
		WHERE w.name = ? AND f.handle = ? AND f.attempts = ? AND q.owner = ?`,
		job.Workspace, job.Handle, job.Attempt, job.Owner).Scan(&l.ws, &l.formation, &l.queue)
	if errors.Is(err, sql.ErrNoRows) {
		return l, fmt.Errorf("formation %q: %w", job.Handle, memory.ErrLeaseLost)
	}
	if err != nil {
		return l, fmt.Errorf("looking up a lease: %w", err)
	}
	return l, nil
}

// writeHeld runs do in a transaction in which the job is its owner's.
func (s *Store) writeHeld(
	ctx context.Context, job *memory.Job, do func(ctx context.Context, tx *sql.Tx, l leased) error,
) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		l, err := holdLease(ctx, tx, job)
		if err != nil {
			return err
		}
		return do(ctx, tx, l)
	})
}

// Renew extends a lease, see [memory.FormationStore].
func (s *Store) Renew(ctx context.Context, job *memory.Job, until time.Time) error {
	return s.writeHeld(ctx, job, func(ctx context.Context, tx *sql.Tx, l leased) error {
		if _, err := tx.ExecContext(ctx, `UPDATE queue SET lease_until = ? WHERE key = ?`, micros(until), l.queue); err != nil {
			return fmt.Errorf("renewing a lease: %w", err)
		}
		return nil
	})
}

// Release hands back the leases of owner, see [memory.FormationStore]. What is handed back was not an attempt: a
// formation must not fail because many short processes came across it.
func (s *Store) Release(ctx context.Context, owner string) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE formations SET state = ?, attempts = attempts - 1
			WHERE key IN (SELECT formation FROM queue WHERE owner = ?)`, api.FormationQueued, owner)
		if err != nil {
			return fmt.Errorf("marking formations as queued: %w", err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE queue SET owner = NULL, lease_until = NULL WHERE owner = ?`, owner)
		if err != nil {
			return fmt.Errorf("handing back leases: %w", err)
		}
		return nil
	})
}

// Postpone puts a job back, see [memory.FormationStore].
func (s *Store) Postpone(ctx context.Context, job *memory.Job, reason string, at time.Time) error {
	return s.writeHeld(ctx, job, func(ctx context.Context, tx *sql.Tx, l leased) error {
		_, err := tx.ExecContext(ctx, `UPDATE queue SET owner = NULL, lease_until = NULL, not_before = ? WHERE key = ?`,
			micros(at), l.queue)
		if err != nil {
			return fmt.Errorf("putting off a formation: %w", err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE formations SET state = ?, error = ? WHERE key = ?`,
			api.FormationQueued, reason, l.formation)
		if err != nil {
			return fmt.Errorf("recording why a formation is put off: %w", err)
		}
		return nil
	})
}

// Fail ends a job for good, see [memory.FormationStore].
func (s *Store) Fail(ctx context.Context, job *memory.Job, reason string, now time.Time) error {
	return s.writeHeld(ctx, job, func(ctx context.Context, tx *sql.Tx, l leased) error {
		_, err := tx.ExecContext(ctx, `UPDATE formations SET state = ?, finished_at = ?, error = ? WHERE key = ?`,
			api.FormationFailed, micros(now), reason, l.formation)
		if err != nil {
			return fmt.Errorf("recording a failure: %w", err)
		}
		return dequeue(ctx, tx, l)
	})
}

// dequeue drops the turns.
func dequeue(ctx context.Context, tx *sql.Tx, l leased) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM queue WHERE key = ?`, l.queue); err != nil {
		return fmt.Errorf("dropping queued turns: %w", err)
	}
	return nil
}

// QueueDepth counts what has not ended, see [memory.FormationStore]. The time is zero when nothing waits.
func (s *Store) QueueDepth(ctx context.Context) (depth int, oldest time.Time, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var at sql.NullInt64
		if err := tx.QueryRowContext(ctx, `SELECT count(*), min(submitted_at) FROM queue`).Scan(&depth, &at); err != nil {
			return fmt.Errorf("counting the queue: %w", err)
		}
		if at.Valid {
			oldest = timeOf(at.Int64)
		}
		return nil
	})
	return depth, oldest, err
}
