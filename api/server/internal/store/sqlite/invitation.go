package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

const invitationColumns = `key, id, hash, email, role, selectors, member, invited_by, created_at, expires_at, accepted_at, revoked_at`

func scanInvitation(row scanner) (keyed[memory.Invitation], error) {
	var i keyed[memory.Invitation]
	var selectors sql.NullString
	var hash []byte
	var created, expires int64
	var accepted, revoked sql.NullInt64
	v := &i.value
	err := row.Scan(&i.key, &v.ID, &hash, &v.Email, &v.Role, &selectors, &v.MemberID, &v.InvitedBy, &created, &expires, &accepted, &revoked)
	if err != nil {
		return i, fmt.Errorf("reading an invitation: %w", err)
	}
	copy(v.Hash[:], hash)
	v.CreatedAt, v.ExpiresAt, v.Reset = timeOf(created), timeOf(expires), v.MemberID != ""
	v.AcceptedAt, v.RevokedAt = timeOrNil(accepted), timeOrNil(revoked)
	return i, decodeJSON(selectors, &v.Selectors)
}

func invitationBy(ctx context.Context, q querier, column string, value any) (keyed[memory.Invitation], error) {
	i, err := scanInvitation(q.QueryRowContext(ctx,
		`SELECT `+invitationColumns+` FROM invitations WHERE `+column+` = ?`, value))
	if errors.Is(err, sql.ErrNoRows) {
		return i, fmt.Errorf("invitation: %w", memory.ErrNotFound)
	}
	return i, err
}

// CreateInvitation stores an invitation, see [memory.TeamStore].
func (s *Store) CreateInvitation(ctx context.Context, i memory.Invitation) error {
	selectors, err := jsonText(i.Selectors)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		detail, err := checkInvitation(ctx, tx, i)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE invitations SET revoked_at = ?
			WHERE email = ? AND accepted_at IS NULL AND revoked_at IS NULL`, micros(i.CreatedAt), i.Email)
		if err != nil {
			return fmt.Errorf("revoking earlier invitations: %w", err)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO invitations
			(id, hash, email, role, selectors, member, invited_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			i.ID, i.Hash[:], i.Email, i.Role, selectors, i.MemberID, i.InvitedBy, micros(i.CreatedAt), micros(i.ExpiresAt))
		if isTaken(err) {
			return fmt.Errorf("invitation %q: %w", i.ID, memory.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("storing an invitation: %w", err)
		}
		return audit(ctx, tx, i.CreatedAt, entry{
			action: memory.ActionInvitationCreated, target: i.ID, detail: detail,
		})
	})
}

// checkInvitation refuses an invitation to somebody who is a member, or for a new password to somebody who isn't. It
// returns what the audit log says of it.
func checkInvitation(ctx context.Context, tx *sql.Tx, i memory.Invitation) (detail string, err error) {
	if i.MemberID == "" {
		return grantDetail(i.Email, i.Role, i.Selectors), checkInvited(ctx, tx, i.Email, i.Role)
	}
	_, err = userBy(ctx, tx, "id", i.MemberID)
	return i.Email + ": a new password", err
}

// builtInRoles need no row.
const builtInRoles = `('root', 'admin', 'member', 'reader')`

// checkInvited refuses an address that is a member's, and a role that isn't there.
func checkInvited(ctx context.Context, tx *sql.Tx, email, role string) error {
	member, err := isThere(ctx, tx, `SELECT EXISTS (SELECT 1 FROM users WHERE email = ? AND email <> '')`, email)
	if err != nil {
		return err
	}
	if member {
		return fmt.Errorf("member: %w", memory.ErrExists)
	}
	return roleExists(ctx, tx, role)
}

func roleExists(ctx context.Context, tx *sql.Tx, role string) error {
	known, err := isThere(ctx, tx, `SELECT ?1 IN `+builtInRoles+` OR EXISTS (SELECT 1 FROM roles WHERE name = ?1)`, role)
	if err == nil && !known {
		err = fmt.Errorf("role %q: %w", role, memory.ErrNotFound)
	}
	return err
}

// InvitationByHash finds an invitation by the digest of its token, see [memory.TeamStore].
func (s *Store) InvitationByHash(ctx context.Context, hash [32]byte) (memory.Invitation, error) {
	var found keyed[memory.Invitation]
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		found, err = invitationBy(ctx, tx, "hash", hash[:])
		return err
	})
	return found.value, err
}

// Invitations lists newest first, see [memory.TeamStore].
func (s *Store) Invitations(ctx context.Context, page memory.Page) (list []api.Invitation, next string, err error) {
	scan := func(row scanner) (keyed[api.Invitation], error) {
		i, err := scanInvitation(row)
		return keyed[api.Invitation]{key: i.key, value: i.value.Invitation}, err
	}
	return listNewest(ctx, s, "invitations", page,
		`SELECT `+invitationColumns+` FROM invitations WHERE key < ? ORDER BY key DESC LIMIT ?`, scan)
}

// RevokeInvitation ends an invitation, see [memory.TeamStore].
func (s *Store) RevokeInvitation(
	ctx context.Context, id string, check func(api.Invitation) error, now time.Time,
) (api.Invitation, error) {
	var found keyed[memory.Invitation]
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if found, err = invitationBy(ctx, tx, "id", id); err != nil {
			return err
		}
		i := &found.value.Invitation
		if err := check(*i); err != nil || i.RevokedAt != nil || i.AcceptedAt != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE invitations SET revoked_at = ? WHERE key = ?`, micros(now), found.key); err != nil {
			return fmt.Errorf("revoking an invitation: %w", err)
		}
		at := timeOf(micros(now))
		i.RevokedAt = &at
		return audit(ctx, tx, now, entry{action: memory.ActionInvitationRevoked, target: id, detail: i.Email})
	})
	return found.value.Invitation, err
}

