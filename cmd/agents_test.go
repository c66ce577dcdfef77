package cmd_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestAgentRemembersAndRecalls(t *testing.T) {
	m := newMachine(t)
	m.ok("", "workspace", "create", "demo")
	a := m.agent("--workspace", "demo")
	accepted := a.remember("I live in Utrecht.", "We use PostgreSQL 16 for the billing service.")
	if accepted.Status != "running" {
		t.Errorf("status = %q, want running", accepted.Status)
	}
	o := a.outcome(accepted.Handle)
	if o.Status != "finished" || o.Decisions.New < 2 || len(o.Candidates) < 2 {
		t.Errorf("outcome = %+v, want a finished one with new candidates", o)
	}
	r := a.recall("where do I live")
	if len(r.Passages) == 0 || !strings.Contains(r.Passages[0].Text, "Utrecht") {
		t.Errorf("recalled %+v", r.Passages)
	}
	var live bool
	for _, e := range r.Graph.Edges {
		live = live || strings.Contains(e.Statement, "Utrecht") && e.Qualified
	}
	if !live {
		t.Errorf("no qualified assertion about Utrecht in %+v", r.Graph.Edges)
	}
}

func TestRestartForgetsHandlesAndKeepsMemory(t *testing.T) {
	m := newMachine(t)
	m.ok("", "workspace", "create", "demo")
	first := m.agent("--workspace", "demo")
	handle := first.remember("The staging cluster is called heron.").Handle
	first.outcome(handle)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := m.agent("--workspace", "demo")
	if o := second.outcome(handle); o.Status != "unknown_handle" {
		t.Errorf("after a restart the status is %q, want unknown_handle", o.Status)
	}
	if r := second.recall("heron"); len(r.Passages) != 1 {
		t.Errorf("recalled %d passages after a restart, want 1", len(r.Passages))
	}
	again := second.remember("The staging cluster is called heron.")
	if again.Handle != handle {
		t.Errorf("the handle is now %s, was %s", again.Handle, handle)
	}
	if o := second.outcome(handle); o.Status != "finished" {
		t.Errorf("resubmitting gives status %q, want finished", o.Status)
	}
	if r := second.recall("heron"); len(r.Passages) != 1 {
		t.Errorf("resubmitting made %d passages, want 1", len(r.Passages))
	}
}

