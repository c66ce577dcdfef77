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

// held is a workspace as a formation sees it from within a transaction.
type held struct {
	q  querier
	ws int64
}

var _ memory.Held = held{}

// Passage returns a passage, or nil.
func (h held) Passage(ctx context.Context, id string) (*api.Passage, error) {
	row := h.q.QueryRowContext(ctx, `SELECT `+passageColumns+` FROM passages p WHERE p.workspace = ? AND p.id = ?`, h.ws, id)
	p, err := scanPassage(row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &p.value, nil
}

// HasPassage reports whether a passage is held.
func (h held) HasPassage(ctx context.Context, id string) (bool, error) {
	return exists(ctx, h.q, `SELECT 1 FROM passages WHERE workspace = ? AND id = ?`, h.ws, id)
}

func (h held) hasAssertion(ctx context.Context, id string) (bool, error) {
	return exists(ctx, h.q, `SELECT 1 FROM assertions WHERE workspace = ? AND id = ?`, h.ws, id)
}

// Entity returns an entity, or nil.
func (h held) Entity(ctx context.Context, id string) (*api.Entity, error) {
	row := h.q.QueryRowContext(ctx, `SELECT e.key, e.id, e.name, e.kind FROM entities e WHERE e.workspace = ? AND e.id = ?`,
		h.ws, id)
	e, err := scanEntity(row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &e.value, nil
}

// AssertionsFrom returns the assertions that go out from an entity.
func (h held) AssertionsFrom(ctx context.Context, source, relation string) ([]api.Assertion, error) {
	return assertionsWhere(ctx, h.q, `a.workspace = ?1 AND a.source = ?2 AND (?3 = '' OR a.relation = ?3)`,
		h.ws, source, relation)
}

// AssertionsTo returns the assertions that go to an entity.
func (h held) AssertionsTo(ctx context.Context, target, relation string) ([]api.Assertion, error) {
	return assertionsWhere(ctx, h.q, `a.workspace = ?1 AND a.target = ?2 AND (?3 = '' OR a.relation = ?3)`,
		h.ws, target, relation)
}

func exists(ctx context.Context, q querier, query string, args ...any) (bool, error) {
	var one int
	err := q.QueryRowContext(ctx, query, args...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking up a row: %w", err)
	}
	return true, nil
}

func scanEntity(row scanner) (keyed[api.Entity], error) {
	var k keyed[api.Entity]
	if err := row.Scan(&k.key, &k.value.ID, &k.value.Name, &k.value.Kind); err != nil {
		return k, fmt.Errorf("reading an entity: %w", err)
	}
	return k, nil
}

// assertionColumns are what scanAssertion reads.
const assertionColumns = `a.key, a.id, a.source, a.relation, a.target, a.statement, a.reason, a.valid_at, a.invalid_at,
	a.asserted_at, a.expired_at, a.passage, a.superseded_by`

// storedAssertion is an assertion with what only its detail shows.
type storedAssertion struct {
	api.Assertion
	SupersededBy string `json:"superseded_by,omitempty"`
}

// scanAssertion reads an assertion, unqualified only for a reason that lasts.
func scanAssertion(row scanner) (keyed[storedAssertion], error) {
	var k keyed[storedAssertion]
	var asserted int64
	var valid, invalid, expired sql.NullInt64
	var superseded sql.NullString
	a := &k.value
	err := row.Scan(&k.key, &a.ID, &a.Source, &a.Relation, &a.Target, &a.Statement, &a.UnqualifiedReason,
		&valid, &invalid, &asserted, &expired, &a.Passage, &superseded)
	if err != nil {
		return k, fmt.Errorf("reading an assertion: %w", err)
	}
	a.Qualified = a.UnqualifiedReason == ""
	a.ValidAt, a.InvalidAt, a.ExpiredAt = timeOrNil(valid), timeOrNil(invalid), timeOrNil(expired)
	a.AssertedAt, a.SupersededBy = timeOf(asserted), superseded.String
	return k, nil
}

// assertionsWhere returns the assertions that a condition picks, oldest first.
func assertionsWhere(ctx context.Context, q querier, where string, args ...any) ([]api.Assertion, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+assertionColumns+` FROM assertions a WHERE `+where+
		` ORDER BY a.asserted_at, a.key`, args...)
	if err != nil {
		return nil, fmt.Errorf("listing assertions: %w", err)
	}
	return collect(rows, func(row scanner) (api.Assertion, error) {
		k, err := scanAssertion(row)
		return k.value.Assertion, err
	})
}

func qualifyAll(list []api.Assertion, at time.Time) {
	for i := range list {
		memory.Qualify(&list[i], at)
	}
}
