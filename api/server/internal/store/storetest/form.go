package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// movesOutcome is that of Ana telling where she lives.
func movesOutcome(f *fixture) memory.Outcome {
	const said = "I live in Utrecht"
	return memory.Outcome{
		Extractor: api.Extractor{Name: "rules", Version: "1"},
		Candidates: []api.Candidate{{
			ID: "as_1", Kind: api.KindRelationship, Text: "Ana lives in Utrecht", Source: "Ana", Relation: "lives_in",
			Target: "Utrecht", Decision: api.DecisionNew, Turns: []int{0},
		}},
		Entities:   []api.Entity{entity("Ana"), entity("Utrecht")},
		Assertions: []api.Assertion{assertion("as_1", f.now, "Ana", "lives_in", "Utrecht", said)},
	}
}

func testForm(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	o := movesOutcome(f)
	handle, ids := f.form(t, "demo", o, "I live in Utrecht", "it rains")
	got, err := f.Formation(t.Context(), "demo", handle)
	wantErr(t, "reading", err, nil)
	want := api.Formation{
		Handle: handle, Workspace: "demo", State: api.FormationFinished, SubmittedAt: got.SubmittedAt, FinishedAt: ptr(f.now),
		Attempts: 1, Extractor: o.Extractor, Decisions: api.Decisions{New: 3},
		Writes: api.Writes{Passages: 2, Entities: 2, Assertions: 1}, Redactions: []api.Redaction{},
		Candidates: []api.Candidate{
			{ID: ids[0], Kind: api.KindFact, Text: "I live in Utrecht", Decision: api.DecisionNew, Turns: []int{0}},
			{ID: ids[1], Kind: api.KindFact, Text: "it rains", Decision: api.DecisionNew, Turns: []int{1}},
			o.Candidates[0],
		},
	}
	wantEqual(t, "formation", got, want)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 2, Entities: 2, Assertions: 1, Formations: 1})
	f.wantNoJob(t, "afterwards")
}

// testFormOnce writes what is there already: nothing is doubled, and only what was written is counted.
func testFormOnce(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	o := movesOutcome(f)
	f.form(t, "demo", o, "I live in Utrecht")
	handle, _ := f.form(t, "demo", o, "I live in Utrecht", "a second time", "a second time")
	got, err := f.Formation(t.Context(), "demo", handle)
	wantErr(t, "reading", err, nil)
	wantEqual(t, "writes", got.Writes, api.Writes{Passages: 1})
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 2, Entities: 2, Assertions: 1, Formations: 2})
	list, _, err := f.Passages(t.Context(), "demo", memory.Page{Size: 10})
	if err != nil || len(list) != 2 || list[0].Formation == handle {
		t.Errorf("passages %+v, %v; want the first with its first formation", list, err)
	}
	wantEqual(t, "found", f.find(t, "demo", "utrecht"), []string{"I live in Utrecht", "a second time"})
}

func testFormFailing(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := f.submit(t, "demo", "one")
	job := f.lease(t)
	broken := errors.New("the extractor broke")
	err := f.Form(t.Context(), job, f.tick(), func(context.Context, memory.Held) (memory.Outcome, error) {
		return passagesOf(s, f.now), broken
	})
	wantErr(t, "forming", err, broken)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Formations: 1})
	wantErr(t, "forming again", f.Form(t.Context(), job, f.tick(), always(passagesOf(s, f.now))), nil)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 1, Formations: 1})
}

func testFormClosures(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, first := f.form(t, "demo", movesOutcome(f), "I live in Utrecht")
	const said = "I moved to Ghent"
	at := f.tick()
	o := memory.Outcome{
		Entities:   []api.Entity{entity("Ana"), entity("Ghent")},
		Assertions: []api.Assertion{assertion("as_2", at, "Ana", "lives_in", "Ghent", said)},
		Closures: []memory.Closure{
			{Assertion: "as_1", InvalidAt: &at, ExpiredAt: at, SupersededBy: "as_2", PassageSupersededBy: memory.PassageID("user", said)},
			{Assertion: "as_none", ExpiredAt: at},
		},
		Unqualify: []memory.Unqualify{{Assertion: "as_2", Reason: api.UnqualifiedContradicted}, {Assertion: "as_2", Reason: "later"}},
	}
	handle, second := f.form(t, "demo", o, said)
	got, err := f.Formation(t.Context(), "demo", handle)
	wantErr(t, "reading", err, nil)
	wantEqual(t, "writes", got.Writes, api.Writes{Passages: 1, Entities: 1, Assertions: 1, Supersessions: 1})

	later := memory.Outcome{Closures: []memory.Closure{{Assertion: "as_1", InvalidAt: ptr(f.tick()), ExpiredAt: f.now}}}
	handle, _ = f.form(t, "demo", later, "it is closed already")
	got, err = f.Formation(t.Context(), "demo", handle)
	if err != nil || got.Writes != (api.Writes{Passages: 1}) {
		t.Errorf("closing it again writes %+v, %v; want nothing but the passage", got.Writes, err)
	}

	old, err := f.Assertion(t.Context(), "demo", "as_1", f.tick())
	wantErr(t, "reading the old one", err, nil)
	want := assertion("as_1", old.AssertedAt, "Ana", "lives_in", "Utrecht", "I live in Utrecht")
	want.InvalidAt, want.ExpiredAt, want.UnqualifiedReason = &at, &at, api.UnqualifiedExpired
	wantEqual(t, "the old one", old.Assertion, want)
	wantEqual(t, "what replaced it", old.SupersededBy, "as_2")
	passage, err := f.Passage(t.Context(), "demo", first[0])
	wantErr(t, "reading its evidence", err, nil)
	wantEqual(t, "what replaced its evidence", passage.SupersededBy, second[0])
	current, err := f.Assertion(t.Context(), "demo", "as_2", f.tick())
	if err != nil || current.UnqualifiedReason != api.UnqualifiedContradicted || current.Qualified {
		t.Errorf("the new one: %+v, %v; want it contradicted", current.Assertion, err)
	}
}

