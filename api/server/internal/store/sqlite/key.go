package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// keyColumns are what scanKey reads.
const keyColumns = `k.key, k.id, k.hash, k.label, k.role, k.permissions, k.selectors, k.created_at, k.expires_at,
	k.last_used_at, k.revoked_at`

func scanKey(row scanner) (keyed[memory.Key], error) {
	var k keyed[memory.Key]
	var created int64
	var expires, used, revoked sql.NullInt64
	var permissions, selectors sql.NullString
	var hash []byte
	v := &k.value
	err := row.Scan(&k.key, &v.ID, &hash, &v.Label, &v.Role, &permissions, &selectors, &created, &expires, &used, &revoked)
	if err != nil {
		return k, fmt.Errorf("reading an API key: %w", err)
	}
	copy(v.Hash[:], hash)
	v.CreatedAt, v.ExpiresAt = timeOf(created), timeOrNil(expires)
	v.LastUsedAt, v.RevokedAt = timeOrNil(used), timeOrNil(revoked)
	return k, errors.Join(decodeJSON(permissions, &v.Permissions), decodeJSON(selectors, &v.Selectors))
}

// CreateKey stores a key, or returns an error that wraps [memory.ErrExists], see [memory.KeyStore].
func (s *Store) CreateKey(ctx context.Context, k memory.Key) error {
	permissions, err := jsonText(k.Permissions)
	if err != nil {
		return err
	}
	selectors, err := jsonText(k.Selectors)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO keys
			(id, hash, label, role, permissions, selectors, created_at, expires_at, last_used_at, revoked_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, k.ID, k.Hash[:], k.Label, k.Role, permissions, selectors,
			micros(k.CreatedAt), microsOrNull(k.ExpiresAt), microsOrNull(k.LastUsedAt), microsOrNull(k.RevokedAt))
		if isTaken(err) {
			return fmt.Errorf("API key %q: %w", k.ID, memory.ErrExists)
		}
		if err != nil {
			return fmt.Errorf("storing an API key: %w", err)
		}
		return audit(ctx, tx, k.CreatedAt, entry{action: memory.ActionKeyCreated, target: k.ID, detail: grantDetail(k.Label, keyGrants(k), k.Selectors)})
	})
}

// keyGrants names what a key may do, by its role when it has one.
func keyGrants(k memory.Key) string {
	if k.Role != "" {
		return k.Role
	}
	return strings.Join(k.Permissions, ", ")
}

// KeyByHash finds a key by the digest of its secret, see [memory.KeyStore].
func (s *Store) KeyByHash(ctx context.Context, hash [32]byte) (memory.Key, error) {
	var found keyed[memory.Key]
	err := s.read(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		found, err = scanKey(tx.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM keys k WHERE k.hash = ?`, hash[:]))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("API key: %w", memory.ErrNotFound)
		}
		return err
	})
	return found.value, err
}

const keysCursor = "keys"

// Keys lists newest first, see [memory.KeyStore].
func (s *Store) Keys(ctx context.Context, page memory.Page) (list []api.Key, next string, err error) {
	before := int64(math.MaxInt64)
	if err := parseCursor(page.After, keysCursor, &before); err != nil {
		return nil, "", err
	}
	size := pageSize(page)
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+keyColumns+` FROM keys k WHERE k.key < ? ORDER BY k.key DESC LIMIT ?`,
			before, size+1)
		if err != nil {
			return fmt.Errorf("listing API keys: %w", err)
		}
		found, err := collect(rows, scanKey)
		if err != nil {
			return err
		}
		found, more := cutPage(found, size)
		if more {
			next = cursorOf(keysCursor, found[size-1].key)
		}
		list = make([]api.Key, len(found))
		for i, k := range found {
			list[i] = k.value.Key
		}
		return nil
	})
	return list, next, err
}

// RevokeKey ends a key, see [memory.KeyStore].
func (s *Store) RevokeKey(ctx context.Context, id string, now time.Time) (api.Key, error) {
	var found keyed[memory.Key]
	err := s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL`, micros(now), id)
		if err != nil {
			return fmt.Errorf("revoking an API key: %w", err)
		}
		found, err = scanKey(tx.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM keys k WHERE k.id = ?`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("API key %q: %w", id, memory.ErrNotFound)
		}
		if n, counting := result.RowsAffected(); err != nil || counting != nil || n == 0 {
			return errors.Join(err, counting)
		}
		return audit(ctx, tx, now, entry{action: memory.ActionKeyRevoked, target: id, detail: found.value.Label})
	})
	return found.value.Key, err
}

// TouchKey records a use, see [memory.KeyStore]. An earlier one that comes late changes nothing.
func (s *Store) TouchKey(ctx context.Context, id string, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx,
			`UPDATE keys SET last_used_at = max(coalesce(last_used_at, ?1), ?1) WHERE id = ?2`, micros(now), id)
		if err != nil {
			return fmt.Errorf("recording the use of an API key: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return fmt.Errorf("API key %q: %w", id, memory.ErrNotFound)
	})
}
