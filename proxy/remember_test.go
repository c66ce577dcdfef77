package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

const (
	helloTurns  = `{"turns":[{"role":"user","content":"hello"}]}`
	helloHandle = "fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"
	askHello    = `{"handle":"` + helloHandle + `"}`
)

func TestRememberSendsTheTurnsAndWhoSentThem(t *testing.T) {
	m := newMemoryAPI(t)
	h := start(t, m.options(t))
	h.hello("claude-code")
	r := h.call("1", "remember_conversation", helloTurns)
	if diff := cmp.Diff(map[string]any{"handle": helloHandle, "status": "running"}, r.Structured); diff != "" {
		t.Errorf("the reply (-want +got):\n%s", diff)
	}
	if got := m.seen()[1]; got != "PUT /v1/workspaces/demo/formations/"+helloHandle {
		t.Errorf("the request is %s", got)
	}
	want := `{"turns":[{"role":"user","content":"hello"}],"source":{"via":"mcp","client":{"name":"claude-code","version":"1"}}}`
	if got := strings.TrimSpace(m.bodies[1]); got != want {
		t.Errorf("the body is %s, want %s", got, want)
	}
}

func TestOutcomeOfAFormation(t *testing.T) {
	formed := func(state api.FormationState, writes api.Writes, reason string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			_ = json.NewEncoder(w).Encode(api.Formation{Handle: helloHandle, State: state, Writes: writes, Error: reason, Candidates: []api.Candidate{
				{ID: "p1", Kind: api.KindFact, Text: "hello", Decision: api.DecisionRejected, Reason: "nothing durable", Turns: []int{0}}}})
			return true
		}
	}
	for _, tt := range []struct {
		name    string
		hook    func(http.ResponseWriter, *http.Request) bool
		status  any
		isError bool
		text    string
	}{
		{"queued", formed(api.FormationQueued, api.Writes{}, ""), "running", false, "ask again"},
		{"running", formed(api.FormationRunning, api.Writes{}, ""), "running", false, "ask again"},
		{"finished", formed(api.FormationFinished, api.Writes{Passages: 1}, ""), "finished", false, `"passages":1`},
		{"nothing written", formed(api.FormationFinished, api.Writes{}, ""), "nothing_written", false, "nothing durable"},
		{"failed", formed(api.FormationFailed, api.Writes{Passages: 2}, "the model is gone"), nil, true, "failed for good: the model is gone. Written before that: 2 passages"},
		{"not found", problem(api.CodeNotFound, "no such formation"), nil, true, "did not find it: no such formation."},
		{"of another handle", func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, `{"handle":"fm_x"}`); return true }, nil, true, "does not speak as the memory API does"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemoryAPI(t)
			m.set(&m.outcome, tt.hook)
			h := start(t, m.options(t))
			h.hello("test")
			h.call("1", "remember_conversation", helloTurns)
			r := h.call("2", "formation_outcome", askHello)
			if r.Structured["status"] != tt.status || r.IsError != tt.isError || !strings.Contains(r.Text, tt.text) {
				t.Errorf("got %+v", r)
			}
			if !r.IsError {
				if err := valid(t, resolved(t, "formation_outcome.output"), []byte(r.Text)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestFinalOutcomesAreKept(t *testing.T) {
	m := newMemoryAPI(t)
	h := start(t, m.options(t))
	h.hello("test")
	h.call("1", "remember_conversation", helloTurns)
	first := h.call("2", "formation_outcome", askHello)
	second := h.call("3", "formation_outcome", askHello)
	if diff := cmp.Diff(first, second); diff != "" || first.Structured["status"] != "finished" {
		t.Errorf("asked twice (-first +second):\n%s", diff)
	}
	if n := strings.Count(strings.Join(m.seen(), "\n"), "GET /v1/workspaces/demo/formations/"); n != 1 {
		t.Errorf("the API was asked %d times", n)
	}
}

func TestARestartForgetsHandlesAndSendingAgainResumes(t *testing.T) {
	m := newMemoryAPI(t)
	before := start(t, m.options(t))
	before.hello("test")
	before.call("1", "remember_conversation", helloTurns)
	_ = before.in.Close()
	_ = before.wait()

	h := start(t, m.options(t))
	h.hello("test")
	asked := len(m.seen())
	r := h.call("1", "formation_outcome", askHello)
	if r.Structured["status"] != "unknown_handle" || r.IsError || !strings.Contains(r.Text, "send the conversation again") || !strings.Contains(r.Text, "may well have completed") {
		t.Errorf("after a restart: %+v", r)
	}
	if err := valid(t, resolved(t, "formation_outcome.output"), []byte(r.Text)); err != nil {
		t.Error(err)
	}
	if n := len(m.seen()); n != asked {
		t.Errorf("an unknown handle cost %d requests", n-asked)
	}
	h.call("2", "remember_conversation", helloTurns)
	if r := h.call("3", "formation_outcome", askHello); r.Structured["status"] != "finished" {
		t.Errorf("after sending again: %+v", r)
	}
}

func TestAFailedFormationBeginsAgainWhenItIsSentAgain(t *testing.T) {
	m := newMemoryAPI(t)
	m.set(&m.outcome, func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprintf(w, `{"handle":%q,"state":"failed","error":"gone"}`, helloHandle)
		return true
	})
	h := start(t, m.options(t))
	h.hello("test")
	h.call("1", "remember_conversation", helloTurns)
	if r := h.call("2", "formation_outcome", askHello); !r.IsError {
		t.Errorf("failed: %+v", r)
	}
	m.set(&m.outcome, nil)
	h.call("3", "remember_conversation", helloTurns)
	if r := h.call("4", "formation_outcome", askHello); r.Structured["status"] != "finished" {
		t.Errorf("sent again: %+v", r)
	}
}

func TestRefusedTurnsAreNotTracked(t *testing.T) {
	m := newMemoryAPI(t)
	m.set(&m.submit, problem(api.CodePermissionDenied, "missing permission memory:remember"))
	h := start(t, m.options(t))
	h.hello("test")
	r := h.call("1", "remember_conversation", helloTurns)
	if !r.IsError || !containsAll(r.Text, []string{"Nothing was stored", "memory:remember", "again is safe"}) {
		t.Errorf("refused: %+v", r)
	}
	if r := h.call("2", "formation_outcome", askHello); r.Structured["status"] != "unknown_handle" {
		t.Errorf("the outcome of what was refused: %+v", r)
	}
}

// TestALostAnswerLeavesTheHandleTracked: the connection breaks after the request went out, so that it is not known
// whether the API has the turns.
func TestALostAnswerLeavesTheHandleTracked(t *testing.T) {
	lost := func(w http.ResponseWriter, _ *http.Request) bool {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
		return true
	}
	for _, tt := range []struct {
		name    string
		outcome func(http.ResponseWriter, *http.Request) bool
		want    string
	}{
		{"and it had arrived", nil, `"status":"finished"`},
		{"and it had not", problem(api.CodeNotFound, "no such formation"), "nothing was stored"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemoryAPI(t)
			m.set(&m.submit, lost)
			m.set(&m.outcome, tt.outcome)
			h := start(t, m.options(t))
			h.hello("test")
			r := h.call("1", "remember_conversation", helloTurns)
			if !r.IsError || !strings.Contains(r.Text, "not known whether the turns were stored") || !strings.Contains(r.Text, "can't be reached") {
				t.Errorf("a lost answer: %+v", r)
			}
			if r := h.call("2", "formation_outcome", askHello); !strings.Contains(r.Text, tt.want) {
				t.Errorf("the outcome is %+v, want %q", r, tt.want)
			}
		})
	}
}

