package reconcile

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// reasonSaidBefore rejects a claim of a passage that is held already, whose assertion is not: it was decided on when
// the passage was new.
const reasonSaidBefore = "said before: it was decided on then, and retires nothing now"

// decidePresent decides on a claim of what holds. edges are those of its source and relation, same those of its target
// among them.
func (d *decider) decidePresent(ctx context.Context, c claim, edges, same []*edge) (verdict, error) {
	reason := c.Unqualified
	if reason == "" && !c.dated {
		reason = api.UnqualifiedNoKnownTime
	}
	if e := d.knownAs(c, same, reason); e != nil {
		return known(e), nil
	}
	rivals, err := d.rivals(ctx, c, edges)
	if err != nil {
		return verdict{}, err
	}
	if err := d.held.date(ctx, rivals, c.observed); err != nil {
		return verdict{}, err
	}
	if c.evidence.known && len(rivals) > 0 {
		return rejected(reasonSaidBefore), nil
	}
	if pastEvent(c, rivals) {
		return rejected(extract.ReasonOlder), nil
	}
	if reason == "" && c.relation.Cardinality == extract.Single {
		startAfter(&c, edges)
		if v, done, err := d.history(ctx, c, edges, rivals); done || err != nil {
			return v, err
		}
	}
	return d.replace(ctx, c, same, rivals, reason)
}

// knownAs returns the assertion that a claim repeats, or nil.
func (d *decider) knownAs(c claim, same []*edge, reason string) *edge {
	var ended *edge
	for _, e := range same {
		// What was doubtful and is now stated plainly is not the same any more.
		if e.open(c.observed) && (!e.doubtful() || reason != "" || c.evidence.known) {
			return e
		}
		if !e.open(c.observed) && (ended == nil || endOf(e).After(endOf(ended))) {
			ended = e
		}
	}
	// What has ended is known too, to a conversation of before the end, or one that is only sent again.
	if ended != nil && !slices.ContainsFunc(same, func(e *edge) bool { return e.open(c.observed) }) {
		if c.evidence.known || !c.dated || !c.observed.After(endOf(ended)) {
			return ended
		}
	}
	return nil
}

// endOf returns when an assertion ended, as far as is known.
func endOf(e *edge) time.Time {
	switch {
	case e.InvalidAt != nil:
		return *e.InvalidAt
	case e.ExpiredAt != nil:
		return *e.ExpiredAt
	}
	return e.AssertedAt
}

// rivals returns the open assertions that can't hold beside a claim, or that it may replace.
func (d *decider) rivals(ctx context.Context, c claim, edges []*edge) ([]*edge, error) {
	var list []*edge
	switch c.relation.Cardinality {
	case extract.Single:
		list = without(edges, func(e *edge) bool { return e.Target == c.target })
		return d.sameScale(ctx, c, without(list, func(e *edge) bool { return !e.open(c.observed) }))
	case extract.SingleOnCue:
		if c.Cue {
			list = without(edges, func(e *edge) bool { return e.Target == c.target })
		}
	case extract.OneSource:
		if c.Cue {
			all, err := d.held.to(ctx, c.target, c.Relation)
			if err != nil {
				return nil, err
			}
			list = without(all, func(e *edge) bool { return e.Source == c.source })
		}
	case extract.Many:
		if c.Cue {
			return d.otherVersions(ctx, c, edges)
		}
	}
	return without(list, func(e *edge) bool { return !e.open(c.observed) }), nil
}

// sameScale leaves out those that a time of day does not replace: what is on March 3 may well be at 10:00.
func (d *decider) sameScale(ctx context.Context, c claim, edges []*edge) ([]*edge, error) {
	if c.relation.TargetKind != extract.KindDate {
		return edges, nil
	}
	var list []*edge
	for _, e := range edges {
		name, err := d.held.name(ctx, e.Target)
		if err != nil {
			return nil, err
		}
		if isClock(name) == isClock(c.Target.Name) {
			list = append(list, e)
		}
	}
	return list, nil
}

// isClock says whether a date is only a time of day.
func isClock(name string) bool {
	clock := strings.TrimRight(strings.ToLower(name), "apm ")
	return clock == "noon" || clock == "midnight" || strings.Contains(clock, ":") && strings.Trim(clock, "0123456789:") == ""
}

func without(edges []*edge, drop func(*edge) bool) []*edge {
	var list []*edge
	for _, e := range edges {
		if !drop(e) {
			list = append(list, e)
		}
	}
	return list
}

