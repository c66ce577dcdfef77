package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// CreateLogin signs a browser in, see [memory.SignInStore].
func (s *Store) CreateLogin(ctx context.Context, hash [32]byte, userID string, now, expires time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := userBy(ctx, tx, "id", userID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO logins (hash, user, created_at, expires_at) VALUES (?, ?, ?, ?)`,
			hash[:], found.key, micros(now), micros(expires))
		if err != nil {
			return fmt.Errorf("storing a sign-in: %w", err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE users SET last_sign_in_at = ? WHERE key = ?`, micros(now), found.key)
		if err != nil {
			return fmt.Errorf("recording a sign-in: %w", err)
		}
		return nil
	})
}

// LoginUser says whom a browser is signed in as, see [memory.SignInStore].
func (s *Store) LoginUser(ctx context.Context, hash [32]byte, now time.Time) (memory.User, error) {
	var found keyed[memory.User]
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		found, err = scanUser(tx.QueryRowContext(ctx, `SELECT `+userColumns+` FROM `+usersTable+`
			JOIN logins l ON l.user = u.key WHERE l.hash = ? AND l.expires_at > ?`, hash[:], micros(now)))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("sign-in: %w", memory.ErrNotFound)
		}
		return err
	})
	return found.value, err
}

// EndLogin signs a browser out, see [memory.SignInStore].
func (s *Store) EndLogin(ctx context.Context, hash [32]byte) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM logins WHERE hash = ?`, hash[:]); err != nil {
			return fmt.Errorf("ending a sign-in: %w", err)
		}
		return nil
	})
}

// Attempt counts a try, see [memory.SignInStore].
func (s *Store) Attempt(
	ctx context.Context, key string, limit int, window time.Duration, now time.Time,
) (wait time.Duration, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// A window that is over begins again.
		_, err := tx.ExecContext(ctx, `INSERT INTO attempts (what, count, until) VALUES (?1, 1, ?2)
			ON CONFLICT (what) DO UPDATE SET count = iif(until <= ?3, 1, count + 1), until = iif(until <= ?3, ?2, until)`,
			key, micros(now.Add(window)), micros(now))
		if err != nil {
			return fmt.Errorf("counting a try: %w", err)
		}
		var count int
		var until int64
		if err := tx.QueryRowContext(ctx, `SELECT count, until FROM attempts WHERE what = ?`, key).Scan(&count, &until); err != nil {
			return fmt.Errorf("counting tries: %w", err)
		}
		if count <= limit {
			return nil
		}
		wait = timeOf(until).Sub(now)
		if count > limit+1 {
			return nil
		}
		return audit(ctx, tx, now, entry{action: memory.ActionAttemptsLocked, target: key})
	})
	return wait, err
}

// Forgive forgets tries, see [memory.SignInStore].
func (s *Store) Forgive(ctx context.Context, key string) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM attempts WHERE what = ?`, key); err != nil {
			return fmt.Errorf("forgetting tries: %w", err)
		}
		return nil
	})
}

// Sweep deletes what is of no use any more, see [memory.SignInStore].
func (s *Store) Sweep(ctx context.Context, grace time.Duration, now time.Time) error {
	at, stale := micros(now), micros(now.Add(-grace))
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, step := range []struct {
			sql string
			arg int64
		}{
			{`UPDATE tokens SET sealed = NULL WHERE sealed IS NOT NULL AND used_at <= ?`, stale},
			{`DELETE FROM tokens WHERE expires_at <= ?`, at},
			{`DELETE FROM sessions WHERE expires_at <= ?`, at},
			{`DELETE FROM codes WHERE expires_at <= ? AND session IS NULL`, at},
			{`DELETE FROM devices WHERE expires_at <= ?`, at},
			{`DELETE FROM logins WHERE expires_at <= ?`, at},
			{`DELETE FROM attempts WHERE until <= ?`, at},
		} {
			if _, err := tx.ExecContext(ctx, step.sql, step.arg); err != nil {
				return fmt.Errorf("sweeping: %w", err)
			}
		}
		return nil
	})
}
