package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// entry is what the audit log says of a change, beside who made it.
type entry struct {
	action    string // of package memory
	target    string
	workspace string
	detail    string
}

// audit writes an entry in the transaction of the change that it is about.
func audit(ctx context.Context, tx *sql.Tx, now time.Time, e entry) error {
	who := memory.ActorOf(ctx)
	_, err := tx.ExecContext(ctx, `INSERT INTO audit
		(at, action, actor_kind, actor_id, actor_name, target, workspace, detail, request_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, micros(now), e.action, who.Kind, who.ID, who.Name, e.target, e.workspace,
		e.detail, who.RequestID)
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

const auditCursor = "audit"

// Audit lists the audit log, newest first, see [memory.TeamStore].
func (s *Store) Audit(ctx context.Context, page memory.Page) (list []api.AuditEntry, next string, err error) {
	return listNewest(ctx, s, auditCursor, page, `SELECT key, at, action, actor_kind, actor_id, actor_name, target,
		workspace, detail, request_id FROM audit WHERE key < ? ORDER BY key DESC LIMIT ?`, scanEntry)
}

func scanEntry(row scanner) (keyed[api.AuditEntry], error) {
	var e keyed[api.AuditEntry]
	var at int64
	v := &e.value
	err := row.Scan(&e.key, &at, &v.Action, &v.Actor.Kind, &v.Actor.ID, &v.Actor.Name, &v.Target, &v.Workspace, &v.Detail,
		&v.RequestID)
	if err != nil {
		return e, fmt.Errorf("reading an entry of the audit log: %w", err)
	}
	v.ID, v.At = "au_"+strconv.FormatInt(e.key, 10), timeOf(at)
	return e, nil
}

// listNewest reads a page of a list that runs from the highest key down. The query takes the key to stay below, and a
// limit.
func listNewest[T any](
	ctx context.Context, s *Store, cursor string, page memory.Page, query string, scan func(scanner) (keyed[T], error),
) (list []T, next string, err error) {
	return listByKey(ctx, s, cursor, page, int64(math.MaxInt64), query, scan)
}

// listByKey reads a page of a list that is ordered by key. The query takes the key of the place to go on from, and a
// limit.
func listByKey[T any](
	ctx context.Context, s *Store, cursor string, page memory.Page, from int64, query string,
	scan func(scanner) (keyed[T], error),
) (list []T, next string, err error) {
	if err := parseCursor(page.After, cursor, &from); err != nil {
		return nil, "", err
	}
	size := pageSize(page)
	err = s.read(ctx, func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, query, from, size+1)
		if err != nil {
			return fmt.Errorf("listing %s: %w", cursor, err)
		}
		found, err := collect(rows, scan)
		if err != nil {
			return err
		}
		found, more := cutPage(found, size)
		if more {
			next = cursorOf(cursor, found[size-1].key)
		}
		list = make([]T, len(found))
		for i, v := range found {
			list[i] = v.value
		}
		return nil
	})
	return list, next, err
}