// otherVersions returns the open assertions about another version of the claim's target: one upgrades "Go 1.23" to
// "Go 1.24", although one may use many things.
func (d *decider) otherVersions(ctx context.Context, c claim, edges []*edge) ([]*edge, error) {
	base, version := splitVersion(c.Target.Name)
	if version == "" {
		return nil, nil
	}
	var list []*edge
	for _, e := range edges {
		name, err := d.held.name(ctx, e.Target)
		if err != nil {
			return nil, err
		}
		b, v := splitVersion(name)
		if v != "" && v != version && memory.NormalName(b) == memory.NormalName(base) && e.open(c.observed) {
			list = append(list, e)
		}
	}
	return list, nil
}

// history decides on a claim that is older than what is held for the same: it retires nothing, and at best tells what
// held before. done is false when the claim is not older.
func (d *decider) history(ctx context.Context, c claim, edges, rivals []*edge) (v verdict, done bool, err error) {
	var next *time.Time // when the first of what came after it began
	for _, e := range edges {
		if e.Target == c.target || e.doubtful() {
			continue
		}
		if e.since().After(c.observed) {
			if at := e.since(); next == nil || at.Before(*next) {
				next = &at
			}
		} else if e.open(c.observed) && e.told().After(c.observed) || !e.open(c.observed) && endOf(e).After(c.observed) {
			return rejected(extract.ReasonOlder), true, nil // something else is known to have held then
		}
	}
	if next == nil {
		return verdict{}, false, nil
	}
	if len(rivals) > 0 && slices.ContainsFunc(rivals, func(e *edge) bool { return !e.since().After(c.observed) }) {
		return rejected(extract.ReasonOlder), true, nil
	}
	if c.start == nil || !c.start.Before(*next) {
		return rejected(extract.ReasonOlder), true, nil
	}
	c.end = next
	if err := d.open(ctx, c, ""); err != nil {
		return verdict{}, true, err
	}
	return verdict{id: c.id, decision: api.DecisionNew}, true, nil
}

// pastEvent says whether a claim is of what happened before something began that it can't hold beside: "I started at
// Airbus in 2010" says nothing about an employer of today.
func pastEvent(c claim, rivals []*edge) bool {
	return c.Event && c.ValidAt != nil && c.start != nil && !c.Corrects && slices.ContainsFunc(rivals, func(e *edge) bool {
		return !e.doubtful() && c.start.Before(e.since())
	})
}

// startAfter has a claim begin no earlier than when the last thing ended that is known to have held before it.
func startAfter(c *claim, edges []*edge) {
	for _, e := range edges {
		_, end, over := e.window()
		if over && !e.doubtful() && c.start != nil && end.After(*c.start) && !end.After(c.observed) {
			c.start = &end
		}
	}
}

// replace writes a claim, and closes those of its rivals that there is evidence of a change for.
func (d *decider) replace(ctx context.Context, c claim, same, rivals []*edge, reason string) (verdict, error) {
	var retired []*edge
	for _, e := range rivals {
		switch {
		case reason != "": // what is not verified retires nothing
		case d.changes(c, e):
			retired = append(retired, e)
		case !e.doubtful() && c.relation.Cardinality == extract.Single:
			d.held.doubt(e, api.UnqualifiedContradicted)
			reason = api.UnqualifiedContradicted
		}
	}
	if reason == api.UnqualifiedContradicted {
		retired = nil
	}
	if reason == "" {
		// The same, of which there was doubt.
		retired = append(retired, without(same, func(e *edge) bool { return !e.open(c.observed) || e.Target != c.target })...)
	}
	if err := d.open(ctx, c, reason); err != nil {
		return verdict{}, err
	}
	v := verdict{id: c.id, decision: api.DecisionNew}
	for _, e := range retired {
		if v.matched == "" {
			v.decision, v.matched = api.DecisionRevised, e.ID
		}
		if err := d.shut(ctx, e, *c.start, &c); err != nil {
			return verdict{}, err
		}
	}
	return v, nil
}

// changes says whether there is evidence that a claim replaced an assertion: words that tell of a change, or a later
// time. Either way the claim must have been made after what it replaces began, and was last said.
func (d *decider) changes(c claim, e *edge) bool {
	switch {
	case c.start == nil:
		return false
	case d.retaken[e.ID]:
		return true
	case c.Cue:
		return !c.observed.Before(e.told())
	}
	return c.observed.After(e.told())
}
