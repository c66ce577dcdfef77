package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
	"github.com/lukasa-dev/lukasa/formation"
)

// start is when the tests' clock begins.
var start = time.Date(2025, time.March, 3, 10, 0, 0, 0, time.UTC)

const (
	owner = "worker"
	term  = time.Minute // of a lease
)

// fixture is a store with a clock of its own and short ways to fill it.
type fixture struct {
	memory.Store
	now time.Time
}

// tick moves the clock by a second and returns it.
func (f *fixture) tick() time.Time {
	f.now = f.now.Add(time.Second)
	return f.now
}

func (f *fixture) workspace(t *testing.T, name string) {
	t.Helper()
	if _, err := f.CreateWorkspace(t.Context(), name, "", f.tick()); err != nil {
		t.Fatalf("creating workspace %s: %v", name, err)
	}
}

// conversation is a submission with a turn of the user for each text.
func conversation(at time.Time, texts ...string) memory.Submission {
	s := memory.Submission{SubmittedAt: at}
	for _, text := range texts {
		s.Turns = append(s.Turns, api.Turn{Role: formation.RoleUser, Content: text})
	}
	s.Handle = formation.Handle(s.Turns, nil)
	return s
}

func (f *fixture) submit(t *testing.T, ws string, texts ...string) memory.Submission {
	t.Helper()
	s := conversation(f.tick(), texts...)
	if _, accepted, err := f.Submit(t.Context(), ws, s); err != nil || !accepted {
		t.Fatalf("submitting to %s: accepted %v, %v", ws, accepted, err)
	}
	return s
}

func (f *fixture) lease(t *testing.T) *memory.Job {
	t.Helper()
	job, err := f.Lease(t.Context(), owner, f.tick(), f.now.Add(term))
	if err != nil {
		t.Fatalf("leasing: %v", err)
	}
	return job
}

// remember submits texts as one conversation and forms it: a passage for each. It returns the handle and the ids.
func (f *fixture) remember(t *testing.T, ws string, texts ...string) (handle string, ids []string) {
	t.Helper()
	return f.form(t, ws, memory.Outcome{}, texts...)
}

// form is remember with more to write: what o has beside the passages.
func (f *fixture) form(t *testing.T, ws string, o memory.Outcome, texts ...string) (handle string, ids []string) {
	t.Helper()
	s := f.submit(t, ws, texts...)
	job := f.lease(t)
	if job.Handle != s.Handle || job.Workspace != ws {
		t.Fatalf("leased %s of %s, want %s of %s: something was left in the queue", job.Handle, job.Workspace, s.Handle, ws)
	}
	own := passagesOf(s, f.now)
	for _, p := range own.Passages {
		ids = append(ids, p.ID)
	}
	o.Passages = append(own.Passages, o.Passages...)
	o.Candidates = append(own.Candidates, o.Candidates...)
	if err := f.Form(t.Context(), job, f.tick(), always(o)); err != nil {
		t.Fatalf("forming in %s: %v", ws, err)
	}
	return s.Handle, ids
}

// passagesOf is the outcome that has a passage for each turn, said at a time.
func passagesOf(s memory.Submission, at time.Time) memory.Outcome {
	var o memory.Outcome
	for i, turn := range s.Turns {
		id := memory.PassageID(string(turn.Role), turn.Content)
		o.Passages = append(o.Passages, memory.NewPassage{Passage: api.Passage{
			ID: id, Text: turn.Content, Role: string(turn.Role), Turn: i, Formation: s.Handle, SaidAt: at,
		}})
		o.Candidates = append(o.Candidates, api.Candidate{
			ID: id, Kind: api.KindFact, Text: turn.Content, Decision: api.DecisionNew, Turns: []int{i},
		})
	}
	for i := range o.Passages {
		if i > 0 {
			o.Passages[i].Prev = o.Passages[i-1].ID
		}
		if i+1 < len(o.Passages) {
			o.Passages[i].Next = o.Passages[i+1].ID
		}
	}
	return o
}

func always(o memory.Outcome) memory.Decide {
	return func(context.Context, memory.Held) (memory.Outcome, error) { return o, nil }
}

func entity(name string) api.Entity {
	return api.Entity{ID: memory.EntityID(name), Name: name, Kind: "thing"}
}

// assertion says that source relates to target since at, on the evidence of what the user said.
func assertion(id string, at time.Time, source, relation, target, evidence string) api.Assertion {
	return api.Assertion{
		ID: id, Source: memory.EntityID(source), Relation: relation, Target: memory.EntityID(target),
		Statement: source + " " + relation + " " + target, ValidAt: &at, AssertedAt: at,
		Passage: memory.PassageID("user", evidence),
	}
}

// find returns the texts that a query finds.
func (f *fixture) find(t *testing.T, ws, query string) []string {
	t.Helper()
	list, err := f.Search(t.Context(), ws, search.ParseQuery(query), 50, nil)
	if err != nil {
		t.Fatalf("searching %s for %q: %v", ws, query, err)
	}
	texts := []string{}
	for _, p := range list {
		texts = append(texts, p.Text)
	}
	return texts
}

func (f *fixture) counts(t *testing.T, ws string) api.WorkspaceCounts {
	t.Helper()
	w, err := f.Workspace(t.Context(), ws)
	if err != nil || w.Counts == nil {
		t.Fatalf("reading workspace %s: counts %v, %v", ws, w.Counts, err)
	}
	return *w.Counts
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// allPages follows a list to its end and fails when a page but the last isn't full.
func allPages[T any](t *testing.T, size int, list func(memory.Page) ([]T, string, error)) []T {
	t.Helper()
	var all []T
	after := ""
	for range 1000 {
		part, next, err := list(memory.Page{Size: size, After: after})
		if err != nil {
			t.Fatalf("listing after %q: %v", after, err)
		}
		all = append(all, part...)
		if next == "" {
			return all
		}
		if len(part) != size {
			t.Fatalf("a page of %d entries, want %d, although there are more", len(part), size)
		}
		after = next
	}
	t.Fatal("the list has no end")
	return nil
}

// numbered returns n texts that share the word "number".
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("number word%d", i)
	}
	return texts
}

func ptr[T any](v T) *T { return &v }
