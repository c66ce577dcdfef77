package reconcile

import (
	"context"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
)

const (
	reasonPlannedEnd = "planned: it has not ended yet"
	reasonNoEnd      = "nothing durable: it denies what is not held"
	reasonOtherThen  = "contradicted: something else is known to have held then"
	reasonUndatedEnd = "nothing durable: nothing says when it ended"
)

// decideEnd decides on a claim that something holds no more. It closes exactly what it names.
func (d *decider) decideEnd(ctx context.Context, c claim, same []*edge) (verdict, error) {
	switch c.Unqualified {
	case "":
	case api.UnqualifiedPlanned:
		return rejected(reasonPlannedEnd), nil
	default:
		return rejected(extract.ReasonHedged), nil
	}
	at := c.observed
	if c.end != nil && c.end.Before(at) {
		at = *c.end
	}
	var open, ended *edge
	for _, e := range same {
		if e.open(c.observed) {
			open = e
		} else {
			ended = e
		}
	}
	switch {
	case open != nil && c.evidence.known:
		return rejected(reasonSaidBefore), nil
	case open != nil && (!c.dated || c.observed.Before(open.told())):
		return rejected(extract.ReasonOlder), nil
	case open != nil:
		if err := d.shut(ctx, open, at, nil); err != nil {
			return verdict{}, err
		}
		return verdict{id: open.ID, decision: api.DecisionRevised, matched: open.ID}, nil
	case ended != nil:
		return known(ended), nil
	case c.Denies:
		return rejected(reasonNoEnd), nil
	case !c.dated:
		return rejected(reasonUndatedEnd), nil
	}
	return d.record(ctx, c, at)
}

// record writes what is only known to have ended, so that an older conversation does not bring it back.
func (d *decider) record(ctx context.Context, c claim, at time.Time) (verdict, error) {
	c.end = &at
	if err := d.open(ctx, c, ""); err != nil {
		return verdict{}, err
	}
	return verdict{id: c.id, decision: api.DecisionNew}, nil
}

// decidePast decides on a claim of what held in a time that was over when it was made. It ends what is held of the same
// from before, and retires nothing else.
func (d *decider) decidePast(ctx context.Context, c claim, edges, same []*edge) (verdict, error) {
	for _, e := range same {
		if !e.open(c.observed) {
			if endOf(e).Equal(*c.end) || c.evidence.known {
				return known(e), nil
			}
			continue
		}
		switch {
		case c.evidence.known:
			return known(e), nil
		case c.observed.Before(e.told()):
			return rejected(extract.ReasonOlder), nil
		case c.Unqualified == "" && c.dated && e.ValidAt != nil && e.ValidAt.Before(*c.end):
			if err := d.shut(ctx, e, *c.end, nil); err != nil {
				return verdict{}, err
			}
			return verdict{id: e.ID, decision: api.DecisionRevised, matched: e.ID}, nil
		}
	}
	if c.Unqualified == "" && c.relation.Cardinality == extract.Single && !fit(&c, edges) {
		return rejected(reasonOtherThen), nil
	}
	if err := d.open(ctx, c, c.Unqualified); err != nil {
		return verdict{}, err
	}
	return verdict{id: c.id, decision: api.DecisionNew}, nil
}

// fit cuts the time of a claim off where something else of the same is known to have held. It returns false when
// nothing is left of it. "Until 2018" and "from 2018 on" name one year and two homes.
func fit(c *claim, edges []*edge) bool {
	for _, e := range edges {
		if e.doubtful() || e.ValidAt == nil || c.start == nil || c.end == nil {
			continue
		}
		start, end, over := e.window()
		switch {
		case !over && e.open(c.observed): // it begins, and has no end
			if start = *e.ValidAt; !start.After(*c.start) {
				return false
			} else if start.Before(*c.end) {
				c.end = &start
			}
		case !over || !start.Before(*c.end) || !end.After(*c.start):
		case !start.After(*c.start) && !end.Before(*c.end), start.After(*c.start) && end.Before(*c.end):
			return false
		case start.After(*c.start):
			c.end = &start
		default:
			c.start = &end
		}
	}
	return true
}
