package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// view is what a workspace would hold were the decisions so far written.
type view struct {
	memory.Held
	entities   map[string]*api.Entity // by id; nil: not held
	newOnes    []string               // ids of entities to write, in order
	assertions []*edge                // to write, in order
	bySource   map[string][]*edge     // all of an entity, oldest first
	byTarget   map[string][]*edge
	byID       map[string]*edge
	closures   []memory.Closure
	unqualify  []memory.Unqualify
}

// edge is an assertion, held or to be written.
type edge struct {
	api.Assertion
	pending bool
	said    time.Time // when its evidence was said; zero until it is asked for
}

// open says whether an assertion is believed to hold at a time or later.
func (e *edge) open(at time.Time) bool {
	return e.ExpiredAt == nil && (e.InvalidAt == nil || e.InvalidAt.After(at))
}

// doubtful says whether an assertion has a reason to be no verified fact that time does not take away.
func (e *edge) doubtful() bool {
	return e.UnqualifiedReason != "" && e.UnqualifiedReason != api.UnqualifiedExpired
}

// since returns when an assertion began to hold; when that is unknown, when it was first believed.
func (e *edge) since() time.Time {
	if e.ValidAt != nil {
		return *e.ValidAt
	}
	return e.AssertedAt
}

// told returns when it was last said that an assertion holds, as far as is known. What was said before that retires
// nothing of it: "since 2020", said today, is not undone by a letter of last year.
func (e *edge) told() time.Time {
	if e.said.After(e.since()) {
		return e.said
	}
	return e.since()
}

// window returns from when to when an assertion held; ok is false when that is not known, or it still holds.
func (e *edge) window() (start, end time.Time, ok bool) {
	if e.ValidAt == nil || e.InvalidAt == nil {
		return start, end, false
	}
	return *e.ValidAt, *e.InvalidAt, e.InvalidAt.After(*e.ValidAt)
}

func newView(held memory.Held) *view {
	return &view{
		Held: held, entities: map[string]*api.Entity{}, bySource: map[string][]*edge{},
		byTarget: map[string][]*edge{}, byID: map[string]*edge{},
	}
}

// name returns the name of an entity, "" when it is not held.
func (v *view) name(ctx context.Context, id string) (string, error) {
	e, err := v.entity(ctx, id)
	if err != nil || e == nil {
		return "", err
	}
	return e.Name, nil
}

func (v *view) entity(ctx context.Context, id string) (*api.Entity, error) {
	if e, ok := v.entities[id]; ok {
		return e, nil
	}
	e, err := v.Held.Entity(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("looking up an entity: %w", err)
	}
	v.entities[id] = e
	return e, nil
}

// ensure makes sure that an entity will be held, and returns its id.
func (v *view) ensure(ctx context.Context, t extract.Thing) (string, error) {
	id := memory.EntityID(t.Name)
	e, err := v.entity(ctx, id)
	if err != nil || e != nil {
		return id, err
	}
	v.entities[id] = &api.Entity{ID: id, Name: t.Name, Kind: t.Kind}
	v.newOnes = append(v.newOnes, id)
	return id, nil
}

// from returns the assertions of a relation that go out from an entity.
func (v *view) from(ctx context.Context, source, relation string) ([]*edge, error) {
	if _, ok := v.bySource[source]; !ok {
		list, err := v.AssertionsFrom(ctx, source, "")
		if err != nil {
			return nil, fmt.Errorf("looking up assertions: %w", err)
		}
		v.bySource[source] = v.edges(list)
	}
	return ofRelation(v.bySource[source], relation), nil
}

// to returns the assertions of a relation that lead to an entity.
func (v *view) to(ctx context.Context, target, relation string) ([]*edge, error) {
	if _, ok := v.byTarget[target]; !ok {
		list, err := v.AssertionsTo(ctx, target, "")
		if err != nil {
			return nil, fmt.Errorf("looking up assertions: %w", err)
		}
		edges := v.edges(list)
		for _, e := range v.assertions {
			if e.Target == target {
				edges = append(edges, e)
			}
		}
		v.byTarget[target] = edges
	}
	return ofRelation(v.byTarget[target], relation), nil
}

// date finds out when the evidence of assertions was said.
func (v *view) date(ctx context.Context, edges []*edge, now time.Time) error {
	for _, e := range edges {
		switch {
		case !e.said.IsZero():
		case e.pending:
			e.said = now
		default:
			p, err := v.Passage(ctx, e.Passage)
			if err != nil {
				return fmt.Errorf("looking up the evidence: %w", err)
			}
			if e.said = e.since(); p != nil {
				e.said = p.SaidAt
			}
		}
	}
	return nil
}

// edges makes one edge of an assertion, however often it is looked up.
func (v *view) edges(list []api.Assertion) []*edge {
	edges := make([]*edge, len(list))
	for i, a := range list {
		e, ok := v.byID[a.ID]
		if !ok {
			e = &edge{Assertion: a}
			v.byID[a.ID] = e
		}
		edges[i] = e
	}
	return edges
}

func ofRelation(edges []*edge, relation string) []*edge {
	var list []*edge
	for _, e := range edges {
		if e.Relation == relation {
			list = append(list, e)
		}
	}
	return list
}

// write adds an assertion.
func (v *view) write(a api.Assertion) {
	e := &edge{Assertion: a, pending: true}
	v.byID[a.ID] = e
	v.assertions = append(v.assertions, e)
	v.bySource[a.Source] = append(v.bySource[a.Source], e)
	if _, ok := v.byTarget[a.Target]; ok {
		v.byTarget[a.Target] = append(v.byTarget[a.Target], e)
	}
}

// close ends an assertion. One that is not written yet is written with its end.
func (v *view) close(e *edge, c memory.Closure) {
	expired := c.ExpiredAt
	e.InvalidAt, e.ExpiredAt = c.InvalidAt, &expired
	if !e.pending {
		v.closures = append(v.closures, c)
	}
}

// doubt gives an assertion a lasting reason to be no longer qualified.
func (v *view) doubt(e *edge, reason string) {
	if e.UnqualifiedReason != "" {
		return
	}
	e.UnqualifiedReason = reason
	if !e.pending {
		v.unqualify = append(v.unqualify, memory.Unqualify{Assertion: e.ID, Reason: reason})
	}
}

// collect adds what is to be written to an outcome.
func (v *view) collect(out *memory.Outcome) {
	for _, id := range v.newOnes {
		out.Entities = append(out.Entities, *v.entities[id])
	}
	for _, e := range v.assertions {
		out.Assertions = append(out.Assertions, e.Assertion)
	}
	out.Closures, out.Unqualify = v.closures, v.unqualify
}
