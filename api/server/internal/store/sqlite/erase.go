package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

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
		for _, table := range []string{"assertions", "entities", "passages", "forgotten", "queue", "formations"} {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE workspace = ?`, ws); err != nil {
				return fmt.Errorf("erasing %s: %w", table, err)
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM workspaces WHERE id = ?`, ws); err != nil {
			return fmt.Errorf("erasing a workspace: %w", err)
		}
		return nil
	})
	if err != nil {
		return api.Erasure{}, err
	}
	s.wipe(ctx)
	return receipt, nil
}
