package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// formationColumns are what scanFormation reads.
const formationColumns = `f.key, w.name, f.handle, f.state, f.submitted_at, f.finished_at, f.attempts, f.source,
	f.redactions, f.extractor_name, f.extractor_version, f.wrote_passages, f.wrote_entities, f.wrote_assertions,
	f.wrote_supersessions, f.error, f.candidates`

const formationTables = `formations f JOIN workspaces w ON w.id = f.workspace`

func scanFormation(row scanner) (keyed[api.Formation], error) {
	var k keyed[api.Formation]
	var submitted int64
	var finished sql.NullInt64
	var source, redactions, candidates sql.NullString
	f := &k.value
	err := row.Scan(&k.key, &f.Workspace, &f.Handle, &f.State, &submitted, &finished, &f.Attempts, &source,
		&redactions, &f.Extractor.Name, &f.Extractor.Version, &f.Writes.Passages, &f.Writes.Entities,
		&f.Writes.Assertions, &f.Writes.Supersessions, &f.Error, &candidates)
	if err != nil {
		return k, fmt.Errorf("reading a formation: %w", err)
	}
	f.SubmittedAt, f.FinishedAt = timeOf(submitted), timeOrNil(finished)
	f.Source, err = decodeSource(source)
	err = errors.Join(err, decodeJSON(redactions, &f.Redactions), decodeJSON(candidates, &f.Candidates))
	f.Decisions = api.CountDecisions(f.Candidates)
	return k, err
}

// Submit makes a formation durable, see [memory.FormationStore].
func (s *Store) Submit(
	ctx context.Context, workspace string, sub memory.Submission,
) (f api.Formation, accepted bool, err error) {
	err = s.writeIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		held, err := formationByHandle(ctx, tx, ws, sub.Handle)
		switch {
		case errors.Is(err, memory.ErrNotFound):
			held.key, err = insertFormation(ctx, tx, ws, sub)
		case err == nil && held.value.State == api.FormationFailed:
			err = reviveFormation(ctx, tx, held.key, sub)
		case err == nil:
			f = held.value
			return nil
		}
		if err != nil {
			return err
		}
		if err := enqueue(ctx, tx, ws, held.key, sub); err != nil {
			return err
		}
		accepted = true
		held, err = formationByHandle(ctx, tx, ws, sub.Handle)
		f = held.value
		return err
	})
	if err != nil {
		return api.Formation{}, false, err
	}
	return f, accepted, nil
}

func insertFormation(ctx context.Context, tx *sql.Tx, ws int64, sub memory.Submission) (key int64, err error) {
	source, err := jsonOrNull(sub.Source)
	if err != nil {
		return 0, err
	}
	redactions, err := jsonText(sub.Redactions)
	if err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO formations (workspace, handle, state, submitted_at, source, redactions)
		VALUES (?, ?, ?, ?, ?, ?)`, ws, sub.Handle, api.FormationQueued, micros(sub.SubmittedAt), source, redactions)
	if err != nil {
		return 0, fmt.Errorf("recording a formation: %w", err)
	}
	return result.LastInsertId()
}

// reviveFormation queues a failed formation again. What was written of it stays, and so do its counts.
func reviveFormation(ctx context.Context, tx *sql.Tx, key int64, sub memory.Submission) error {
	source, err := jsonOrNull(sub.Source)
	if err != nil {
		return err
	}
	redactions, err := jsonText(sub.Redactions)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE formations SET state = ?, submitted_at = ?, finished_at = NULL, attempts = 0,
		error = '', source = ?, redactions = ? WHERE key = ?`,
		api.FormationQueued, micros(sub.SubmittedAt), source, redactions, key)
	if err != nil {
		return fmt.Errorf("queueing a failed formation again: %w", err)
	}
	return nil
}

func enqueue(ctx context.Context, tx *sql.Tx, ws, key int64, sub memory.Submission) error {
	turns, err := jsonText(sub.Turns)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO queue
		(formation, workspace, submitted_at, observed_at, observed_offset, turns) VALUES (?, ?, ?, ?, ?, ?)`,
		key, ws, micros(sub.SubmittedAt), microsOrNull(sub.ObservedAt), offsetOrNull(sub.ObservedAt), turns)
	if err != nil {
		return fmt.Errorf("queueing a formation: %w", err)
	}
	return nil
}

func formationByHandle(ctx context.Context, q querier, ws int64, handle string) (keyed[api.Formation], error) {
	row := q.QueryRowContext(ctx,
		`SELECT `+formationColumns+` FROM `+formationTables+` WHERE f.workspace = ? AND f.handle = ?`, ws, handle)
	found, err := scanFormation(row)
	if errors.Is(err, sql.ErrNoRows) {
		return found, fmt.Errorf("formation %q: %w", handle, memory.ErrNotFound)
	}
	return found, err
}

// Formation returns a formation, see [memory.FormationStore].
func (s *Store) Formation(ctx context.Context, workspace, handle string) (api.Formation, error) {
	var found keyed[api.Formation]
	err := s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) (err error) {
		found, err = formationByHandle(ctx, tx, ws, handle)
		return err
	})
	return found.value, err
}

// formationsCursor names the list of one state; "" is that of all.
func formationsCursor(state api.FormationState) string {
	return strings.TrimSuffix("formations-"+string(state), "-")
}

// The lists, each along an index of its own.
const (
	newestSQL = `SELECT ` + formationColumns + ` FROM ` + formationTables + ` WHERE f.workspace = ?1
		AND (f.submitted_at, f.key) < (?2, ?3) ORDER BY f.submitted_at DESC, f.key DESC LIMIT ?4`
	newestInStateSQL = `SELECT ` + formationColumns + ` FROM ` + formationTables + ` WHERE f.workspace = ?1 AND f.state = ?5
		AND (f.submitted_at, f.key) < (?2, ?3) ORDER BY f.submitted_at DESC, f.key DESC LIMIT ?4`
)

// Formations lists newest first, see [memory.FormationStore].
func (s *Store) Formations(
	ctx context.Context, workspace string, state api.FormationState, page memory.Page,
) (list []api.Formation, next string, err error) {
	at, key, err := newestFirst(page.After, formationsCursor(state))
	if err != nil {
		return nil, "", err
	}
	size := pageSize(page)
	err = s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		query, args := newestSQL, []any{ws, at, key, size + 1}
		if state != "" {
			query, args = newestInStateSQL, append(args, state)
		}
		rows, err := tx.QueryContext(ctx, query, args...)
		if err != nil {
			return fmt.Errorf("listing formations: %w", err)
		}
		found, err := collect(rows, scanFormation)
		if err != nil {
			return err
		}
		found, more := cutPage(found, size)
		if more {
			last := found[size-1]
			next = cursorOf(formationsCursor(state), micros(last.value.SubmittedAt), last.key)
		}
		list = values(found)
		return nil
	})
	return list, next, err
}
