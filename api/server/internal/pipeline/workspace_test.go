package pipeline_test

import (
	"context"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/pipeline"
	"github.com/lukasa-dev/lukasa/api/server/internal/redact"
	"github.com/lukasa-dev/lukasa/formation"
)

// workspace keeps in memory what formations write, as a store does.
type workspace struct {
	t          *testing.T
	pipeline   *pipeline.Pipeline
	now        time.Time
	passages   map[string]memory.NewPassage
	entities   map[string]api.Entity
	assertions []api.Assertion
	formed     map[string]memory.Outcome
	last       memory.Outcome
}

func newWorkspace(t *testing.T) *workspace {
	return &workspace{
		t: t, pipeline: pipeline.New(extract.NewRules()), now: time.Date(2025, 12, 1, 12, 0, 0, 0, time.UTC),
		passages: map[string]memory.NewPassage{}, entities: map[string]api.Entity{}, formed: map[string]memory.Outcome{},
	}
}

// say forms a conversation as the server does, and returns what came of it.
func (w *workspace) say(turns []api.Turn, observed *time.Time, source *api.Source) (memory.Outcome, []api.Redaction) {
	w.t.Helper()
	w.now = w.now.Add(time.Second)
	clean, found := redact.Turns(turns)
	job := &memory.Job{Submission: memory.Submission{
		Handle: formation.Handle(turns, observed), Turns: clean, Redactions: found, ObservedAt: observed,
		SubmittedAt: w.now, Source: source,
	}}
	if out, ok := w.formed[job.Handle]; ok {
		return out, found
	}
	plan, err := w.pipeline.Plan(w.t.Context(), w, "w", job.Submission)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.pipeline.Form(w.t.Context(), w, job, w.now); err != nil {
		w.t.Fatal(err)
	}
	if plan.Writes() != w.last.Writes() || len(plan.Candidates) != len(w.last.Candidates) {
		w.t.Errorf("the plan would write %+v, the formation wrote %+v", plan.Writes(), w.last.Writes())
	}
	w.formed[job.Handle] = w.last
	return w.last, found
}

func (w *workspace) Consult(ctx context.Context, _ string, decide memory.Decide) (memory.Outcome, error) {
	return decide(ctx, w)
}

func (w *workspace) Form(ctx context.Context, _ *memory.Job, _ time.Time, decide memory.Decide) error {
	out, err := decide(ctx, w)
	if err != nil {
		return err
	}
	w.last = out
	for _, p := range out.Passages {
		if _, ok := w.passages[p.ID]; ok {
			w.t.Errorf("passage %s is written twice", p.ID)
		}
		w.passages[p.ID] = p
	}
	for _, e := range out.Entities {
		if _, ok := w.entities[e.ID]; ok {
			w.t.Errorf("entity %q is written twice", e.Name)
		}
		w.entities[e.ID] = e
	}
	for _, a := range out.Assertions {
		w.check(a)
		w.assertions = append(w.assertions, a)
	}
	for _, c := range out.Closures {
		w.close(c)
	}
	for _, u := range out.Unqualify {
		w.find(u.Assertion).UnqualifiedReason = u.Reason
	}
	return nil
}

// check makes sure that a new assertion stands on what is held.
func (w *workspace) check(a api.Assertion) {
	_, source := w.entities[a.Source]
	_, target := w.entities[a.Target]
	_, passage := w.passages[a.Passage]
	if !source || !target || !passage || a.Statement == "" || a.AssertedAt.IsZero() {
		w.t.Errorf("assertion %+v: source held %v, target held %v, passage held %v", a, source, target, passage)
	}
	for _, o := range w.assertions {
		if o.ID == a.ID {
			w.t.Errorf("assertion %s is written twice", a.ID)
		}
	}
}

func (w *workspace) find(id string) *api.Assertion {
	for i := range w.assertions {
		if w.assertions[i].ID == id {
			return &w.assertions[i]
		}
	}
	w.t.Errorf("assertion %s is not held", id)
	return &api.Assertion{}
}

func (w *workspace) close(c memory.Closure) {
	a := w.find(c.Assertion)
	if a.ExpiredAt != nil {
		w.t.Errorf("assertion %q is closed twice", a.Statement)
	}
	if c.InvalidAt != nil && a.ValidAt != nil && c.InvalidAt.Before(*a.ValidAt) {
		w.t.Errorf("assertion %q ends before it began", a.Statement)
	}
	a.InvalidAt, a.ExpiredAt = c.InvalidAt, &c.ExpiredAt
}

func (w *workspace) Passage(_ context.Context, id string) (*api.Passage, error) {
	if p, ok := w.passages[id]; ok {
		return &p.Passage, nil
	}
	return nil, nil
}

func (w *workspace) HasPassage(_ context.Context, id string) (bool, error) {
	_, ok := w.passages[id]
	return ok, nil
}

func (w *workspace) Entity(_ context.Context, id string) (*api.Entity, error) {
	if e, ok := w.entities[id]; ok {
		return &e, nil
	}
	return nil, nil
}

func (w *workspace) AssertionsFrom(_ context.Context, source, relation string) ([]api.Assertion, error) {
	return w.where(func(a api.Assertion) bool { return a.Source == source && (relation == "" || a.Relation == relation) }), nil
}

func (w *workspace) AssertionsTo(_ context.Context, target, relation string) ([]api.Assertion, error) {
	return w.where(func(a api.Assertion) bool { return a.Target == target && (relation == "" || a.Relation == relation) }), nil
}

func (w *workspace) where(matches func(api.Assertion) bool) []api.Assertion {
	var list []api.Assertion
	for _, a := range w.assertions {
		if matches(a) {
			list = append(list, a)
		}
	}
	return list
}
