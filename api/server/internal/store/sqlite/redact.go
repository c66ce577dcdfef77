package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// What stands in an outcome where something was forgotten. Ids stay: they tell which decision it was, not what was said.
const (
	forgottenText   = "[forgotten]"
	forgottenReason = "forgotten"
)

// redaction takes forgotten words out of candidates.
type redaction struct {
	passages   map[string]bool // ids of what is forgotten
	assertions map[string]bool // ids of what went with it
	// isHeld says whether an assertion is still there. One that is has other evidence, and keeps its words.
	isHeld func(assertion string) (bool, error)
}

// apply redacts the facts that are, or were known as, a forgotten passage, the relationships that went with it, and
// those of the same turns of which nothing is held: their words are the passage's. mark, when it isn't nil, is called
// for each.
func (r redaction) apply(candidates []api.Candidate, mark func(*api.Candidate)) error {
	turns := make(map[int]bool)
	for i := range candidates {
		c := &candidates[i]
		if c.Kind != api.KindFact || !r.passages[c.ID] && !r.passages[c.Matched] {
			continue
		}
		for _, turn := range c.Turns {
			turns[turn] = true
		}
		blank(c, mark)
	}
	for i := range candidates {
		c := &candidates[i]
		if c.Kind != api.KindRelationship {
			continue
		}
		goes, err := r.goes(*c, turns)
		if err != nil {
			return err
		}
		if goes {
			blank(c, mark)
		}
	}
	return nil
}

func (r redaction) goes(c api.Candidate, turns map[int]bool) (bool, error) {
	if r.assertions[c.ID] {
		return true, nil
	}
	if !slices.ContainsFunc(c.Turns, func(turn int) bool { return turns[turn] }) {
		return false, nil
	}
	there, err := r.isHeld(c.ID)
	return !there, err
}

func blank(c *api.Candidate, mark func(*api.Candidate)) {
	c.Text, c.Source, c.Relation, c.Target = forgottenText, "", "", ""
	if mark != nil {
		mark(c)
	}
}

func setOf(ids ...string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// dropForgotten takes out of the outcome what must not come back: passages of this formation that were forgotten
// since, and assertions whose evidence isn't there any more.
func (w *writer) dropForgotten(ctx context.Context) error {
	gone, err := w.forgotten(ctx)
	if err != nil {
		return err
	}
	var passages []memory.NewPassage
	kept := make(map[string]bool)
	for _, p := range w.outcome.Passages {
		if gone[p.ID] {
			continue
		}
		if gone[p.Prev] {
			p.Prev = ""
		}
		if gone[p.Next] {
			p.Next = ""
		}
		passages = append(passages, p)
		kept[p.ID] = true
	}
	w.outcome.Passages = passages
	lost, err := w.dropAssertions(ctx, kept)
	if err != nil || len(gone)+len(lost) == 0 {
		return err
	}
	return w.redactOutcome(ctx, gone, lost)
}

func (w *writer) forgotten(ctx context.Context) (map[string]bool, error) {
	rows, err := w.tx.QueryContext(ctx, `SELECT passage FROM forgotten WHERE workspace = ? AND formation = ?`, w.ws, w.handle)
	if err != nil {
		return nil, fmt.Errorf("looking for forgotten passages: %w", err)
	}
	ids, err := collect(rows, func(row scanner) (id string, err error) { return id, row.Scan(&id) })
	return setOf(ids...), err
}

// dropAssertions leaves those whose evidence is kept or held, and returns the ids of the others. What those would
// have closed stays open, and entities that only they name aren't written.
func (w *writer) dropAssertions(ctx context.Context, kept map[string]bool) (lost map[string]bool, err error) {
	lost = make(map[string]bool)
	named, orphans := make(map[string]bool), make(map[string]bool)
	var assertions []api.Assertion
	for _, a := range w.outcome.Assertions {
		there := kept[a.Passage]
		if !there {
			if there, err = (held{q: w.tx, ws: w.ws}).HasPassage(ctx, a.Passage); err != nil {
				return nil, err
			}
		}
		ends := named
		if there {
			assertions = append(assertions, a)
		} else {
			lost[a.ID] = true
			ends = orphans
		}
		ends[a.Source], ends[a.Target] = true, true
	}
	w.outcome.Assertions = assertions
	w.outcome.Entities = slices.DeleteFunc(slices.Clone(w.outcome.Entities), func(e api.Entity) bool {
		return orphans[e.ID] && !named[e.ID]
	})
	w.outcome.Closures = slices.DeleteFunc(slices.Clone(w.outcome.Closures), func(c memory.Closure) bool {
		return lost[c.SupersededBy]
	})
	return lost, nil
}

// redactOutcome records as rejected what dropForgotten took out.
func (w *writer) redactOutcome(ctx context.Context, gone, lost map[string]bool) error {
	w.outcome.Candidates = slices.Clone(w.outcome.Candidates)
	written := make(map[string]bool)
	for _, a := range w.outcome.Assertions {
		written[a.ID] = true
	}
	r := redaction{passages: gone, assertions: lost}
	r.isHeld = func(id string) (bool, error) {
		if written[id] {
			return true, nil
		}
		return held{q: w.tx, ws: w.ws}.hasAssertion(ctx, id)
	}
	return r.apply(w.outcome.Candidates, func(c *api.Candidate) {
		c.Decision, c.Reason = api.DecisionRejected, forgottenReason
	})
}