func TestLongOutcomesAreCut(t *testing.T) {
	output := resolved(t, "formation_outcome.output")
	r := outcomeReply{Handle: helloHandle, Status: "finished"}
	for i := range 300 {
		r.Candidates = append(r.Candidates, api.Candidate{ID: fmt.Sprint(i), Kind: api.KindFact, Text: strings.Repeat("é\"", 1+i*7%900), Decision: api.DecisionNew, Turns: []int{i}})
	}
	for _, room := range []int{MinReply, 3400, 12_000, MaxReply} {
		result, err := outcomeDocument(r, room)
		if err != nil {
			t.Fatal(err)
		}
		doc := result.text
		if err := valid(t, output, doc); err != nil || len(doc) > room || string(member(doc, "truncated")) != "true" {
			t.Errorf("%d bytes in %d (%v): %s", len(doc), room, err, clip(string(doc), 200))
		}
		n := 0
		elements(member(doc, "candidates"), func([]byte) bool { n++; return true })
		if room >= 3400 && n < 3 {
			t.Errorf("%d candidates in %d bytes", n, room)
		}
	}
}

// TestErrorsAreToldApart: refused, absent, invalid, busy, unreachable and late have words of their own, and none has a
// secret, a URL or a path.
func TestErrorsAreToldApart(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&api.Error{Code: api.CodeUnauthenticated, Detail: "the key has expired"}, "refused the credential: the key has expired."},
		{&api.Error{Code: api.CodePermissionDenied, Detail: "missing permission memory:recall"}, "missing permission memory:recall."},
		{&api.Error{Code: api.CodeNotFound, Detail: "no workspace demo"}, "did not find it: no workspace demo."},
		{&api.Error{Code: api.CodeInvalidTurns, Detail: "odd", Errors: []api.FieldError{{Field: "turns[2].role", Message: "unknown"}}}, "invalid: odd. turns[2].role: unknown."},
		{&api.Error{Code: api.CodeTooLarge, Detail: "over 1 MiB"}, "invalid: over 1 MiB."},
		{&api.Error{Code: api.CodeRateLimited}, "busy"},
		{&api.Error{Code: api.CodeUnavailable}, "busy"},
		{&api.Error{Code: api.CodeInternal, Detail: "secret /path", RequestID: "req-1"}, "failed (its request id is req-1). Try again later."},
		{&api.ConnectionError{Endpoint: "https://secret@host", Err: context.DeadlineExceeded}, "in time"},
		{&api.ConnectionError{Endpoint: "https://secret@host", Err: context.Canceled}, "given up"},
		{fmt.Errorf("%w: %w", api.ErrTooLarge, errors.New("secret")), "invalid: it is not what the API takes."},
		{&api.ConnectionError{Endpoint: "https://secret@host", Err: errors.New("reading /secret/key")}, "its credential can't be read here"},
		{&api.Error{Status: 403, Code: "of_a_later_version", Detail: "not you"}, "refused the credential: not you."},
		{&api.Error{Status: 502, Code: api.CodeUnavailable, Detail: "gateway"}, "busy"},
		{errNotSent, "busy"},
		{errors.New("reading /secret/path"), "does not speak as the memory API does"},
	} {
		got := describe(tt.err)
		if !strings.Contains(got, tt.want) || strings.Contains(got, "secret") {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

func TestAnAPIThatIsGoneIsUnreachable(t *testing.T) {
	m := newMemoryAPI(t)
	h := start(t, m.options(t))
	h.hello("test")
	m.Close()
	for id, call := range map[string][3]string{
		"1": {"recall_memory", `{"query":"x"}`, "Nothing was recalled"}, "2": {"remember_conversation", helloTurns, "again is safe"},
	} {
		r := h.call(id, call[0], call[1])
		if !r.IsError || !strings.Contains(r.Text, "can't be reached") || !strings.Contains(r.Text, call[2]) {
			t.Errorf("%s: %+v", call[0], r)
		}
		if strings.Contains(r.Text, "127.0.0.1") {
			t.Errorf("%s names the address: %s", call[0], r.Text)
		}
	}
}

func TestALateAnswerIsATimeout(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	o := m.options(t)
	o.CallTimeout = 50 * time.Millisecond
	h := start(t, o)
	h.hello("test")
	if r := h.call("1", "recall_memory", `{"query":"x"}`); !r.IsError || !strings.Contains(r.Text, "in time") {
		t.Errorf("got %+v", r)
	}
}

func TestNothingIsSaidToBeStoredOrNotWithoutKnowing(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{&api.Error{Status: 503, Code: api.CodeUnavailable}, true},
		{&api.Error{Status: 403, Code: api.CodePermissionDenied}, true},
		{&api.Error{Status: 504, Code: api.CodeUnavailable}, false},
		{&api.ConnectionError{Err: context.DeadlineExceeded}, false},
		{fmt.Errorf("%w; before that it answered: %w", &api.ConnectionError{Err: context.DeadlineExceeded}, &api.Error{Status: 503, Code: api.CodeUnavailable}), false},
		{fmt.Errorf("%w: too many", api.ErrTooLarge), true},
		{errNotSent, true},
		{errUnreadable, false},
	} {
		if got := wasNotStored(tt.err); got != tt.want {
			t.Errorf("%v: %t, want %t", tt.err, got, tt.want)
		}
		if got := strings.Contains(submissionFailed(tt.err), "not known"); got == tt.want {
			t.Errorf("%v: %s", tt.err, submissionFailed(tt.err))
		}
	}
}

func TestCallsBeyondTheLimitWaitForTheirTurn(t *testing.T) {
	tools := newTools(Options{}, &era{}, newWork())
	for range maxConcurrent {
		if _, ok := tools.acquire(context.Background()); !ok {
			t.Fatal("no turn though there is room")
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, ok := tools.acquire(ctx); ok {
		t.Error("one turn too many")
	}
	tools.tracker.Begin(helloHandle)
	tools.sending.stop()
	if err := tools.send(helloHandle, []formation.Turn{{Role: "user", Content: "hello"}}, peer{}); !errors.Is(err, errNotSent) {
		t.Errorf("a submission that got no turn: %v", err)
	}
	if _, _, ok := tools.tracker.Get(helloHandle); ok {
		t.Error("it is tracked though it was never sent")
	}
}
