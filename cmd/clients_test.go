package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// bounded is a context for a whole session.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestClients has each client go through what an agent does, twice: the second session finds what the first remembered.
func TestClients(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, kind clientKind) {
		m := newMachine(t)
		m.ok("", "workspace", "create", "demo")
		c, ctx := kind.start(m), bounded(t)
		const home = "I live in Utrecht."
		for _, session := range []struct{ text, about string }{
			{home, "where do I live"},
			{"The staging cluster is called heron.", "utrecht"},
		} {
			if err := c.connect(ctx, "lukasa-test", "--workspace", "demo"); err != nil {
				t.Fatal(err)
			}
			m.awaitAgents(1, 5*time.Second)
			if o, err := outcomeFor(ctx, c, formation.Handle(turns(home), nil)); err != nil || o.Status != "unknown_handle" {
				t.Errorf("the outcome of what this session did not submit is %+v, %v, want unknown_handle", o, err)
			}
			converse(ctx, t, c, session.text, session.about)
			refusals(ctx, t, c)
			if err := c.close(ctx); err != nil {
				t.Errorf("closing: %v", err)
			}
			m.awaitAgents(0, time.Second)
		}
		if c.stderr() != "" {
			t.Errorf("standard error is not quiet: %s", c.stderr())
		}
	})
}

// converse lists the tools, and remembers and recalls with them. What is recalled is in Utrecht.
func converse(ctx context.Context, t *testing.T, c client, text, about string) {
	t.Helper()
	tools, err := c.tools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"formation_outcome", "recall_memory", "remember_conversation"}; !slices.Equal(names, want) {
		t.Errorf("tools are %q, want %q", names, want)
	}
	accepted, err := rememberedBy(ctx, c, text)
	if err != nil {
		t.Fatal(err)
	}
	if want := formation.Handle(turns(text), nil); accepted.Handle != want || accepted.Status != "running" {
		t.Errorf("remember_conversation returned %+v, want %s, running", accepted, want)
	}
	o, err := outcomeFor(ctx, c, accepted.Handle)
	if err != nil {
		t.Fatal(err)
	}
	if o.Status != "finished" || o.Decisions.New == 0 || len(o.Candidates) == 0 {
		t.Errorf("outcome = %+v, want a finished one with new candidates", o)
	}
	r, err := callFor[api.Recall](ctx, c, "recall_memory", map[string]any{"query": about})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Passages) == 0 || r.Passages[0].Text != "I live in Utrecht." {
		t.Errorf("recalled %+v", r.Passages)
	}
}

// refusals makes calls that are not carried out: with arguments that are refused, and of a tool that isn't there.
func refusals(ctx context.Context, t *testing.T, c client) {
	t.Helper()
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"recall_memory", map[string]any{"query": "utrecht", "limit": 51}, "limit"},
		{"recall_memory", map[string]any{"query": "utrecht", "workspace": "other"}, "workspace"},
		{"recall_memory", map[string]any{}, "query"},
		{"remember_conversation", map[string]any{"turns": []any{}}, "turns"},
		{"formation_outcome", map[string]any{"handle": 5}, "handle"},
	} {
		result, err := c.call(ctx, tt.tool, tt.arguments, 0)
		if err != nil {
			t.Errorf("%s(%v): %v, want a result that says what is wrong", tt.tool, tt.arguments, err)
		} else if !result.IsError || !strings.Contains(textOf(result), tt.want) {
			t.Errorf("%s(%v): error %t, %q, want an error that names %s", tt.tool, tt.arguments, result.IsError, textOf(result), tt.want)
		}
	}
	if _, err := c.call(ctx, "forget_everything", map[string]any{}, 0); errorCode(err) != "-32602" {
		t.Errorf("an unknown tool gives %v, want an error with code -32602", err)
	}
}

// errorCode is the protocol's code in what a client says went wrong.
func errorCode(err error) string {
	var wire *jsonrpc.Error
	var thrown *driverError
	switch {
	case errors.As(err, &wire):
		return strconv.FormatInt(wire.Code, 10)
	case errors.As(err, &thrown):
		return thrown.Code
	}
	return ""
}

// TestClientsCallAllAtOnce makes many calls at the same time. Each gets its own answer.
func TestClientsCallAllAtOnce(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, kind clientKind) {
		m := newMachine(t)
		c, ctx := kind.start(m), bounded(t)
		if err := c.connect(ctx, "lukasa-test", "--workspace", "demo", "--create"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.tools(ctx); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 60 {
			text := fmt.Sprintf("Pier %d has %d bollards.", i, 3*i)
			wg.Go(func() {
				if accepted, err := rememberedBy(ctx, c, text); err != nil || accepted.Handle != formation.Handle(turns(text), nil) {
					t.Errorf("remembering %q returned %+v, %v", text, accepted, err)
				}
			})
			wg.Go(func() {
				result, err := c.call(ctx, "formation_outcome", map[string]any{"handle": i}, 0)
				if err != nil || !result.IsError {
					t.Errorf("a handle that is a number gives %+v, %v, want a refusal", result, err)
				}
			})
		}
		wg.Wait()
		if err := c.close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
		m.awaitAgents(0, time.Second)
	})
}

// TestClientsSeeARefusedStart pins a server to a workspace that is not there. The client learns at once that there is no
// server, and a person learns why.
func TestClientsSeeARefusedStart(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, kind clientKind) {
		m := newMachine(t)
		c, ctx := kind.start(m), bounded(t)
		began := time.Now()
		if err := c.connect(ctx, "lukasa-test", "--workspace", "absent"); err == nil {
			t.Error("there is a session, though the server must not have started")
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("that took %s", took)
		}
		m.awaitAgents(0, time.Second)
		if kind.name == "typescript 2 pinned" {
			return // it asks a process first of which it discards what it says
		}
		for _, want := range []string{`error: workspace "absent" does not exist`, "hint: create it with `lukasa workspace create absent`"} {
			for deadline := time.Now().Add(2 * time.Second); !strings.Contains(c.stderr(), want) && time.Now().Before(deadline); {
				time.Sleep(10 * time.Millisecond) // it comes through a pipe
			}
			if !strings.Contains(c.stderr(), want) {
				t.Errorf("standard error does not say %q: %s", want, c.stderr())
			}
		}
	})
}
