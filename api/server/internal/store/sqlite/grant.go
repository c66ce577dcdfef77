package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// slowDown is by how much a device that polls too often has to wait longer (RFC 8628 section 3.5).
const slowDown = 5 * time.Second

// CreateCode stores an authorization code, see [memory.SignInStore].
func (s *Store) CreateCode(ctx context.Context, c memory.Code) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		user, err := userBy(ctx, tx, "id", c.UserID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO codes (hash, client, redirect_uri, challenge, user, created_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, c.Hash[:], c.Client, c.RedirectURI, c.Challenge, user.key, micros(c.CreatedAt),
			micros(c.ExpiresAt))
		if err != nil {
			return fmt.Errorf("storing a code: %w", err)
		}
		return nil
	})
}

// RedeemCode turns a code into a session, see [memory.SignInStore].
func (s *Store) RedeemCode(
	ctx context.Context, hash [32]byte, check func(memory.Code) error, g memory.Grant, now time.Time,
) (session memory.Session, err error) {
	var refused error // kept apart, so that the use of the code is committed
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		code, used, before, err := codeByHash(ctx, tx, hash)
		if err != nil {
			return err
		}
		switch {
		case used && before.Valid:
			refused = fmt.Errorf("code: %w", memory.ErrReplayed)
			was, err := sessionBy(ctx, tx, "key", before.Int64)
			if err != nil || was.RevokedAt != nil {
				return err
			}
			return revokeSession(ctx, tx, was, memory.ActionSessionReplayed, now)
		case used:
			return fmt.Errorf("code: %w", memory.ErrNotFound)
		case !code.ExpiresAt.After(now):
			return fmt.Errorf("code: %w", memory.ErrExpired)
		}
		var key sql.NullInt64
		if refused = check(code); refused == nil {
			key.Valid = true
			if key.Int64, session, err = startSession(ctx, tx, code.Client, code.UserID, g, now); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE codes SET used_at = ?, session = ? WHERE hash = ?`, micros(now), key, hash[:])
		if err != nil {
			return fmt.Errorf("using a code: %w", err)
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	return session, err
}

// codeByHash returns a code, whether it was used, and the session that came of it.
func codeByHash(ctx context.Context, tx *sql.Tx, hash [32]byte) (c memory.Code, used bool, session sql.NullInt64, err error) {
	var created, expires int64
	err = tx.QueryRowContext(ctx, `SELECT c.client, c.redirect_uri, c.challenge, c.created_at, c.expires_at,
		c.used_at IS NOT NULL, c.session, u.id FROM codes c JOIN users u ON u.key = c.user WHERE c.hash = ?`, hash[:]).
		Scan(&c.Client, &c.RedirectURI, &c.Challenge, &created, &expires, &used, &session, &c.UserID)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, session, fmt.Errorf("code: %w", memory.ErrNotFound)
	}
	if err != nil {
		return c, false, session, fmt.Errorf("reading a code: %w", err)
	}
	c.Hash, c.CreatedAt, c.ExpiresAt = hash, timeOf(created), timeOf(expires)
	return c, used, session, nil
}

// CreateDevice stores a device's request, see [memory.SignInStore].
func (s *Store) CreateDevice(ctx context.Context, d memory.Device) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO devices (hash, user_code, client, created_at, expires_at, poll_interval)
			VALUES (?, ?, ?, ?, ?, ?)`, d.Hash[:], d.UserCode[:], d.Client, micros(d.CreatedAt), micros(d.ExpiresAt),
			d.Interval.Microseconds())
		if isTaken(err) {
			return fmt.Errorf("device: %w", memory.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("storing a device: %w", err)
		}
		return nil
	})
}

const waitingDevice = ` FROM devices WHERE user_code = ? AND decided_at IS NULL AND expires_at > ?`

