package cmd_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// team is a memory API with a workspace for each of several machines.
type team struct {
	*machine
	srv *service
}

func newTeam(t *testing.T) *team {
	t.Helper()
	m := newMachine(t)
	dsn := "sqlite:" + filepath.Join(m.dir, "team.db")
	return &team{m, m.serve(dsn, m.adminKey(dsn))}
}

// laptop is a machine whose agents reach the team's API through a slow one.
func (tm *team) laptop(t *testing.T) (*machine, *slowAPI) {
	t.Helper()
	slow := newSlowAPI(t, tm.srv.url)
	return newMachine(t, "LUKASA_API_URL="+slow.url, "LUKASA_API_KEY="+tm.srv.key), slow
}

// formed waits for the formation of a turn at the API, and complains when it is not there or has written nothing.
func (tm *team) formed(ctx context.Context, t *testing.T, workspace, text string) {
	t.Helper()
	f, err := tm.srv.client(t).Formations.Wait(ctx, workspace, formation.Handle(turns(text), nil))
	if err != nil {
		t.Errorf("%q is lost: %v", text, err)
	} else if f.State != api.FormationFinished || f.Writes.Passages != 1 {
		t.Errorf("the formation of %q is %s and wrote %d passages", text, f.State, f.Writes.Passages)
	}
}

