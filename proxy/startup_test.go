package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestRefusedAtStart(t *testing.T) {
	text := func(s string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, s); return true }
	}
	for _, tt := range []struct {
		name   string
		hook   func(http.ResponseWriter, *http.Request) bool
		create func(http.ResponseWriter, *http.Request) bool
		asked  bool // for --create
		reason Refusal
		code   int
		want   string
		hint   string
	}{
		{name: "unknown key", hook: problem(api.CodeUnauthenticated, "the key has expired"), reason: RefusedCredential, code: 4, want: "the key has expired", hint: "`lukasa login --api https://memory.example.com`"},
		{name: "not covered", hook: problem(api.CodePermissionDenied, "the selectors don't cover demo"), reason: RefusedCredential, code: 4, want: `refuses workspace "demo"`, hint: "lukasa whoami"},
		{name: "absent", hook: problem(api.CodeNotFound, "no such workspace"), reason: RefusedAbsent, code: 1,
			want: `workspace "demo" does not exist at https://memory.example.com`, hint: "create it with `lukasa workspace create demo`, or pass --create"},
		{name: "may not create", hook: problem(api.CodeNotFound, "x"), create: problem(api.CodePermissionDenied, "missing permission workspaces:create"), asked: true,
			reason: RefusedCredential, code: 4, want: "workspaces:create"},
		{name: "a name that is none", hook: problem(api.CodeInvalidRequest, "no name"), reason: RefusedAbsent, code: 1, want: "no name", hint: "--workspace"},
		{name: "down", hook: problem(api.CodeUnavailable, "down"), reason: RefusedUnreachable, code: 1, want: "(503): down"},
		{name: "another program", hook: text("hello"), reason: RefusedAnswer, code: 1, want: "does not answer as a lukasa memory API does", hint: "--api"},
		{name: "another program's JSON", hook: text(`"hello"`), reason: RefusedAnswer, code: 1, want: "does not answer as"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemoryAPI(t)
			m.set(&m.check, tt.hook)
			m.set(&m.create, tt.create)
			o := m.options(t)
			o.Create = tt.asked
			h := start(t, o)
			h.send(ping)
			err := h.wait()
			var refused *StartupError
			if !errors.As(err, &refused) {
				t.Fatalf("Run: %v", err)
			}
			if refused.Reason != tt.reason || refused.ExitCode() != tt.code || !strings.Contains(refused.Error(), tt.want) || !strings.Contains(refused.Hint, tt.hint) || refused.Hint == "" {
				t.Errorf("got %s (%d): %s\nhint: %s", refused.Reason, refused.ExitCode(), refused, refused.Hint)
			}
			if refused.Unwrap() == nil {
				t.Error("the cause is lost")
			}
			if len(h.all()) != 0 {
				t.Errorf("answered before the check had passed: %q", h.all())
			}
		})
	}
}

func TestAnAPIThatDoesNotAnswerAtStart(t *testing.T) {
	for name, prepare := range map[string]func(m *memoryAPI) func(){
		"hangs": func(m *memoryAPI) func() { hook, release := held(); m.set(&m.check, hook); return release },
		"gone":  func(m *memoryAPI) func() { m.Close(); return func() {} },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemoryAPI(t)
			defer prepare(m)()
			o := m.options(t)
			o.StartupTimeout = 100 * time.Millisecond
			err := start(t, o).wait()
			var refused *StartupError
			if !errors.As(err, &refused) || refused.Reason != RefusedUnreachable || refused.ExitCode() != 1 {
				t.Fatalf("Run: %v", err)
			}
			if strings.Contains(refused.Error(), "127.0.0.1") {
				t.Errorf("the message has the cause's text: %s", refused)
			}
		})
	}
}

func TestNothingIsAnsweredBeforeTheCheckHasPassed(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.check, hook)
	h := start(t, m.options(t))
	h.send("junk\n" + ping) // it reads
	m.waitFor(t, "GET", 1)
	time.Sleep(20 * time.Millisecond)
	if got := h.all(); len(got) != 0 {
		t.Errorf("answered %q", got)
	}
	release()
	h.line(`"id":"ping","result":{}`)
	if diff := cmp.Diff([]string{"GET /v1/workspaces/demo"}, m.seen()); diff != "" {
		t.Errorf("requests at start (-want +got):\n%s", diff)
	}
}

func TestASignalEndsAStartThatHangs(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.check, hook)
	h := start(t, m.options(t))
	m.waitFor(t, "GET", 1)
	h.stop()
	if err := h.wait(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestCreateMakesAnAbsentWorkspace(t *testing.T) {
	for name, create := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"alone": nil, "while another server does": problem(api.CodeAlreadyExists, "it is there"),
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemoryAPI(t)
			m.set(&m.check, problem(api.CodeNotFound, "no such workspace"))
			m.set(&m.create, create)
			o := m.options(t)
			o.Create = true
			h := start(t, o)
			h.hello("test")
			if diff := cmp.Diff([]string{"GET /v1/workspaces/demo", "POST /v1/workspaces"}, m.seen()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStderrIsQuietUnlessAsked(t *testing.T) {
	for level, want := range map[slog.Level]int{slog.LevelWarn: 0, slog.LevelInfo: 1} {
		var stderr syncBuffer
		o := newMemoryAPI(t).options(t)
		o.Stderr = &stderr
		o.Logger = slog.New(slog.NewTextHandler(&stderr, &slog.HandlerOptions{Level: level}))
		h := start(t, o)
		h.hello("test")
		h.call("1", "recall_memory", `{"query":"x"}`)
		_ = h.in.Close()
		_ = h.wait()
		if got := strings.Count(stderr.String(), "\n"); got != want {
			t.Errorf("at %s: %q, want %d lines", level, stderr.String(), want)
		}
	}
}

func TestTheEmbeddedMemoryHasAName(t *testing.T) {
	err := startupError(Options{Workspace: "demo", Endpoint: "local"}, &api.Error{Code: api.CodeNotFound})
	if got := err.Error(); got != `workspace "demo" does not exist in the memory of this machine` {
		t.Errorf("got %q", got)
	}
}

func TestACredentialThatCantBeReadIsNamed(t *testing.T) {
	err := startupError(Options{Workspace: "demo", Endpoint: "https://memory.example.com"}, &api.ConnectionError{Err: errors.New("reading key.txt: it is gone")})
	if err.Reason != RefusedUnreachable || !strings.Contains(err.Error(), "could not be called: reading key.txt") || !strings.Contains(err.Hint, "whoami") {
		t.Errorf("got %+v", err)
	}
}

func TestDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	if o.StartupTimeout != 5*time.Second || o.CallTimeout != 30*time.Second || o.DrainTimeout != 30*time.Second || o.Stderr == nil {
		t.Errorf("got %+v", o)
	}
	o.Logger.Log(context.Background(), slog.LevelError, "goes nowhere")
}