// DeviceClient says which client a waiting device has, see [memory.SignInStore].
func (s *Store) DeviceClient(ctx context.Context, userCode [32]byte, now time.Time) (client string, err error) {
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT client`+waitingDevice, userCode[:], micros(now)).Scan(&client)
		return deviceError(err)
	})
	return client, err
}

func deviceError(err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("device: %w", memory.ErrNotFound)
	case err != nil:
		return fmt.Errorf("reading a device: %w", err)
	}
	return nil
}

// DecideDevice allows or denies a waiting device, see [memory.SignInStore].
func (s *Store) DecideDevice(ctx context.Context, userCode [32]byte, userID string, allow bool, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		user, err := userBy(ctx, tx, "id", userID)
		if err != nil {
			return err
		}
		var hash []byte
		var client string
		err = tx.QueryRowContext(ctx, `SELECT hash, client`+waitingDevice, userCode[:], micros(now)).Scan(&hash, &client)
		if err != nil {
			return deviceError(err)
		}
		by := sql.NullInt64{Int64: user.key, Valid: allow}
		_, err = tx.ExecContext(ctx, `UPDATE devices SET decided_at = ?, user = ? WHERE hash = ?`, micros(now), by, hash)
		if err != nil {
			return fmt.Errorf("deciding on a device: %w", err)
		}
		if allow {
			return nil // the session that comes of it is in the audit log
		}
		return audit(asUser(ctx, user.value), tx, now, entry{action: memory.ActionDeviceDenied, target: client})
	})
}

// PollDevice turns an allowed device into a session, see [memory.SignInStore].
func (s *Store) PollDevice(
	ctx context.Context, hash [32]byte, client string, g memory.Grant, now time.Time,
) (session memory.Session, err error) {
	var refused error // kept apart, so that the poll itself is committed
	err = s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		d, err := deviceByHash(ctx, tx, hash, client)
		if err != nil {
			return err
		}
		if refused = d.refusal(now); refused != nil {
			_, err := tx.ExecContext(ctx, `UPDATE devices SET polled_at = ?, poll_interval = ? WHERE hash = ?`,
				micros(now), d.interval.Microseconds(), hash[:])
			if err != nil {
				return fmt.Errorf("recording a poll: %w", err)
			}
			return nil
		}
		if _, session, err = startSession(ctx, tx, client, d.user, g, now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM devices WHERE hash = ?`, hash[:]); err != nil {
			return fmt.Errorf("using a device: %w", err)
		}
		return nil
	})
	if err == nil {
		err = refused
	}
	return session, err
}

// device is a device's request as it stands.
type device struct {
	expires  time.Time
	interval time.Duration
	polled   *time.Time
	decided  bool
	user     string // "" unless it was allowed
}

func deviceByHash(ctx context.Context, tx *sql.Tx, hash [32]byte, client string) (d device, err error) {
	var expires, interval int64
	var polled sql.NullInt64
	var user sql.NullString
	err = tx.QueryRowContext(ctx, `SELECT d.expires_at, d.poll_interval, d.polled_at, d.decided_at IS NOT NULL, u.id
		FROM devices d LEFT JOIN users u ON u.key = d.user WHERE d.hash = ? AND d.client = ?`, hash[:], client).
		Scan(&expires, &interval, &polled, &d.decided, &user)
	d.expires, d.interval = timeOf(expires), time.Duration(interval)*time.Microsecond
	d.polled, d.user = timeOrNil(polled), user.String
	return d, deviceError(err)
}

// refusal says why a poll gets no session, nil when it gets one. It makes the interval longer for who polls too often.
func (d *device) refusal(now time.Time) error {
	switch {
	case !d.expires.After(now):
		return fmt.Errorf("device: %w", memory.ErrExpired)
	case d.decided && d.user == "":
		return fmt.Errorf("device: %w", memory.ErrDenied)
	case d.decided:
		return nil
	case d.polled != nil && now.Sub(*d.polled) < d.interval:
		d.interval += slowDown
		return fmt.Errorf("device: %w", memory.ErrSlowDown)
	}
	return fmt.Errorf("device: %w", memory.ErrPending)
}
