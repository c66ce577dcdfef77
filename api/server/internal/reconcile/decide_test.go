package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/reconcile"
	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
)

var errStore = errors.New("the store is gone")

// empty is a workspace that holds nothing; the n-th look at it fails.
type empty struct{ failing, looks int }

func (e *empty) look() error {
	if e.looks++; e.looks == e.failing {
		return errStore
	}
	return nil
}

func (e *empty) Passage(context.Context, string) (*api.Passage, error) { return nil, e.look() }
func (e *empty) HasPassage(context.Context, string) (bool, error)      { return false, e.look() }
func (e *empty) Entity(context.Context, string) (*api.Entity, error)   { return nil, e.look() }
func (e *empty) AssertionsFrom(context.Context, string, string) ([]api.Assertion, error) {
	return nil, e.look()
}
func (e *empty) AssertionsTo(context.Context, string, string) ([]api.Assertion, error) {
	return nil, e.look()
}

func input() reconcile.Input {
	turns := []api.Turn{{Role: "user", Content: "I live in Oslo. Olaf took over the billing service."}}
	return reconcile.Input{
		Handle: "fm_x", ObservedAt: time.Date(2025, 6, 1, 10, 0, 0, 999, time.FixedZone("", 3600)), Dated: true,
		Now: time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC), Segments: segment.Turns(turns),
		Claims: []extract.Claim{
			{
				Start: 0, End: 15, Source: extract.Thing{Name: "user", Kind: extract.KindPerson}, Relation: extract.LivesIn,
				Target: extract.Thing{Name: "Oslo", Kind: extract.KindPlace}, Statement: "user lives in Oslo",
			},
			{
				Start: 16, End: 51, Source: extract.Thing{Name: "Olaf", Kind: extract.KindPerson}, Relation: extract.Owns, Cue: true,
				Target: extract.Thing{Name: "billing service", Kind: extract.KindThing}, Statement: "Olaf owns billing service",
			},
		},
		Extractor: api.Extractor{Name: "test", Version: "1"},
	}
}

func TestDecideIsDeterministic(t *testing.T) {
	first, err := reconcile.Decide(t.Context(), &empty{}, input())
	if err != nil {
		t.Fatal(err)
	}
	second, err := reconcile.Decide(t.Context(), &empty{}, input())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
}

func TestWhatIsWritten(t *testing.T) {
	out, err := reconcile.Decide(t.Context(), &empty{}, input())
	if err != nil {
		t.Fatal(err)
	}
	said := time.Date(2025, 6, 1, 9, 0, 0, 0, time.UTC)
	passage := memory.PassageID("user", "I live in Oslo. Olaf took over the billing service.")
	want := memory.Outcome{
		Extractor: api.Extractor{Name: "test", Version: "1"},
		Candidates: []api.Candidate{
			{ID: passage, Kind: api.KindFact, Text: "I live in Oslo. Olaf took over the billing service.", Decision: api.DecisionNew, Turns: []int{0}},
			{
				ID: memory.AssertionID("fm_x", 0), Kind: api.KindRelationship, Text: "user lives in Oslo", Source: "user", Relation: "lives_in",
				Target: "Oslo", Decision: api.DecisionNew, Turns: []int{0},
			},
			{
				ID: memory.AssertionID("fm_x", 1), Kind: api.KindRelationship, Text: "Olaf owns billing service", Source: "Olaf", Relation: "owns",
				Target: "billing service", Decision: api.DecisionNew, Turns: []int{0},
			},
		},
		Passages: []memory.NewPassage{{Passage: api.Passage{
			ID: passage, Text: "I live in Oslo. Olaf took over the billing service.", Role: "user", Formation: "fm_x", SaidAt: said,
		}}},
		Entities: []api.Entity{
			{ID: memory.EntityID("user"), Name: "user", Kind: "person"}, {ID: memory.EntityID("Oslo"), Name: "Oslo", Kind: "place"},
			{ID: memory.EntityID("Olaf"), Name: "Olaf", Kind: "person"}, {ID: memory.EntityID("billing service"), Name: "billing service", Kind: "thing"},
		},
		Assertions: []api.Assertion{
			{
				ID: memory.AssertionID("fm_x", 0), Source: memory.EntityID("user"), Relation: "lives_in", Target: memory.EntityID("Oslo"),
				Statement: "user lives in Oslo", ValidAt: &said, AssertedAt: time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC), Passage: passage,
			},
			{
				ID: memory.AssertionID("fm_x", 1), Source: memory.EntityID("Olaf"), Relation: "owns", Target: memory.EntityID("billing service"),
				Statement: "Olaf owns billing service", ValidAt: &said, AssertedAt: time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC), Passage: passage,
			},
		},
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
}

// Whichever look at the store fails, the error comes through and nothing is decided.
func TestErrorsOfTheStoreComeThrough(t *testing.T) {
	all := &empty{}
	if _, err := reconcile.Decide(t.Context(), all, input()); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= all.looks; n++ {
		out, err := reconcile.Decide(t.Context(), &empty{failing: n}, input())
		if !errors.Is(err, errStore) || out.Candidates != nil {
			t.Errorf("look %d: error %v, %d candidates", n, err, len(out.Candidates))
		}
	}
}
