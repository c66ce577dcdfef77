package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// claim is a claim with what the decider needs to decide on it.
type claim struct {
	extract.Claim
	id       string // of the assertion that it may become
	source   string // entity id
	target   string // entity id
	relation extract.Relation
	evidence evidence
	start    *time.Time // since when it holds; nil when nothing says when
	end      *time.Time
	observed time.Time
	dated    bool
}

// claims decides on every claim, in the order in which they were made.
func (d *decider) claims(ctx context.Context) error {
	corrected := corrections(d.in.Claims, d.in.ObservedAt)
	said := map[string]bool{}
	for i, raw := range d.in.Claims {
		c := d.prepare(i, raw)
		candidate := api.Candidate{
			Kind: api.KindRelationship, Text: c.Statement, Source: c.Source.Name, Relation: c.Relation,
			Target: c.Target.Name, Turns: []int{c.Turn},
		}
		reason := c.Rejected
		switch key := sameness(c); {
		case reason != "":
		case corrected[i]:
			reason = extract.ReasonCorrected
			if err := d.takeBack(ctx, c); err != nil {
				return fmt.Errorf("taking back claim %d: %w", i, err)
			}
		case said[key]:
			reason = extract.ReasonDuplicate
		case c.evidence.passage == "":
			reason = extract.ReasonNothing
		default:
			said[key] = true
		}
		v := rejected(reason)
		if reason == "" {
			var err error
			if v, err = d.decide(ctx, c); err != nil {
				return fmt.Errorf("deciding on claim %d: %w", i, err)
			}
		}
		candidate.ID, candidate.Decision, candidate.Matched, candidate.Reason = v.id, v.decision, v.matched, v.reason
		d.add(candidate)
	}
	return nil
}

// verdict is what became of a claim.
type verdict struct {
	id       string
	decision api.Decision
	matched  string
	reason   string
}

func rejected(reason string) verdict { return verdict{decision: api.DecisionRejected, reason: reason} }

func known(e *edge) verdict {
	return verdict{id: e.ID, decision: api.DecisionAlreadyKnown, matched: e.ID}
}

// takeBack deals with what an earlier submission of the same conversation had asserted before it was corrected: where
// only one can hold, the correction will replace it; else it is closed.
func (d *decider) takeBack(ctx context.Context, c claim) error {
	if !c.evidence.known {
		return nil
	}
	edges, err := d.held.from(ctx, c.source, c.Relation)
	if err != nil {
		return err
	}
	for _, e := range edges {
		if e.Target != c.target || e.Passage != c.evidence.passage || !e.open(c.observed) {
			continue
		}
		if c.relation.Cardinality != extract.Single {
			return d.shut(ctx, e, c.observed, nil)
		}
		d.retaken[e.ID] = true
	}
	return nil
}

func (d *decider) prepare(i int, raw extract.Claim) claim {
	c := claim{
		Claim: raw, id: memory.AssertionID(d.in.Handle, i), relation: extract.RelationOf(raw.Relation),
		source: memory.EntityID(raw.Source.Name), target: memory.EntityID(raw.Target.Name),
		evidence: d.evidenceOf(raw.Turn, raw.Start),
		start:    stamped(raw.ValidAt), end: stamped(raw.InvalidAt), observed: d.in.ObservedAt, dated: d.in.Dated,
	}
	present := c.end == nil || c.end.After(c.observed)
	if c.start == nil && present && d.in.Dated && !raw.Ends && raw.Unqualified != api.UnqualifiedPlanned {
		at := c.observed
		c.start = &at
	}
	return c
}

// sameness tells claims apart that say different things.
func sameness(c claim) string {
	return fmt.Sprint(c.source, c.Relation, c.target, c.Ends, c.Past(c.observed), c.Unqualified == api.UnqualifiedPlanned)
}

// corrections says which claims another one of the same conversation takes back: those with another target for what
// can have only one, and those that the words themselves correct.
func corrections(claims []extract.Claim, observed time.Time) map[int]bool {
	corrected := map[int]bool{}
	byKey := map[string][]int{} // what stands so far
	for j, later := range claims {
		if !stands(later, observed) {
			continue
		}
		single := extract.RelationOf(later.Relation).Cardinality == extract.Single
		kept := byKey[later.Key()][:0:0]
		for _, i := range byKey[later.Key()] {
			earlier := claims[i]
			replaced := memory.NormalName(earlier.Target.Name) != memory.NormalName(later.Target.Name) &&
				(later.Corrects || single && later.Unqualified == "" && !begins(earlier, observed).Before(begins(later, observed)))
			if replaced {
				corrected[i] = true
			} else {
				kept = append(kept, i)
			}
		}
		if len(kept) > maxStanding {
			kept = kept[1:]
		}
		byKey[later.Key()] = append(kept, j)
	}
	return corrected
}

// maxStanding bounds how many claims of one key are compared with each new one.
const maxStanding = 64

// stands says whether a claim is about the present.
func stands(c extract.Claim, observed time.Time) bool {
	return c.Rejected == "" && !c.Ends && !c.Past(observed) && c.Unqualified != api.UnqualifiedPlanned
}