func testHeld(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.workspace(t, "other")
	f.form(t, "other", movesOutcome(f), "I live in Utrecht")
	o := movesOutcome(f)
	o.Entities = append(o.Entities, entity("Ghent"))
	o.Assertions = append(o.Assertions, assertion("as_2", f.tick(), "Ana", "likes", "Ghent", "I live in Utrecht"))
	o.Assertions = append(o.Assertions, assertion("as_3", f.tick(), "Ana", "lives_in", "Ghent", "I live in Utrecht"))
	o.Assertions[2].UnqualifiedReason = api.UnqualifiedHedged
	o.Closures = []memory.Closure{{Assertion: "as_1", ExpiredAt: f.now}}
	_, ids := f.form(t, "demo", o, "I live in Utrecht")
	decide := func(ctx context.Context, held memory.Held) (memory.Outcome, error) {
		for id, want := range map[string]bool{ids[0]: true, "ps_none": false} {
			if has, err := held.HasPassage(ctx, id); has != want || err != nil {
				t.Errorf("passage %s: %v, %v; want %v", id, has, err, want)
			}
			p, err := held.Passage(ctx, id)
			if err != nil || (p != nil) != want || p != nil && (p.ID != id || p.Text != "I live in Utrecht" || p.SaidAt.IsZero()) {
				t.Errorf("passage %s: %+v, %v; want it: %v", id, p, err, want)
			}
		}
		ana, err := held.Entity(ctx, memory.EntityID("ana"))
		wantErr(t, "looking for an entity", err, nil)
		wantEqual(t, "entity", ana, ptr(entity("Ana")))
		if none, err := held.Entity(ctx, "en_none"); none != nil || err != nil {
			t.Errorf("an unknown entity: %v, %v; want nil", none, err)
		}
		from := lookup{held.AssertionsFrom}
		to := lookup{held.AssertionsTo}
		from.check(ctx, t, "Ana", "", "as_1", "as_2", "as_3")
		from.check(ctx, t, "Ana", "lives_in", "as_1", "as_3")
		from.check(ctx, t, "Nobody", "")
		to.check(ctx, t, "Ghent", "likes", "as_2")
		to.check(ctx, t, "Ghent", "", "as_2", "as_3")
		return memory.Outcome{}, nil
	}
	f.submit(t, "demo", "look")
	wantErr(t, "forming", f.Form(t.Context(), f.lease(t), f.tick(), decide), nil)
	_, err := f.Consult(t.Context(), "demo", decide)
	wantErr(t, "consulting", err, nil)
}

// lookup is one of the two ways from an entity to its assertions.
type lookup struct {
	list func(ctx context.Context, entity, relation string) ([]api.Assertion, error)
}

func (l lookup) check(ctx context.Context, t *testing.T, name, relation string, want ...string) {
	t.Helper()
	what := fmt.Sprintf("assertions of %s, %q", name, relation)
	found, err := l.list(ctx, memory.EntityID(name), relation)
	wantErr(t, what, err, nil)
	var got []string
	for _, a := range found {
		got = append(got, a.ID)
		if a.ID == "as_1" && a.ExpiredAt == nil || a.ID == "as_3" && a.UnqualifiedReason != api.UnqualifiedHedged {
			t.Errorf("%s: %+v lacks how it ended or why it is not qualified", what, a)
		}
	}
	wantEqual(t, what, got, want)
}

func testConsult(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := conversation(f.now, "not written")
	want := passagesOf(s, f.now)
	got, err := f.Consult(t.Context(), "demo", always(want))
	wantErr(t, "consulting", err, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{})
	broken := errors.New("broken")
	_, err = f.Consult(t.Context(), "demo", func(context.Context, memory.Held) (memory.Outcome, error) {
		return memory.Outcome{}, broken
	})
	wantErr(t, "consulting what breaks", err, broken)
}