// TestSeveralProcessesWriteOneStore has two agents and the command line write to one file at the same time.
func TestSeveralProcessesWriteOneStore(t *testing.T) {
	n := 40
	if soak() {
		n = 500
	}
	m := newMachine(t)
	m.ok("", "workspace", "create", "shared")
	one, two := m.agent("--workspace", "shared"), m.agent("--workspace", "shared")
	var wg sync.WaitGroup
	for name, a := range map[string]*agent{"one": one, "two": two} {
		wg.Go(func() {
			for i := range n {
				var o toolOutcome
				arguments := map[string]any{"turns": turns(fmt.Sprintf("Note %d of agent %s: the build took %d seconds.", i, name, i))}
				if err := a.call(t.Context(), "remember_conversation", arguments, &o); err != nil {
					t.Errorf("agent %s: %v", name, err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for i := range n {
			line := fmt.Sprintf(`{"role":"user","content":"Note %d of the shell: the build took %d seconds."}`, i, i)
			if r := m.run(line, "remember", "-w", "shared"); r.code != 0 {
				t.Errorf("remember: exit code %d: %s", r.code, r.stderr)
				return
			}
		}
	})
	wg.Wait()

	states := map[api.FormationState]int{}
	handles := map[string]bool{}
	list := okJSON[api.FormationPage](m, "", "formation", "list", "-w", "shared", "--limit", "5000")
	for _, f := range list.Formations {
		f := okJSON[api.Formation](m, "", "formation", "show", "-w", "shared", "--wait", f.Handle)
		states[f.State]++
		handles[f.Handle] = true
	}
	if want := map[api.FormationState]int{api.FormationFinished: 3 * n}; !maps.Equal(states, want) || len(handles) != 3*n {
		t.Errorf("formations: %v with %d handles, want %v", states, len(handles), want)
	}
	w := okJSON[api.Workspace](m, "", "workspace", "show", "shared")
	if w.Counts.Passages != 3*n {
		t.Errorf("%d passages, want %d", w.Counts.Passages, 3*n)
	}
}

// TestRemoteAgentOpensNoStore looks at the files of a machine whose agent uses a remote API.
func TestRemoteAgentOpensNoStore(t *testing.T) {
	team := newMachine(t)
	dsn := "sqlite:" + filepath.Join(team.dir, "team.db")
	key := team.adminKey(dsn)
	srv := team.serve(dsn, key)
	laptop := newMachine(t, "LUKASA_API_URL="+srv.url, "LUKASA_API_KEY="+key, "LUKASA_MCP_WORKSPACE=team.app")
	laptop.ok("", "workspace", "create", "team.app")
	a := laptop.agent()
	a.outcome(a.remember("The on-call rota changes on Mondays.").Handle)
	if r := a.recall("rota"); len(r.Passages) != 1 {
		t.Errorf("recalled %d passages, want 1", len(r.Passages))
	}
	err := filepath.WalkDir(laptop.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != laptop.dir {
			t.Errorf("there is %s on a machine that should have no store", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStartUpRefusals(t *testing.T) {
	team := newMachine(t)
	dsn := "sqlite:" + filepath.Join(team.dir, "team.db")
	key := team.adminKey(dsn)
	srv := team.serve(dsn, key)
	narrow := strings.TrimSpace(team.ok("", "key", "create", "--store", dsn, "--label", "narrow", "--role", "member", "--workspaces", "other"))
	remote := func(key string) []string { return []string{"LUKASA_API_URL=" + srv.url, "LUKASA_API_KEY=" + key} }
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()

	for name, tt := range map[string]struct {
		env  []string
		args []string
		code int
		want []string
	}{
		"no workspace":            {nil, nil, 2, []string{"error: no workspace is pinned", "--workspace", "LUKASA_MCP_WORKSPACE"}},
		"the shell's workspace":   {[]string{"LUKASA_WORKSPACE=demo"}, nil, 2, []string{"error: no workspace is pinned"}},
		"unknown workspace":       {nil, []string{"--workspace", "absent"}, 1, []string{`workspace "absent" does not exist in the memory of this machine`, "lukasa workspace create absent"}},
		"unknown at the API":      {remote(key), []string{"--workspace", "absent"}, 1, []string{`workspace "absent" does not exist at http://`}},
		"not a name":              {nil, []string{"--workspace", "../x"}, 2, []string{"is not a workspace name"}},
		"refused key":             {remote("lukasa_sk_wrong"), []string{"--workspace", "absent"}, 4, []string{"error:", "hint:"}},
		"no key":                  {[]string{"LUKASA_API_URL=" + srv.url}, []string{"--workspace", "absent"}, 4, []string{"error:", "hint:"}},
		"key without a selector":  {remote(narrow), []string{"--workspace", "absent"}, 4, []string{"absent", "hint:"}},
		"key without an endpoint": {[]string{"LUKASA_API_KEY=" + key}, []string{"--workspace", "x"}, 2, []string{"LUKASA_API_URL"}},
		"API down":                {[]string{"LUKASA_API_URL=" + down.URL, "LUKASA_API_KEY=k"}, []string{"--workspace", "demo"}, 1, []string{"can't be reached"}},
		"output": {nil, []string{"--workspace", "demo", "-o", "json"}, 2, []string{
			"error: lukasa mcp writes a protocol on standard output,\n       so --output json cannot be honoured\n" +
				"hint: drop --output here;\n      this command has no result to render in any format\n",
		}},
		"positional word": {nil, []string{"demo"}, 2, []string{`"demo"`}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, tt.env...)
			r := m.run(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", append([]string{"mcp"}, tt.args...)...)
			if r.code != tt.code || r.stdout != "" {
				t.Errorf("exit code %d and %q on standard output, want %d and nothing\n%s", r.code, r.stdout, tt.code, r.stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(r.stderr, want) {
					t.Errorf("standard error does not say %q:\n%s", want, r.stderr)
				}
			}
			if strings.Contains(r.stderr, "lukasa_sk_") {
				t.Errorf("standard error has a key:\n%s", r.stderr)
			}
		})
	}
}