// TestClientsGiveUpCalls aborts calls in flight and has others time out. A recall stops at once, down to its request; a
// conversation that is on its way is stored; and the session goes on.
func TestClientsGiveUpCalls(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	eachClient(t, func(t *testing.T, kind clientKind) {
		m, slow := tm.laptop(t)
		c, ctx := kind.start(m), bounded(t)
		workspace := workspaceFor(kind)
		if err := c.connect(ctx, "lukasa-test", "--workspace", workspace, "--create"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.tools(ctx); err != nil {
			t.Fatal(err)
		}
		if got := slow.checks.Load(); got != kind.starts {
			t.Errorf("%d servers were started, want %d", got, kind.starts)
		}
		slow.hold(25*time.Second, 500*time.Millisecond)
		recall := map[string]any{"query": "harbour"}
		texts := []string{"The harbour office opens at seven.", "The harbour crane was painted green."}

		aborted(ctx, t, c, slow, "recall_memory", recall, "recall")
		slow.awaitAbandoned(t)
		timedOut(ctx, t, c, "recall_memory", recall)
		slow.awaitAbandoned(t)
		aborted(ctx, t, c, slow, "remember_conversation", map[string]any{"turns": turns(texts[0])}, "submission")
		timedOut(ctx, t, c, "remember_conversation", map[string]any{"turns": turns(texts[1])})
		for _, text := range texts {
			if o, err := outcomeFor(ctx, c, formation.Handle(turns(text), nil)); err != nil || o.Status != "finished" {
				t.Errorf("the outcome of a remember that was given up is %+v, %v, want finished", o, err)
			}
			tm.formed(ctx, t, workspace, text)
		}

		slow.hold(0, 0)
		if r, err := callFor[api.Recall](ctx, c, "recall_memory", recall); err != nil || len(r.Passages) != len(texts) {
			t.Errorf("afterwards, %d passages are recalled, want %d: %v", len(r.Passages), len(texts), err)
		}
		if err := c.close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
		m.awaitAgents(0, time.Second)
		if c.stderr() != "" {
			t.Errorf("standard error is not quiet: %s", c.stderr())
		}
	})
}

// workspaceFor names a workspace for a kind of client.
func workspaceFor(kind clientKind) string { return strings.ReplaceAll(kind.name, " ", "-") }

// aborted makes a call, and aborts it once its request is at the API.
func aborted(ctx context.Context, t *testing.T, c client, slow *slowAPI, tool string, arguments any, word string) {
	t.Helper()
	calling, abort := context.WithCancel(ctx)
	defer abort()
	ended := make(chan error, 1)
	go func() {
		_, err := c.call(calling, tool, arguments, 0)
		ended <- err
	}()
	slow.await(t, word)
	abort()
	select {
	case err := <-ended:
		if err == nil {
			t.Errorf("%s has a result, though it was aborted", tool)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s goes on, though it was aborted", tool)
	}
}

// timedOut makes a call for which the client does not wait long enough.
func timedOut(ctx context.Context, t *testing.T, c client, tool string, arguments any) {
	t.Helper()
	if _, err := c.call(ctx, tool, arguments, 200*time.Millisecond); err == nil {
		t.Errorf("%s has a result within 200 ms", tool)
	}
}

// TestClientsCloseInTheMiddle closes sessions that have calls in flight. No server stays, what was on its way is stored,
// and the next session finds it.
func TestClientsCloseInTheMiddle(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	const text = "The lighthouse keeper retires in May."
	eachClient(t, func(t *testing.T, kind clientKind) {
		m, slow := tm.laptop(t)
		c, ctx := kind.start(m), bounded(t)
		workspace := workspaceFor(kind)
		if err := c.connect(ctx, "lukasa-test", "--workspace", workspace, "--create"); err != nil {
			t.Fatal(err)
		}
		m.awaitAgents(1, 5*time.Second)
		slow.hold(25*time.Second, time.Second)
		ended := inFlight(ctx, t, c, slow, text)

		_ = c.close(ctx) // some clients report that the server ended on their signal, some don't
		// Every client closes the input, sends SIGTERM after 2 s, and kills 2 s later.
		m.awaitAgents(0, 5*time.Second)
		for range 2 {
			select {
			case <-ended:
			case <-time.After(5 * time.Second):
				t.Fatal("a call goes on after the end of its session")
			}
		}
		tm.formed(ctx, t, workspace, text)

		slow.hold(0, 0)
		recalledAnew(ctx, t, c, workspace, text)
	})
}

// inFlight makes a recall and a remember, and returns once both are at the API. The channel gets a value for each that
// ends.
func inFlight(ctx context.Context, t *testing.T, c client, slow *slowAPI, text string) <-chan struct{} {
	t.Helper()
	ended := make(chan struct{}, 2)
	call := func(tool string, arguments any) {
		_, _ = c.call(ctx, tool, arguments, 0) // with an answer or without
		ended <- struct{}{}
	}
	go call("recall_memory", map[string]any{"query": "lighthouse"})
	go call("remember_conversation", map[string]any{"turns": turns(text)})
	slow.await(t, "recall", "submission")
	return ended
}

// recalledAnew opens a session, and finds the text in it.
func recalledAnew(ctx context.Context, t *testing.T, c client, workspace, text string) {
	t.Helper()
	if err := c.connect(ctx, "lukasa-test", "--workspace", workspace); err != nil {
		t.Fatalf("the next session: %v", err)
	}
	r, err := callFor[api.Recall](ctx, c, "recall_memory", map[string]any{"query": "lighthouse"})
	if err != nil || len(r.Passages) != 1 || r.Passages[0].Text != text {
		t.Errorf("the next session recalls %+v, %v, want %q", r.Passages, err, text)
	}
	if err := c.close(ctx); err != nil {
		t.Errorf("closing: %v", err)
	}
}

// TestSignalledServer ends servers that have calls in flight with a signal, as many hosts do. They end by themselves
// before a host would kill them, and what was on its way is stored.
func TestSignalledServer(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	const text = "The lighthouse has 199 steps."
	for name, sig := range map[string]os.Signal{"term": syscall.SIGTERM, "int": syscall.SIGINT, "hup": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, slow := tm.laptop(t)
			c, ctx := &goClient{m: m, version: "2025-11-25"}, bounded(t)
			if err := c.connect(ctx, "lukasa-test", "--workspace", name, "--create"); err != nil {
				t.Fatal(err)
			}
			slow.hold(25*time.Second, 500*time.Millisecond)
			ended := inFlight(ctx, t, c, slow, text)
			if err := c.command.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			m.awaitAgents(0, 3*time.Second)
			<-ended
			<-ended
			_ = c.close(ctx) // which gets the exit status
			if state := c.command.ProcessState; state == nil || !state.Exited() || state.ExitCode() != 0 {
				t.Errorf("the server ended with %v, want exit status 0", state)
			}
			tm.formed(ctx, t, name, text)
			slow.hold(0, 0)
			recalledAnew(ctx, t, c, name, text)
		})
	}
}

// TestKilledHost kills a host that has calls in flight. Its server does not outlive it for long, and stores what was on
// its way.
func TestKilledHost(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	const text = "The lighthouse was electrified in 1931."
	for _, kind := range clientKinds() {
		if strings.HasPrefix(kind.name, "go") {
			continue // that one lives in this process
		}
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			m, slow := tm.laptop(t)
			c, ctx := kind.start(m), bounded(t)
			workspace := workspaceFor(kind)
			if err := c.connect(ctx, "lukasa-test", "--workspace", workspace, "--create"); err != nil {
				t.Fatal(err)
			}
			m.awaitAgents(1, 5*time.Second)
			slow.hold(4*time.Second, time.Second)
			inFlight(ctx, t, c, slow, text)
			c.(*driver).kill()
			m.awaitAgents(0, 10*time.Second)
			tm.formed(ctx, t, workspace, text)
			slow.hold(0, 0)
			recalledAnew(ctx, t, kind.start(m), workspace, text)
		})
	}
}
