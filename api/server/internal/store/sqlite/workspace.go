package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// errNoNumber is what the eight-millionth workspace of a file meets, see passageKey.
var errNoNumber = errors.New("no number is left for a workspace")

// querier is a transaction, for reading.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// workspaceID looks a workspace up by its name.
func workspaceID(ctx context.Context, q querier, name string) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT id FROM workspaces WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("workspace %q: %w", name, memory.ErrNotFound)
	}
	if err != nil {
		return 0, fmt.Errorf("looking up workspace %q: %w", name, err)
	}
	return id, nil
}

// readIn runs do on a snapshot, within a workspace.
func (s *Store) readIn(ctx context.Context, workspace string, do func(ctx context.Context, tx *sql.Tx, ws int64) error) error {
	return s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ws, err := workspaceID(ctx, tx, workspace)
		if err != nil {
			return err
		}
		return do(ctx, tx, ws)
	})
}

// writeIn is readIn for writing.
func (s *Store) writeIn(ctx context.Context, workspace string, do func(ctx context.Context, tx *sql.Tx, ws int64) error) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ws, err := workspaceID(ctx, tx, workspace)
		if err != nil {
			return err
		}
		return do(ctx, tx, ws)
	})
}

// CreateWorkspace creates a workspace, see [memory.WorkspaceStore].
func (s *Store) CreateWorkspace(ctx context.Context, name, title string, now time.Time) (api.Workspace, error) {
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO workspaces (name, title, created_at) VALUES (?, ?, ?)`,
			name, title, micros(now))
		if isTaken(err) {
			return fmt.Errorf("workspace %q: %w", name, memory.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("creating workspace %q: %w", name, err)
		}
		id, err := result.LastInsertId()
		if err == nil && id >= maxWorkspaces {
			err = errNoNumber
		}
		if err != nil {
			return fmt.Errorf("creating workspace %q: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return api.Workspace{}, err
	}
	return api.Workspace{Name: name, Title: title, CreatedAt: timeOf(micros(now))}, nil
}

// Workspace returns a workspace with its counts, see [memory.WorkspaceStore].
func (s *Store) Workspace(ctx context.Context, name string) (w api.Workspace, err error) {
	err = s.readIn(ctx, name, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		if w, err = readWorkspace(ctx, tx, ws); err != nil {
			return err
		}
		counts, err := countWorkspace(ctx, tx, ws)
		w.Counts = &counts
		return err
	})
	return w, err
}

// FindWorkspace reads a workspace alone, see [memory.WorkspaceStore].
func (s *Store) FindWorkspace(ctx context.Context, name string) (w api.Workspace, err error) {
	err = s.readIn(ctx, name, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		w, err = readWorkspace(ctx, tx, ws)
		return err
	})
	return w, err
}

func readWorkspace(ctx context.Context, q querier, ws int64) (api.Workspace, error) {
	return scanWorkspace(q.QueryRowContext(ctx, `SELECT name, title, created_at FROM workspaces WHERE id = ?`, ws))
}

func scanWorkspace(row scanner) (api.Workspace, error) {
	var w api.Workspace
	var created int64
	if err := row.Scan(&w.Name, &w.Title, &created); err != nil {
		return w, fmt.Errorf("reading a workspace: %w", err)
	}
	w.CreatedAt = timeOf(created)
	return w, nil
}

func countWorkspace(ctx context.Context, q querier, ws int64) (api.WorkspaceCounts, error) {
	var c api.WorkspaceCounts
	err := q.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM passages WHERE workspace = ?1),
		(SELECT count(*) FROM entities WHERE workspace = ?1),
		(SELECT count(*) FROM assertions WHERE workspace = ?1),
		(SELECT count(*) FROM formations WHERE workspace = ?1)`, ws).
		Scan(&c.Passages, &c.Entities, &c.Assertions, &c.Formations)
	if err != nil {
		return c, fmt.Errorf("counting what a workspace holds: %w", err)
	}
	return c, nil
}

// workspacesCursor is followed by a name, which has points of its own.
const workspacesCursor = "workspaces."

// Workspaces lists those within reach, see [memory.WorkspaceStore].
func (s *Store) Workspaces(
	ctx context.Context, reach func(name string) bool, page memory.Page,
) (list []api.Workspace, next string, err error) {
	after, ok := strings.CutPrefix(page.After, workspacesCursor)
	if page.After != "" && (!ok || after == "") {
		return nil, "", badCursor("workspaces")
	}
	size := pageSize(page)
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx,
			`SELECT name, title, created_at FROM workspaces WHERE name > ? ORDER BY name`, after)
		if err != nil {
			return fmt.Errorf("listing workspaces: %w", err)
		}
		list, err = collectReached(rows, reach, size+1)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	list, more := cutPage(list, size)
	if more {
		next = workspacesCursor + list[size-1].Name
	}
	return list, next, nil
}

// collectReached reads rows until it has most of those that reach says yes to.
func collectReached(rows *sql.Rows, reach func(name string) bool, most int) ([]api.Workspace, error) {
	defer rows.Close()
	list := []api.Workspace{}
	for len(list) < most && rows.Next() {
		w, err := scanWorkspace(rows)
		if err != nil {
			return nil, err
		}
		if reach(w.Name) {
			list = append(list, w)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("listing workspaces: %w", err)
	}
	return list, nil
}
