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

const graphCursor = "graph"

// Graph lists assertions newest first, see [memory.GraphStore].
func (s *Store) Graph(
	ctx context.Context, workspace string, now time.Time, page memory.Page,
) (g api.GraphPage, err error) {
	at, key, err := newestFirst(page.After, graphCursor)
	if err != nil {
		return api.GraphPage{}, err
	}
	size := pageSize(page)
	err = s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+assertionColumns+` FROM assertions a
			WHERE a.workspace = ? AND (a.asserted_at, a.key) < (?, ?)
			ORDER BY a.asserted_at DESC, a.key DESC LIMIT ?`, ws, at, key, size+1)
		if err != nil {
			return fmt.Errorf("listing assertions: %w", err)
		}
		found, err := collect(rows, scanAssertion)
		if err != nil {
			return err
		}
		found, more := cutPage(found, size)
		if more {
			last := found[size-1]
			g.NextPageToken = cursorOf(graphCursor, micros(last.value.AssertedAt), last.key)
		}
		g.Assertions = plain(found)
		qualifyAll(g.Assertions, now)
		g.Entities, err = entitiesOf(ctx, tx, ws, g.Assertions)
		return err
	})
	return g, err
}

func plain(found []keyed[storedAssertion]) []api.Assertion {
	list := make([]api.Assertion, len(found))
	for i, k := range found {
		list[i] = k.value.Assertion
	}
	return list
}

// Snapshot returns what was open at a time, see [memory.GraphStore].
func (s *Store) Snapshot(ctx context.Context, workspace string, at time.Time, limit int) (api.Graph, error) {
	g := api.Graph{Nodes: []api.Entity{}, Edges: []api.Assertion{}}
	err := s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		limit := max(limit, 0)
		rows, err := tx.QueryContext(ctx, `SELECT `+assertionColumns+` FROM assertions a
			WHERE a.workspace = ?1 AND (a.valid_at IS NULL OR a.valid_at <= ?2)
			AND (coalesce(a.invalid_at, a.expired_at) IS NULL OR coalesce(a.invalid_at, a.expired_at) > ?2)
			ORDER BY a.asserted_at DESC, a.key DESC LIMIT ?3`, ws, micros(at), limit+1)
		if err != nil {
			return fmt.Errorf("reading a snapshot: %w", err)
		}
		found, err := collect(rows, scanAssertion)
		if err != nil {
			return err
		}
		found, g.Truncated = cutPage(found, limit)
		g.Edges = plain(found)
		qualifyAll(g.Edges, at)
		g.Nodes, err = entitiesOf(ctx, tx, ws, g.Edges)
		return err
	})
	return g, err
}

// entitiesOf returns the entities at the ends of assertions, in the order in which they are first named.
func entitiesOf(ctx context.Context, q querier, ws int64, assertions []api.Assertion) ([]api.Entity, error) {
	list := []api.Entity{}
	seen := make(map[string]bool)
	for _, a := range assertions {
		for _, id := range []string{a.Source, a.Target} {
			if seen[id] {
				continue
			}
			seen[id] = true
			e, err := held{q: q, ws: ws}.Entity(ctx, id)
			if err != nil {
				return nil, err
			}
			if e != nil {
				list = append(list, *e)
			}
		}
	}
	return list, nil
}

// Assertion returns an assertion with its evidence and its history, see [memory.GraphStore].
func (s *Store) Assertion(ctx context.Context, workspace, id string, now time.Time) (api.AssertionDetail, error) {
	var d api.AssertionDetail
	err := s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		row := tx.QueryRowContext(ctx,
			`SELECT `+assertionColumns+` FROM assertions a WHERE a.workspace = ? AND a.id = ?`, ws, id)
		found, err := scanAssertion(row)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("assertion %q: %w", id, memory.ErrNotFound)
		}
		if err != nil {
			return err
		}
		d.Assertion, d.SupersededBy = found.value.Assertion, found.value.SupersededBy
		memory.Qualify(&d.Assertion, now)
		if d.Entities, err = entitiesOf(ctx, tx, ws, []api.Assertion{d.Assertion}); err != nil {
			return err
		}
		if err := addEvidence(ctx, tx, ws, &d); err != nil {
			return err
		}
		d.History, err = held{q: tx, ws: ws}.AssertionsFrom(ctx, d.Source, d.Relation)
		qualifyAll(d.History, now)
		return err
	})
	return d, err
}

// addEvidence adds the passage that an assertion rests on, and through what it came.
func addEvidence(ctx context.Context, q querier, ws int64, d *api.AssertionDetail) error {
	evidence, err := passageByID(ctx, q, ws, d.Passage)
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.Evidence = &evidence.value
	d.SubmittedBy, err = formationSource(ctx, q, ws, evidence.value.Formation)
	return err
}