func begins(c extract.Claim, observed time.Time) time.Time {
	if c.ValidAt != nil {
		return *c.ValidAt
	}
	return observed
}

func (d *decider) decide(ctx context.Context, c claim) (verdict, error) {
	edges, err := d.held.from(ctx, c.source, c.Relation)
	if err != nil {
		return verdict{}, err
	}
	same, err := d.sameTarget(ctx, c, edges)
	if err != nil {
		return verdict{}, err
	}
	if c.relation.Cardinality == extract.Single {
		err = d.held.date(ctx, edges, c.observed)
	} else {
		err = d.held.date(ctx, same, c.observed)
	}
	switch {
	case err != nil:
		return verdict{}, err
	case c.Ends:
		return d.decideEnd(ctx, c, same)
	case c.Past(c.observed):
		return d.decidePast(ctx, c, edges, same)
	}
	return d.decidePresent(ctx, c, edges, same)
}

// sameTarget returns the assertions among edges that have the claim's target, or name the same more exactly.
func (d *decider) sameTarget(ctx context.Context, c claim, edges []*edge) ([]*edge, error) {
	var exact, closer []*edge
	for _, e := range edges {
		if e.Target == c.target {
			exact = append(exact, e)
			continue
		}
		name, err := d.held.name(ctx, e.Target)
		if err != nil {
			return nil, err
		}
		if c.relation.TargetKind == extract.KindPlace && isPartOf(name, c.Target.Name) {
			closer = append(closer, e)
			continue
		}
		if c.Relation == extract.WorksAt && bareCompany(name) == bareCompany(c.Target.Name) {
			closer = append(closer, e)
			continue
		}
		if base, version := splitVersion(name); version != "" && memory.NormalName(base) == memory.NormalName(c.Target.Name) {
			closer = append(closer, e)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return closer, nil
}

// isPartOf says whether one of two places has the other in its name: "Downtown Denver" is in Denver, but New York is not
// in York.
func isPartOf(a, b string) bool {
	long, short := strings.Fields(memory.NormalName(a)), strings.Fields(memory.NormalName(b))
	if len(long) < len(short) {
		long, short = short, long
	}
	if len(short) == 0 || long[0] == "new" && short[0] != "new" {
		return false
	}
	return slices.Equal(long[:len(short)], short) || slices.Equal(long[len(long)-len(short):], short)
}

// bareCompany is a company's name without its legal form: "Acme Corp" is "Acme".
func bareCompany(name string) string {
	name = memory.NormalName(name)
	i := strings.LastIndexByte(name, ' ')
	if i < 0 {
		return name
	}
	switch strings.Trim(name[i+1:], ".,") {
	case "corp", "corporation", "inc", "ltd", "llc", "gmbh", "ag", "bv", "plc", "co":
		return strings.TrimRight(name[:i], ",")
	}
	return name
}

// splitVersion takes a version off the end of a name: "PostgreSQL 16".
func splitVersion(name string) (base, version string) {
	i := strings.LastIndexByte(name, ' ')
	if i < 0 {
		return name, ""
	}
	v := strings.TrimPrefix(name[i+1:], "v")
	if v == "" || v[0] < '0' || v[0] > '9' || strings.Trim(v, "0123456789.-+abcdefghijklmnopqrstuvwxyz") != "" {
		return name, ""
	}
	return name[:i], v
}

// open writes the assertion of a claim.
func (d *decider) open(ctx context.Context, c claim, reason string) error {
	source, err := d.held.ensure(ctx, c.Source)
	if err != nil {
		return err
	}
	target, err := d.held.ensure(ctx, c.Target)
	if err != nil {
		return err
	}
	d.held.write(api.Assertion{
		ID: c.id, Source: source, Relation: c.Relation, Target: target, Statement: c.Statement, UnqualifiedReason: reason,
		ValidAt: c.start, InvalidAt: c.end, AssertedAt: d.in.Now, Passage: c.evidence.passage,
	})
	return nil
}

// shut closes an assertion at a time, but not before it began.
func (d *decider) shut(ctx context.Context, e *edge, at time.Time, by *claim) error {
	if e.ValidAt != nil && e.ValidAt.After(at) {
		at = *e.ValidAt
	}
	closure := memory.Closure{Assertion: e.ID, InvalidAt: &at, ExpiredAt: d.in.Now}
	if by != nil {
		closure.SupersededBy = by.id
		alone, err := d.onlyOf(ctx, e)
		if err != nil {
			return err
		}
		if alone && !by.evidence.known && by.evidence.passage != e.Passage {
			closure.PassageSupersededBy = by.evidence.passage
		}
	}
	d.held.close(e, closure)
	return nil
}

// onlyOf says whether an assertion is the only one of its source that its passage still bears out: a passage that says
// more than what was replaced is not replaced.
func (d *decider) onlyOf(ctx context.Context, e *edge) (bool, error) {
	if _, err := d.held.from(ctx, e.Source, e.Relation); err != nil {
		return false, err
	}
	for _, o := range d.held.bySource[e.Source] {
		if o != e && o.Passage == e.Passage && o.open(d.in.ObservedAt) {
			return false, nil
		}
	}
	return true, nil
}
