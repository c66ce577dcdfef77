package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// hello is the handle of one turn of the user's, "hello".
const hello = "fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"

func helloTurns() []api.Turn { return []api.Turn{{Role: formation.RoleUser, Content: "hello"}} }

const formationJSON = `{"handle": "` + hello + `", "workspace": "notes", "state": "finished",
	"submitted_at": "2025-03-01T09:00:00Z", "finished_at": "2025-03-02T09:00:00Z", "attempts": 1,
	"extractor": {"name": "rules", "version": "1"}, "candidates": [{"id": "ps_1", "kind": "fact", "text": "hello",
	"decision": "rejected", "reason": "greeting", "turns": [0]}],
	"decisions": {"new": 0, "revised": 0, "already_known": 0, "rejected": 1},
	"writes": {"passages": 0, "entities": 0, "assertions": 0, "supersessions": 0},
	"redactions": [{"turn": 0, "kind": "aws_access_key", "count": 2}], "source": {"via": "sdk", "client": {"name": "t", "version": "1"}}}`

func wantFormation() *api.Formation {
	return &api.Formation{
		Handle: hello, Workspace: "notes", State: api.FormationFinished, SubmittedAt: date(1), FinishedAt: at(date(2)),
		Attempts: 1, Extractor: api.Extractor{Name: "rules", Version: "1"},
		Candidates: []api.Candidate{{
			ID: "ps_1", Kind: api.KindFact, Text: "hello", Decision: api.DecisionRejected, Reason: "greeting", Turns: []int{0},
		}},
		Decisions: api.Decisions{Rejected: 1}, Redactions: []api.Redaction{{Turn: 0, Kind: "aws_access_key", Count: 2}},
		Source: &api.Source{Via: "sdk", Client: &api.SourceClient{Name: "t", Version: "1"}},
	}
}

func TestSubmit(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("PUT /v1/workspaces/notes/formations/"+hello, func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"turns": [{"role": "user", "content": "hello"}], "source": {"via": "sdk"}}`)
		reply(202, formationJSON)(w, r)
	})
	got, err := c.Formations.Submit(ctx(t), "notes", api.SubmitFormation{Turns: helloTurns(), Source: &api.Source{Via: "sdk"}})
	wantEqual(t, got, err, wantFormation())
}

// The time is part of the handle, and keeps its offset on the way: the speakers' "yesterday" depends on it.
func TestSubmitObservedAt(t *testing.T) {
	observed := time.Date(2025, time.March, 30, 1, 30, 0, 0, time.FixedZone("", 3600))
	handle := formation.Handle(helloTurns(), &observed)
	if handle == hello {
		t.Fatal("the time is not part of the handle")
	}
	c, mux := setup(t)
	mux.HandleFunc("PUT /v1/workspaces/notes/formations/"+handle, func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"turns": [{"role": "user", "content": "hello"}], "observed_at": "2025-03-30T01:30:00+01:00"}`)
		reply(202, formationJSON)(w, r)
	})
	if _, err := c.Formations.Submit(ctx(t), "notes", api.SubmitFormation{Turns: helloTurns(), ObservedAt: &observed}); err != nil {
		t.Error(err)
	}
}

// Turns that can't be a conversation are refused before anything is sent: encoding them would change them.
func TestTurnsAreChecked(t *testing.T) {
	c, _ := setup(t) // fails the test when it is asked
	for _, tt := range []struct {
		name  string
		turns []api.Turn
		want  error
	}{
		{"none", nil, api.ErrInvalidTurns},
		{"no role", []api.Turn{{Content: "hello"}}, api.ErrInvalidTurns},
		{"invalid UTF-8", []api.Turn{{Role: "user", Content: "\xff"}}, api.ErrInvalidTurns},
		{"blank", []api.Turn{{Role: "user", Content: " \n"}}, api.ErrInvalidTurns},
		{"too long", []api.Turn{{Role: "user", Content: strings.Repeat("a", formation.MaxTurnBytes+1)}}, api.ErrTooLarge},
		{"too many", make([]api.Turn, formation.MaxTurns+1), api.ErrTooLarge},
	} {
		body := api.SubmitFormation{Turns: tt.turns}
		_, submitted := c.Formations.Submit(ctx(t), "notes", body)
		_, planned := c.Formations.Plan(ctx(t), "notes", body)
		for _, err := range []error{submitted, planned} {
			if _, ok := errors.AsType[*formation.TurnError](err); !ok || !errors.Is(err, tt.want) {
				t.Errorf("%s: error = %v, want %v", tt.name, err, tt.want)
			}
		}
	}
}

// RFC 3339 has years of four digits.
func TestSubmitTimeThatCanNotBeWritten(t *testing.T) {
	c, _ := setup(t) // fails the test when it is asked
	far := time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)
	_, err := c.Formations.Submit(ctx(t), "notes", api.SubmitFormation{Turns: helloTurns(), ObservedAt: &far})
	if !errors.Is(err, api.ErrInvalidRequest) {
		t.Errorf("error = %v", err)
	}
}

