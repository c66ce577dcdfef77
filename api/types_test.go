package api_test

import (
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestCountDecisions(t *testing.T) {
	got := api.CountDecisions([]api.Candidate{
		{Decision: api.DecisionNew}, {Decision: api.DecisionNew}, {Decision: api.DecisionRevised},
		{Decision: api.DecisionAlreadyKnown}, {Decision: api.DecisionRejected}, {Decision: api.DecisionRejected},
		{Decision: api.DecisionRejected}, {Decision: "of_tomorrow"},
	})
	wantEqual(t, got, nil, api.Decisions{New: 2, Revised: 1, AlreadyKnown: 1, Rejected: 3})
}

func TestWritesTotal(t *testing.T) {
	if got := (api.Writes{Passages: 1, Entities: 20, Assertions: 300, Supersessions: 4000}).Total(); got != 4321 {
		t.Errorf("Total() = %d, want 4321", got)
	}
}

func TestFormationStateEnded(t *testing.T) {
	for state, want := range map[api.FormationState]bool{
		api.FormationQueued: false, api.FormationRunning: false, api.FormationFinished: true, api.FormationFailed: true, "": false,
	} {
		if got := state.Ended(); got != want {
			t.Errorf("%q.Ended() = %v", state, got)
		}
	}
}