// endInvitations ends what is open of the invitations whose column has that value.
func endInvitations(ctx context.Context, tx *sql.Tx, column, value string, now time.Time) error {
	rows, err := tx.QueryContext(ctx, `SELECT `+invitationColumns+` FROM invitations WHERE `+column+` = ?
		AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ? ORDER BY key`, value, micros(now))
	if err != nil {
		return fmt.Errorf("looking for open invitations: %w", err)
	}
	open, err := collect(rows, scanInvitation)
	if err != nil {
		return err
	}
	for _, i := range open {
		if _, err := tx.ExecContext(ctx, `UPDATE invitations SET revoked_at = ? WHERE key = ?`, micros(now), i.key); err != nil {
			return fmt.Errorf("revoking an invitation: %w", err)
		}
		err := audit(ctx, tx, now, entry{
			action: memory.ActionInvitationRevoked, target: i.value.ID, detail: i.value.Email,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AcceptInvitation makes a member, see [memory.TeamStore].
func (s *Store) AcceptInvitation(ctx context.Context, hash [32]byte, u memory.User, now time.Time) (memory.User, error) {
	var made keyed[memory.User]
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := invitationBy(ctx, tx, "hash", hash[:])
		if err != nil {
			return err
		}
		i := found.value
		if i.AcceptedAt != nil || i.RevokedAt != nil || !i.ExpiresAt.After(now) {
			return fmt.Errorf("invitation: %w", memory.ErrNotFound)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE invitations SET accepted_at = ? WHERE key = ?`, micros(now), found.key); err != nil {
			return fmt.Errorf("using an invitation: %w", err)
		}
		if i.MemberID != "" {
			made, err = resetPassword(ctx, tx, i.MemberID, u.PasswordHash, now)
			return err
		}
		email := i.Email
		if email == "" {
			email = u.Email // the first administrator's own choice
		}
		if err := insertUser(ctx, tx, email, i, u, now); err != nil {
			return err
		}
		if made, err = userBy(ctx, tx, "id", u.ID); err != nil {
			return err
		}
		return audit(asUser(ctx, made.value), tx, now, entry{
			action: memory.ActionMemberJoined, target: u.ID, detail: grantDetail(email, i.Role, i.Selectors),
		})
	})
	return made.value, err
}

// resetPassword is what a member does who follows the link for a new password.
func resetPassword(ctx context.Context, tx *sql.Tx, id, hash string, now time.Time) (keyed[memory.User], error) {
	found, err := userBy(ctx, tx, "id", id)
	if err == nil {
		err = setPassword(asUser(ctx, found.value), tx, found, hash, now)
	}
	return found, err
}

func insertUser(ctx context.Context, tx *sql.Tx, email string, i memory.Invitation, u memory.User, now time.Time) error {
	selectors, err := jsonText(i.Selectors)
	if err != nil {
		return err
	}
	if err := checkInvited(ctx, tx, email, i.Role); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO users (id, email, name, password, role, selectors, joined_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, u.ID, email, u.Name, u.PasswordHash, i.Role, selectors, micros(now))
	if isTaken(err) {
		return fmt.Errorf("member: %w", memory.ErrExists)
	}
	if err != nil {
		return fmt.Errorf("storing a member: %w", err)
	}
	return nil
}
