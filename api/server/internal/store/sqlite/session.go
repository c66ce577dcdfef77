package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// storedToken is a token with the numbers of its rows.
type storedToken struct {
	memory.Token
	session int64
	sealed  []byte
}

func tokenByHash(ctx context.Context, q querier, hash [32]byte) (storedToken, error) {
	var t storedToken
	var u userRow
	var created, expires, began, ends int64
	var used, revoked sql.NullInt64
	columns := append([]any{
		&t.Refresh, &created, &expires, &used, &t.sealed, &t.session, &t.Session.ID, &t.Session.Client, &began, &ends, &revoked,
	}, u.columns()...)
	err := q.QueryRowContext(ctx, `SELECT t.refresh, t.created_at, t.expires_at, t.used_at, t.sealed,
		s.key, s.id, s.client, s.created_at, s.expires_at, s.revoked_at, `+userColumns+`
		FROM tokens t JOIN sessions s ON s.key = t.session JOIN `+usersTable+` WHERE t.hash = ? AND u.key = s.user`,
		hash[:]).Scan(columns...)
	if errors.Is(err, sql.ErrNoRows) {
		return t, fmt.Errorf("token: %w", memory.ErrNotFound)
	}
	if err != nil {
		return t, fmt.Errorf("reading a token: %w", err)
	}
	t.CreatedAt, t.ExpiresAt, t.UsedAt = timeOf(created), timeOf(expires), timeOrNil(used)
	t.Session.CreatedAt, t.Session.ExpiresAt, t.Session.RevokedAt = timeOf(began), timeOf(ends), timeOrNil(revoked)
	user, err := u.decode()
	t.Session.User = user.value
	return t, err
}

// Token returns a token, see [memory.SignInStore].
func (s *Store) Token(ctx context.Context, hash [32]byte) (memory.Token, error) {
	var t storedToken
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		t, err = tokenByHash(ctx, tx, hash)
		return err
	})
	return t.Token, err
}

// startSession makes a session with its first tokens. The session's own row key is returned for what refers to it.
func startSession(
	ctx context.Context, tx *sql.Tx, client, userID string, g memory.Grant, now time.Time,
) (key int64, s memory.Session, err error) {
	user, err := userBy(ctx, tx, "id", userID)
	if err != nil {
		return 0, s, err
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO sessions (id, user, client, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?)`, g.SessionID, user.key, client, micros(now), micros(g.ExpiresAt))
	if err != nil {
		return 0, s, fmt.Errorf("storing a session: %w", err)
	}
	if key, err = result.LastInsertId(); err != nil {
		return 0, s, fmt.Errorf("storing a session: %w", err)
	}
	if err := addTokens(ctx, tx, key, g.ExpiresAt, g.Tokens, now); err != nil {
		return 0, s, err
	}
	s = memory.Session{ID: g.SessionID, Client: client, User: user.value, CreatedAt: now, ExpiresAt: g.ExpiresAt}
	return key, s, audit(asUser(ctx, user.value), tx, now, entry{
		action: memory.ActionSessionStarted, target: g.SessionID, detail: client,
	})
}

// asUser makes what follows a member's doing.
func asUser(ctx context.Context, u memory.User) context.Context {
	return memory.WithActor(ctx, memory.Actor{
		Kind: "user", ID: u.ID, Name: u.Email, RequestID: memory.ActorOf(ctx).RequestID,
	})
}

// addTokens stores a pair of tokens, which end with the session at the latest.
func addTokens(ctx context.Context, tx *sql.Tx, session int64, ends time.Time, t memory.Tokens, now time.Time) error {
	for _, v := range []struct {
		hash    [32]byte
		refresh int
		expires time.Time
	}{{t.Access, 0, t.AccessExpires}, {t.Refresh, 1, t.RefreshExpires}} {
		_, err := tx.ExecContext(ctx, `INSERT INTO tokens (hash, session, refresh, created_at, expires_at)
			VALUES (?, ?, ?, ?, min(?, ?))`, v.hash[:], session, v.refresh, micros(now), micros(v.expires), micros(ends))
		if err != nil {
			return fmt.Errorf("storing a token: %w", err)
		}
	}
	return nil
}

// Rotate replaces a refresh token, see [memory.SignInStore].
func (s *Store) Rotate(
	ctx context.Context, hash [32]byte, client string, next memory.Tokens, grace time.Duration, now time.Time,
) (sealed []byte, session memory.Session, err error) {
	var refused error // kept apart, so that what a replay revokes is committed
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		t, err := tokenByHash(ctx, tx, hash)
		if err != nil {
			return err
		}
		session = t.Session
		switch {
		case !t.Refresh, t.Session.Client != client, t.Session.RevokedAt != nil:
			return fmt.Errorf("refresh token: %w", memory.ErrNotFound)
		case t.UsedAt != nil && now.Sub(*t.UsedAt) <= grace && t.sealed != nil:
			sealed = t.sealed
			return nil
		case t.UsedAt != nil:
			refused = fmt.Errorf("refresh token: %w", memory.ErrReplayed)
			return revokeSession(ctx, tx, t.Session, memory.ActionSessionReplayed, now)
		case !t.ExpiresAt.After(now), !t.Session.ExpiresAt.After(now):
			return fmt.Errorf("refresh token: %w", memory.ErrExpired)
		}
		_, err = tx.ExecContext(ctx, `UPDATE tokens SET used_at = ?, sealed = ? WHERE hash = ?`, micros(now), next.Sealed, hash[:])
		if err != nil {
			return fmt.Errorf("replacing a token: %w", err)
		}
		return addTokens(ctx, tx, t.session, t.Session.ExpiresAt, next, now)
	})
	if err == nil {
		err = refused
	}
	return sealed, session, err
}

// RevokeSession ends a session, see [memory.SignInStore].
func (s *Store) RevokeSession(ctx context.Context, id string, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		session, err := sessionBy(ctx, tx, "id", id)
		if err != nil || session.RevokedAt != nil {
			return err
		}
		return revokeSession(ctx, tx, session, memory.ActionSessionEnded, now)
	})
}

func sessionBy(ctx context.Context, tx *sql.Tx, column string, value any) (memory.Session, error) {
	var s memory.Session
	var created, expires int64
	var revoked sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT s.id, s.client, s.created_at, s.expires_at, s.revoked_at, u.id, u.email
		FROM sessions s JOIN users u ON u.key = s.user WHERE s.`+column+` = ?`, value).
		Scan(&s.ID, &s.Client, &created, &expires, &revoked, &s.User.ID, &s.User.Email)
	if errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("session: %w", memory.ErrNotFound)
	}
	if err != nil {
		return s, fmt.Errorf("reading a session: %w", err)
	}
	s.CreatedAt, s.ExpiresAt, s.RevokedAt = timeOf(created), timeOf(expires), timeOrNil(revoked)
	return s, nil
}

// revokeSession ends a session that goes on. What its tokens sealed goes too.
func revokeSession(ctx context.Context, tx *sql.Tx, s memory.Session, action string, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE sessions SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`, micros(now), s.ID)
	if err != nil {
		return fmt.Errorf("revoking a session: %w", err)
	}
	_, err = tx.ExecContext(ctx, `UPDATE tokens SET sealed = NULL
		WHERE sealed IS NOT NULL AND session = (SELECT key FROM sessions WHERE id = ?)`, s.ID)
	if err != nil {
		return fmt.Errorf("revoking a session: %w", err)
	}
	return audit(asUser(ctx, s.User), tx, now, entry{action: action, target: s.ID, detail: s.Client})
}
