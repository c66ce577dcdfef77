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

// userColumns are what scanUser reads, of users u with the custom role r that they may have.
const (
	userColumns = `u.key, u.id, u.email, u.name, u.password, u.role, u.selectors, u.joined_at, u.last_sign_in_at, r.permissions`
	usersTable  = `users u LEFT JOIN roles r ON r.name = u.role`
)

// userRow is where a user is scanned into, alone or along with other columns.
type userRow struct {
	key                    int64
	user                   memory.User
	selectors, permissions sql.NullString
	joined                 int64
	signedIn               sql.NullInt64
}

func (r *userRow) columns() []any {
	u := &r.user
	return []any{&r.key, &u.ID, &u.Email, &u.Name, &u.PasswordHash, &u.Role, &r.selectors, &r.joined, &r.signedIn, &r.permissions}
}

func (r *userRow) decode() (keyed[memory.User], error) {
	u := r.user
	u.JoinedAt, u.LastSignInAt = timeOf(r.joined), timeOrNil(r.signedIn)
	err := errors.Join(decodeJSON(r.selectors, &u.Selectors), decodeJSON(r.permissions, &u.RolePermissions))
	return keyed[memory.User]{key: r.key, value: u}, err
}

func scanUser(row scanner) (keyed[memory.User], error) {
	var r userRow
	if err := row.Scan(r.columns()...); err != nil {
		return keyed[memory.User]{}, fmt.Errorf("reading a member: %w", err)
	}
	return r.decode()
}

func userBy(ctx context.Context, q querier, column, value string) (keyed[memory.User], error) {
	found, err := scanUser(q.QueryRowContext(ctx, `SELECT `+userColumns+` FROM `+usersTable+` WHERE u.`+column+` = ?`, value))
	if errors.Is(err, sql.ErrNoRows) {
		return found, fmt.Errorf("member: %w", memory.ErrNotFound)
	}
	return found, err
}

// User returns a member, see [memory.TeamStore].
func (s *Store) User(ctx context.Context, id string) (memory.User, error) {
	return s.user(ctx, "id", id)
}

// UserByEmail finds a member by their address, see [memory.TeamStore].
func (s *Store) UserByEmail(ctx context.Context, email string) (memory.User, error) {
	return s.user(ctx, "email", email)
}

func (s *Store) user(ctx context.Context, column, value string) (memory.User, error) {
	var found keyed[memory.User]
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		found, err = userBy(ctx, tx, column, value)
		return err
	})
	return found.value, err
}

// Members lists in the order of joining, see [memory.TeamStore].
func (s *Store) Members(ctx context.Context, page memory.Page) (list []api.Member, next string, err error) {
	scan := func(row scanner) (keyed[api.Member], error) {
		u, err := scanUser(row)
		return keyed[api.Member]{key: u.key, value: u.value.Member}, err
	}
	return listByKey(ctx, s, "members", page, -1,
		`SELECT `+userColumns+` FROM `+usersTable+` WHERE u.key > ? ORDER BY u.key LIMIT ?`, scan)
}

// ChangeMember changes what a member is, see [memory.TeamStore].
func (s *Store) ChangeMember(
	ctx context.Context, id, role string, selectors []string, check func(memory.User) error, now time.Time,
) (api.Member, error) {
	reach, err := jsonText(selectors)
	if err != nil {
		return api.Member{}, err
	}
	var changed keyed[memory.User]
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := userBy(ctx, tx, "id", id)
		if err != nil {
			return err
		}
		if err := check(found.value); err != nil {
			return err
		}
		if err := roleExists(ctx, tx, role); err != nil {
			return err
		}
		action := memory.ActionMemberChanged
		if role == memory.RootRole && found.value.Role != memory.RootRole {
			action = memory.ActionRootTransferred
			_, err := tx.ExecContext(ctx, `UPDATE users SET role = ? WHERE role = ?`, memory.FormerRootRole, memory.RootRole)
			if err != nil {
				return fmt.Errorf("taking root from who had it: %w", err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE users SET role = ?, selectors = ? WHERE key = ?`, role, reach, found.key)
		if err != nil {
			return fmt.Errorf("changing a member: %w", err)
		}
		// Whoever made a link for a new password held all that the member held then, not what they hold from now on.
		if err := endInvitations(ctx, tx, "member", id, now); err != nil {
			return err
		}
		if changed, err = userBy(ctx, tx, "id", id); err != nil {
			return err
		}
		return audit(ctx, tx, now, entry{action: action, target: id, detail: grantDetail(found.value.Email, role, selectors)})
	})
	return changed.value.Member, err
}

// grantDetail says who got what.
func grantDetail(email, role string, selectors []string) string {
	reach := strings.Join(selectors, ", ")
	if reach == "" {
		reach = "no workspace"
	}
	return fmt.Sprintf("%s: %s of %s", email, role, reach)
}

// SetPassword replaces a password, see [memory.TeamStore].
func (s *Store) SetPassword(ctx context.Context, id, passwordHash string, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := userBy(ctx, tx, "id", id)
		if err != nil {
			return err
		}
		return setPassword(ctx, tx, found, passwordHash, now)
	})
}

// setPassword replaces a password, and ends what was signed in with the old one.
func setPassword(ctx context.Context, tx *sql.Tx, user keyed[memory.User], hash string, now time.Time) error {
	if _, err := tx.ExecContext(ctx, `UPDATE users SET password = ? WHERE key = ?`, hash, user.key); err != nil {
		return fmt.Errorf("setting a password: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM logins WHERE user = ?`, user.key); err != nil {
		return fmt.Errorf("ending sign-ins: %w", err)
	}
	_, err := tx.ExecContext(ctx, `UPDATE sessions SET revoked_at = ? WHERE user = ? AND revoked_at IS NULL`, micros(now), user.key)
	if err != nil {
		return fmt.Errorf("ending sessions: %w", err)
	}
	return audit(ctx, tx, now, entry{
		action: memory.ActionMemberPassword, target: user.value.ID, detail: user.value.Email,
	})
}

// RemoveMember erases a member, see [memory.TeamStore].
func (s *Store) RemoveMember(
	ctx context.Context, id string, check func(memory.User) error, now time.Time,
) (api.Member, error) {
	var found keyed[memory.User]
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if found, err = userBy(ctx, tx, "id", id); err != nil {
			return err
		}
		if err := check(found.value); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM users WHERE key = ?`, found.key); err != nil {
			return fmt.Errorf("removing a member: %w", err)
		}
		if err := endInvitations(ctx, tx, "member", id, now); err != nil {
			return err
		}
		// They may have kept a link of their own making, to come back with.
		if err := endInvitations(ctx, tx, "invited_by", found.value.Email, now); err != nil {
			return err
		}
		return audit(ctx, tx, now, entry{action: memory.ActionMemberRemoved, target: id, detail: found.value.Email})
	})
	return found.value.Member, err
}

// HasRoot reports whether there is a root, see [memory.TeamStore].
func (s *Store) HasRoot(ctx context.Context) (has bool, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		has, err = isThere(ctx, tx, `SELECT EXISTS (SELECT 1 FROM users WHERE role = 'root')`)
		return err
	})
	return has, err
}

func isThere(ctx context.Context, q querier, query string, args ...any) (found bool, err error) {
	if err := q.QueryRowContext(ctx, query, args...).Scan(&found); err != nil {
		return false, fmt.Errorf("looking something up: %w", err)
	}
	return found, nil
}
