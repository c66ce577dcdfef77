package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/lukasa-dev/lukasa/api"
)

// Export passes every record to yield on one snapshot, see [memory.Store]. An assertion is unqualified in it only for a
// reason that lasts, and names what supersedes it.
func (s *Store) Export(ctx context.Context, workspace string, yield func(api.ExportRecord) error) error {
	return s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		row := tx.QueryRowContext(ctx, `SELECT name, title, created_at FROM workspaces WHERE id = ?`, ws)
		w, err := scanWorkspace(row)
		if err != nil {
			return err
		}
		if err := yieldRecord("workspace", w, yield); err != nil {
			return err
		}
		err = exportRows(ctx, tx, "formation", `SELECT `+formationColumns+` FROM `+formationTables+
			` WHERE f.workspace = ? ORDER BY f.submitted_at, f.key`, ws, scanFormation, yield)
		if err != nil {
			return err
		}
		err = exportRows(ctx, tx, "passage", `SELECT `+passageColumns+` FROM passages p WHERE p.workspace = ? ORDER BY p.key`,
			ws, scanPassage, yield)
		if err != nil {
			return err
		}
		err = exportRows(ctx, tx, "entity", `SELECT e.key, e.id, e.name, e.kind FROM entities e
			WHERE e.workspace = ? ORDER BY e.key`, ws, scanEntity, yield)
		if err != nil {
			return err
		}
		return exportRows(ctx, tx, "assertion", `SELECT `+assertionColumns+` FROM assertions a
			WHERE a.workspace = ? ORDER BY a.asserted_at, a.key`, ws, scanAssertion, yield)
	})
}

// exportRows passes rows on as they are read, one at a time.
func exportRows[T any](
	ctx context.Context, q querier, kind, query string, ws int64,
	scan func(scanner) (keyed[T], error), yield func(api.ExportRecord) error,
) error {
	rows, err := q.QueryContext(ctx, query, ws)
	if err != nil {
		return fmt.Errorf("exporting a %s: %w", kind, err)
	}
	defer rows.Close()
	for rows.Next() {
		k, err := scan(rows)
		if err != nil {
			return err
		}
		if err := yieldRecord(kind, k.value, yield); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("exporting a %s: %w", kind, err)
	}
	return nil
}

func yieldRecord(kind string, v any, yield func(api.ExportRecord) error) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a %s: %w", kind, err)
	}
	return yield(api.ExportRecord{Type: kind, Data: data})
}
