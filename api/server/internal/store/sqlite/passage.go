package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// A passage's key is its workspace's number and its sequence number there, so that a range of keys is a workspace, in
// the table and in the index.
const (
	sequenceBits  = 40
	maxWorkspaces = 1 << (63 - sequenceBits)
)

func passageKey(ws, sequence int64) int64 { return ws<<sequenceBits | sequence }

// passageRange returns the lowest and the highest key that a workspace's passages can have.
func passageRange(ws int64) (low, high int64) {
	return passageKey(ws, 0), passageKey(ws, 1<<sequenceBits-1)
}

// sequenceOf returns a passage's place in its workspace.
func sequenceOf(key int64) int64 { return key & (1<<sequenceBits - 1) }

// passageColumns are what scanPassage reads.
const passageColumns = `p.key, p.id, p.text, p.role, p.turn, p.formation, p.said_at, p.flags, p.superseded_by`

// keyed is a row with its key, for the cursor of the next page.
type keyed[T any] struct {
	key   int64
	value T
}

func values[T any](rows []keyed[T]) []T {
	list := make([]T, len(rows))
	for i, r := range rows {
		list[i] = r.value
	}
	return list
}

func scanPassage(row scanner) (keyed[api.Passage], error) { return scanPassageAnd(row) }

// scanPassageAnd reads a passage and the columns that follow it.
func scanPassageAnd(row scanner, more ...any) (keyed[api.Passage], error) {
	var k keyed[api.Passage]
	var said int64
	var flags, superseded sql.NullString
	p := &k.value
	dest := []any{&k.key, &p.ID, &p.Text, &p.Role, &p.Turn, &p.Formation, &said, &flags, &superseded}
	if err := row.Scan(append(dest, more...)...); err != nil {
		return k, fmt.Errorf("reading a passage: %w", err)
	}
	p.SaidAt, p.SupersededBy = timeOf(said), superseded.String
	return k, decodeJSON(flags, &p.Flags)
}

const passagesCursor = "passages"

// Passages lists in the order of remembering, see [memory.PassageStore].
func (s *Store) Passages(
	ctx context.Context, workspace string, page memory.Page,
) (list []api.Passage, next string, err error) {
	var after int64
	if err := parseCursor(page.After, passagesCursor, &after); err != nil {
		return nil, "", err
	}
	if after < 0 || after >= 1<<sequenceBits {
		return nil, "", badCursor(passagesCursor)
	}
	size := pageSize(page)
	err = s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		_, high := passageRange(ws)
		rows, err := tx.QueryContext(ctx, `SELECT `+passageColumns+` FROM passages p
			WHERE p.key > ? AND p.key <= ? ORDER BY p.key LIMIT ?`, passageKey(ws, after), high, size+1)
		if err != nil {
			return fmt.Errorf("listing passages: %w", err)
		}
		found, err := collect(rows, scanPassage)
		if err != nil {
			return err
		}
		found, more := cutPage(found, size)
		if more {
			next = cursorOf(passagesCursor, sequenceOf(found[size-1].key))
		}
		list = values(found)
		return nil
	})
	return list, next, err
}

// Passage returns a passage with its provenance, see [memory.PassageStore].
func (s *Store) Passage(ctx context.Context, workspace, id string) (api.PassageDetail, error) {
	var d api.PassageDetail
	err := s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		found, err := passageByID(ctx, tx, ws, id)
		if err != nil {
			return err
		}
		d.Passage = found.value
		if d.Source, err = formationSource(ctx, tx, ws, d.Formation); err != nil {
			return err
		}
		d.Assertions, err = assertionsWhere(ctx, tx, `a.workspace = ? AND a.passage = ?`, ws, id)
		qualifyAll(d.Assertions, s.now())
		return err
	})
	return d, err
}

func passageByID(ctx context.Context, q querier, ws int64, id string) (keyed[api.Passage], error) {
	row := q.QueryRowContext(ctx,
		`SELECT `+passageColumns+` FROM passages p WHERE p.workspace = ? AND p.id = ?`, ws, id)
	found, err := scanPassage(row)
	if errors.Is(err, sql.ErrNoRows) {
		return found, fmt.Errorf("passage %q: %w", id, memory.ErrNotFound)
	}
	return found, err
}

// formationSource says through what a formation was submitted; nil when that isn't known.
func formationSource(ctx context.Context, q querier, ws int64, handle string) (*api.Source, error) {
	var text sql.NullString
	err := q.QueryRowContext(ctx, `SELECT source FROM formations WHERE workspace = ? AND handle = ?`, ws, handle).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a formation's source: %w", err)
	}
	return decodeSource(text)
}

func decodeSource(text sql.NullString) (*api.Source, error) {
	if !text.Valid {
		return nil, nil
	}
	var source api.Source
	if err := json.Unmarshal([]byte(text.String), &source); err != nil {
		return nil, fmt.Errorf("decoding a source: %w", err)
	}
	return &source, nil
}
