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

func scanRole(row scanner) (api.Role, error) {
	var r api.Role
	var permissions sql.NullString
	var created int64
	if err := row.Scan(&r.Name, &permissions, &created); err != nil {
		return r, fmt.Errorf("reading a role: %w", err)
	}
	at := timeOf(created)
	r.CreatedAt = &at
	return r, decodeJSON(permissions, &r.Permissions)
}

func roleByName(ctx context.Context, q querier, name string) (api.Role, error) {
	r, err := scanRole(q.QueryRowContext(ctx, `SELECT name, permissions, created_at FROM roles WHERE name = ?`, name))
	if errors.Is(err, sql.ErrNoRows) {
		return r, fmt.Errorf("role %q: %w", name, memory.ErrNotFound)
	}
	return r, err
}

// Roles lists the custom roles, see [memory.TeamStore].
func (s *Store) Roles(ctx context.Context) (list []api.Role, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT name, permissions, created_at FROM roles ORDER BY name`)
		if err != nil {
			return fmt.Errorf("listing roles: %w", err)
		}
		list, err = collect(rows, scanRole)
		return err
	})
	return list, err
}

// CreateRole stores a custom role, see [memory.TeamStore].
func (s *Store) CreateRole(ctx context.Context, r api.Role) error {
	permissions, err := jsonText(r.Permissions)
	if err != nil {
		return err
	}
	if r.CreatedAt == nil {
		return errors.New("storing a role: it has no time of creation")
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO roles (name, permissions, created_at) VALUES (?, ?, ?)`,
			r.Name, permissions, micros(*r.CreatedAt))
		if isTaken(err) {
			return fmt.Errorf("role %q: %w", r.Name, memory.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("storing a role: %w", err)
		}
		return audit(ctx, tx, *r.CreatedAt, entry{
			action: memory.ActionRoleCreated, target: r.Name, detail: strings.Join(r.Permissions, ", "),
		})
	})
}

// ChangeRole changes what a custom role permits, see [memory.TeamStore].
func (s *Store) ChangeRole(
	ctx context.Context, name string, permissions []string, check func(api.Role) error, now time.Time,
) (r api.Role, err error) {
	text, err := jsonText(permissions)
	if err != nil {
		return r, err
	}
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if r, err = roleByName(ctx, tx, name); err != nil {
			return err
		}
		if err := check(r); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE roles SET permissions = ? WHERE name = ?`, text, name); err != nil {
			return fmt.Errorf("changing a role: %w", err)
		}
		r.Permissions = permissions
		return audit(ctx, tx, now, entry{
			action: memory.ActionRoleChanged, target: name, detail: strings.Join(permissions, ", "),
		})
	})
	return r, err
}

// DeleteRole deletes a custom role that nobody has, see [memory.TeamStore].
func (s *Store) DeleteRole(ctx context.Context, name string, check func(api.Role) error, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		r, err := roleByName(ctx, tx, name)
		if err != nil {
			return err
		}
		if err := check(r); err != nil {
			return err
		}
		used, err := isThere(ctx, tx, `SELECT EXISTS (SELECT 1 FROM users WHERE role = ?1) OR EXISTS (SELECT 1
			FROM invitations WHERE role = ?1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?2)`,
			name, micros(now))
		if err != nil {
			return err
		}
		if used {
			return fmt.Errorf("role %q: %w", name, memory.ErrInUse)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM roles WHERE name = ?`, name); err != nil {
			return fmt.Errorf("deleting a role: %w", err)
		}
		return audit(ctx, tx, now, entry{action: memory.ActionRoleDeleted, target: name})
	})
}
