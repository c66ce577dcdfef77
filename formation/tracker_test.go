package formation_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/lukasa-dev/lukasa/formation"
)

func wantState(t *testing.T, tr *formation.Tracker[string], handle string, want formation.State, outcome string) {
	t.Helper()
	state, got, ok := tr.Get(handle)
	if state != want || got != outcome || ok != (want != "") {
		t.Errorf("Get(%s) = %q, %q, %v; want %q, %q", handle, state, got, ok, want, outcome)
	}
}

func TestTrackerLifecycle(t *testing.T) {
	tr := formation.NewTracker[string](0)
	wantState(t, tr, "a", "", "")
	if got := tr.Begin("a"); got != formation.StateSubmitting {
		t.Errorf("Begin = %q", got)
	}
	tr.Accepted("a")
	wantState(t, tr, "a", formation.StateRunning, "")
	tr.End("a", formation.StateRunning, "not final")
	wantState(t, tr, "a", formation.StateRunning, "")
	tr.End("a", formation.StateFinished, "two passages")
	wantState(t, tr, "a", formation.StateFinished, "two passages")

	// The same conversation again: what is known stays known, whether or not the API takes it.
	if got := tr.Begin("a"); got != formation.StateFinished {
		t.Errorf("Begin of a finished handle = %q", got)
	}
	tr.Refused("a")
	wantState(t, tr, "a", formation.StateFinished, "two passages")

	tr.End("unknown", formation.StateFinished, "x")
	tr.Accepted("unknown")
	tr.Refused("unknown")
	wantState(t, tr, "unknown", "", "")
}

func TestTrackerRefused(t *testing.T) {
	tr := formation.NewTracker[string](0)
	tr.Begin("a")
	tr.Refused("a")
	wantState(t, tr, "a", "", "")

	// Sent twice at once, refused once, accepted once, in either order.
	tr.Begin("a")
	tr.Begin("a")
	tr.Refused("a")
	wantState(t, tr, "a", formation.StateSubmitting, "")
	tr.Accepted("a")
	wantState(t, tr, "a", formation.StateRunning, "")
	tr.Begin("b")
	tr.Begin("b")
	tr.Accepted("b")
	tr.Refused("b")
	wantState(t, tr, "b", formation.StateRunning, "")
}

func TestTrackerFailedBeginsAgain(t *testing.T) {
	tr := formation.NewTracker[string](0)
	tr.Begin("a")
	tr.Accepted("a")
	tr.End("a", formation.StateFailed, "model is away")
	if got := tr.Begin("a"); got != formation.StateSubmitting {
		t.Errorf("Begin of a failed handle = %q", got)
	}
	wantState(t, tr, "a", formation.StateSubmitting, "")
}

func TestTrackerBound(t *testing.T) {
	tr := formation.NewTracker[string](3)
	for i := range 3 {
		tr.Begin(fmt.Sprint(i))
	}
	tr.End("1", formation.StateFinished, "one")
	tr.End("0", formation.StateFinished, "zero")
	tr.Begin("3") // 1 became final first, so it leaves first
	wantState(t, tr, "1", "", "")
	wantState(t, tr, "0", formation.StateFinished, "zero")
	tr.Begin("4")
	wantState(t, tr, "0", "", "")
	tr.Begin("5") // nothing final is left: the oldest open one leaves
	wantState(t, tr, "2", "", "")
	if tr.Len() != 3 {
		t.Errorf("Len = %d, want 3", tr.Len())
	}
}

func TestTrackerConcurrent(t *testing.T) {
	tr := formation.NewTracker[string](50)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				h := fmt.Sprint((g*31 + i) % 120)
				tr.Begin(h)
				if i%5 == 0 {
					tr.Refused(h)
					continue
				}
				tr.Accepted(h)
				tr.End(h, formation.StateFinished, h)
				if _, outcome, ok := tr.Get(h); ok && outcome != "" && outcome != h {
					t.Errorf("the outcome of %s is %s", h, outcome)
				}
			}
		})
	}
	wg.Wait()
	if tr.Len() > 50 {
		t.Errorf("Len = %d, over the limit", tr.Len())
	}
}
