package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// eraseStatements empty the tables, those that refer to others first.
func eraseStatements() []string {
	return []string{
		`DELETE FROM assertions WHERE workspace = ?`,
		`DELETE FROM entities WHERE workspace = ?`,
		`DELETE FROM passages WHERE workspace = ?`,
		`DELETE FROM forgotten WHERE workspace = ?`,
		`DELETE FROM queue WHERE workspace = ?`,
		`DELETE FROM formations WHERE workspace = ?`,
		`DELETE FROM workspaces WHERE id = ?`,
	}
}

// DeleteWorkspace erases a workspace, see [memory.WorkspaceStore].
func (s *Store) DeleteWorkspace(ctx context.Context, name string, now time.Time) (api.Erasure, error) {
	receipt := api.Erasure{Workspace: name, ErasedAt: timeOf(micros(now))}
	err := s.writeIn(ctx, name, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		var err error
		if receipt.Removed, err = countWorkspace(ctx, tx, ws); err != nil {
			return err
		}
		if err := deleteIndexOf(ctx, tx, ws); err != nil {
			return err
		}
		for _, statement := range eraseStatements() {
			if _, err := tx.ExecContext(ctx, statement, ws); err != nil {
				return fmt.Errorf("erasing a workspace: %w", err)
			}
		}
		return audit(ctx, tx, now, entry{action: memory.ActionWorkspaceErased, target: name, workspace: name})
	})
	if err != nil {
		return api.Erasure{}, err
	}
	s.wipe(ctx)
	return receipt, nil
}