func TestPlan(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces/notes/formations:plan", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"turns": [{"role": "user", "content": "hello"}]}`)
		reply(200, `{"handle": "`+hello+`", "extractor": {"name": "rules", "version": "1"}, "candidates": [], "redactions": [],
			"decisions": {"new": 1}, "writes": {"passages": 1}}`)(w, r)
	})
	got, err := c.Formations.Plan(ctx(t), "notes", api.SubmitFormation{Turns: helloTurns()})
	wantEqual(t, got, err, &api.Plan{
		Handle: hello, Extractor: api.Extractor{Name: "rules", Version: "1"}, Candidates: []api.Candidate{},
		Redactions: []api.Redaction{}, Decisions: api.Decisions{New: 1}, Writes: api.Writes{Passages: 1},
	})
}

func TestGetFormation(t *testing.T) {
	for _, tt := range []struct {
		wait time.Duration
		want string
	}{
		{0, ""}, {-time.Second, ""}, {time.Millisecond, "wait=1"}, {time.Second, "wait=1"}, {1500 * time.Millisecond, "wait=2"},
		{30 * time.Second, "wait=30"}, {time.Hour, "wait=30"}, {1<<63 - 1, "wait=30"},
	} {
		c, mux := setup(t)
		mux.HandleFunc("GET /v1/workspaces/notes/formations/"+hello, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Prefer"); got != tt.want {
				t.Errorf("waiting %v: Prefer %q, want %q", tt.wait, got, tt.want)
			}
			reply(200, formationJSON)(w, r)
		})
		got, err := c.Formations.GetWait(ctx(t), "notes", hello, tt.wait)
		wantEqual(t, got, err, wantFormation())
	}
}

func TestGetFormationUnknown(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/formations/"+hello, reply(404, `{"code": "not_found"}`))
	if _, err := c.Formations.Get(ctx(t), "notes", hello); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("error = %v", err)
	}
}

// waiting answers requests for a formation, each held for a while, in the given states. The last one repeats.
func waiting(t *testing.T, held time.Duration, asked *int, states ...string) *api.Client {
	t.Helper()
	c, err := api.NewClient("https://example.com", api.WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
		state := states[min(*asked, len(states)-1)]
		*asked++
		select {
		case <-time.After(held):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return answer(r, 200, `{"state": "`+state+`", "error": "because"}`), nil
	})))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWait(t *testing.T) {
	for _, tt := range []struct {
		name    string
		held    time.Duration
		states  []string
		longest time.Duration
	}{
		{"held until it ends", 30 * time.Second, []string{"queued", "running", "running", "finished"}, 120 * time.Second},
		{"failed", 0, []string{"failed"}, 0},
		{"not held", 0, []string{"queued", "running", "running", "running", "running", "running", "finished"}, 13 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, began := 0, time.Now()
				f, err := waiting(t, tt.held, &asked, tt.states...).Formations.Wait(t.Context(), "notes", hello)
				if err != nil || string(f.State) != tt.states[len(tt.states)-1] {
					t.Errorf("%+v, %v", f, err)
				}
				if asked != len(tt.states) || time.Since(began) > tt.longest {
					t.Errorf("asked %d times in %v, want %d in at most %v", asked, time.Since(began), len(tt.states), tt.longest)
				}
			})
		})
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	for name, held := range map[string]time.Duration{"held": 30 * time.Second, "not held": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute+time.Second)
				defer cancel()
				asked := 0
				_, err := waiting(t, held, &asked, "running").Formations.Wait(ctx, "notes", hello)
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error = %v", err)
				}
				if asked > 20 {
					t.Errorf("asked %d times in a minute", asked)
				}
			})
		})
	}
}

func TestListFormations(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/formations", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("state") != "failed" || q.Get("page_size") != "1" {
			t.Errorf("query %s", r.URL.RawQuery)
		}
		if q.Get("page_token") == "" {
			reply(200, `{"formations": [`+formationJSON+`], "next_page_token": "t1"}`)(w, r)
			return
		}
		reply(200, `{"formations": [{"handle": "fm_2"}]}`)(w, r)
	})
	opts := api.FormationListOptions{State: api.FormationFailed, PageSize: 1}
	page, err := c.Formations.List(ctx(t), "notes", opts)
	wantEqual(t, page, err, &api.FormationPage{Formations: []api.Formation{*wantFormation()}, NextPageToken: "t1"})
	var got []string
	for f, err := range c.Formations.All(ctx(t), "notes", opts) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f.Handle)
	}
	wantEqual(t, fmt.Sprint(got), nil, "["+hello+" fm_2]")
}
