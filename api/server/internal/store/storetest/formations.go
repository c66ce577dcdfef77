package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/formation"
)

func testSubmit(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := conversation(f.tick(), "I live in Utrecht")
	s.Redactions = []api.Redaction{{Turn: 0, Kind: "aws_access_key", Count: 2}}
	s.Source = &api.Source{Via: "mcp", Client: &api.SourceClient{Name: "claude", Version: "1"}}
	want := api.Formation{
		Handle: s.Handle, Workspace: "demo", State: api.FormationQueued, SubmittedAt: s.SubmittedAt,
		Candidates: []api.Candidate{}, Redactions: s.Redactions, Source: s.Source,
	}
	got, accepted, err := f.Submit(t.Context(), "demo", s)
	if err != nil || !accepted {
		t.Fatalf("submitting: accepted %v, %v", accepted, err)
	}
	wantEqual(t, "what was submitted", got, want)
	read, err := f.Formation(t.Context(), "demo", s.Handle)
	wantErr(t, "reading it", err, nil)
	wantEqual(t, "what is read", read, want)

	again := s
	again.SubmittedAt = f.tick()
	for _, state := range []api.FormationState{api.FormationQueued, api.FormationRunning, api.FormationFinished} {
		got, accepted, err := f.Submit(t.Context(), "demo", again)
		if err != nil || accepted || got.State != state || !got.SubmittedAt.Equal(s.SubmittedAt) {
			t.Errorf("submitting again while %s: %+v, accepted %v, %v", state, got, accepted, err)
		}
		switch state {
		case api.FormationQueued:
			f.lease(t)
		case api.FormationFinished, api.FormationFailed: // the last of them has nowhere to go
		case api.FormationRunning:
			job := &memory.Job{Submission: s, Workspace: "demo", Owner: owner, Attempt: 1}
			wantErr(t, "forming", f.Form(t.Context(), job, f.tick(), always(passagesOf(s, f.now))), nil)
		}
	}
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 1, Formations: 1})
}

func testSubmitKeepsOffset(t *testing.T, f *fixture) {
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 2*3600), time.FixedZone("", -(9*3600 + 1800))} {
		at := time.Date(2025, 3, 30, 1, 30, 0, 250000000, zone)
		name := fmt.Sprintf("w%d", f.tick().Unix())
		f.workspace(t, name)
		s := conversation(f.now, "yesterday")
		s.ObservedAt, s.Handle = &at, formation.Handle(s.Turns, &at)
		if _, _, err := f.Submit(t.Context(), name, s); err != nil {
			t.Fatal(err)
		}
		job := f.lease(t)
		if job.ObservedAt == nil || job.ObservedAt.Format(time.RFC3339Nano) != at.Format(time.RFC3339Nano) {
			t.Errorf("observed at %v, want %v", job.ObservedAt, at)
		}
		if job.SubmittedAt != s.SubmittedAt {
			t.Errorf("submitted at %v, want %v", job.SubmittedAt, s.SubmittedAt)
		}
	}
}

func testSubmitFailedAgain(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := f.submit(t, "demo", "first try", "with [redacted:x]")
	wantErr(t, "failing", f.Fail(t.Context(), f.lease(t), "the model is away", f.tick()), nil)
	failed, err := f.Formation(t.Context(), "demo", s.Handle)
	if err != nil || failed.State != api.FormationFailed || failed.Error != "the model is away" {
		t.Fatalf("a failed formation reads %+v, %v", failed, err)
	}
	wantEqual(t, "finished", failed.FinishedAt, ptr(f.now))

	again := s
	again.Turns = []api.Turn{{Role: formation.RoleUser, Content: "redacted better"}}
	again.Redactions = []api.Redaction{{Turn: 0, Kind: "y", Count: 1}}
	again.SubmittedAt = f.tick()
	got, accepted, err := f.Submit(t.Context(), "demo", again)
	if err != nil || !accepted || got.State != api.FormationQueued || got.Error != "" || got.FinishedAt != nil {
		t.Fatalf("submitting a failed one again: %+v, accepted %v, %v", got, accepted, err)
	}
	job := f.lease(t)
	wantEqual(t, "turns of the second try", job.Turns, again.Turns)
	wantEqual(t, "redactions of the second try", job.Redactions, again.Redactions)
	wantEqual(t, "attempt", job.Attempt, 1)
	wantErr(t, "forming", f.Form(t.Context(), job, f.tick(), always(passagesOf(again, f.now))), nil)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 1, Formations: 1})
}

func testFormations(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.workspace(t, "other")
	f.remember(t, "other", "elsewhere")
	states := []api.FormationState{api.FormationFinished, api.FormationFailed, api.FormationFinished, api.FormationQueued}
	byState := make(map[api.FormationState][]string)
	for i := range 8 {
		state := states[i%len(states)]
		handle := f.endIn(t, state, fmt.Sprintf("text %d", i))
		for _, s := range []api.FormationState{"", state} {
			byState[s] = append([]string{handle}, byState[s]...)
		}
	}
	for state, want := range byState {
		for _, size := range []int{1, 2, 3, 100} {
			list := allPages(t, size, func(p memory.Page) ([]api.Formation, string, error) {
				return f.Formations(t.Context(), "demo", state, p)
			})
			var got []string
			for _, one := range list {
				got = append(got, one.Handle)
			}
			wantEqual(t, fmt.Sprintf("state %q in pages of %d", state, size), got, want)
		}
	}
	none, next, err := f.Formations(t.Context(), "demo", api.FormationRunning, memory.Page{Size: 1})
	if err != nil || next != "" || none == nil || len(none) != 0 {
		t.Errorf("those that run: %v, next %q, %v; want an empty list", none, next, err)
	}
	_, next, err = f.Formations(t.Context(), "demo", "", memory.Page{Size: 1})
	wantErr(t, "listing", err, nil)
	_, _, err = f.Formations(t.Context(), "demo", api.FormationQueued, memory.Page{Size: 1, After: next})
	wantErr(t, "a cursor of the list of all in the list of one state", err, memory.ErrBadCursor)
}

// endIn submits a conversation and takes it to a state. One that is queued is put off, out of the others' way.
func (f *fixture) endIn(t *testing.T, state api.FormationState, text string) string {
	t.Helper()
	s := f.submit(t, "demo", text)
	job := f.lease(t)
	var err error
	switch state {
	case api.FormationRunning: // as it is
	case api.FormationFinished:
		err = f.Form(t.Context(), job, f.tick(), always(passagesOf(s, f.now)))
	case api.FormationFailed:
		err = f.Fail(t.Context(), job, "no", f.tick())
	case api.FormationQueued:
		err = f.Postpone(t.Context(), job, "later", f.now.Add(time.Hour))
	}
	if err != nil {
		t.Fatalf("ending as %s: %v", state, err)
	}
	return s.Handle
}
