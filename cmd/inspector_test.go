package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/formation"
)

// TestInspector drives `lukasa mcp` with the MCP Inspector's command line.
func TestInspector(t *testing.T) {
	t.Parallel()
	inspector := npmCommand(t, "mcp-inspector")
	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			inspect(t, inspector, era)
		})
	}
}

func inspect(t *testing.T, inspector, era string) {
	t.Helper()
	m := newMachine(t)
	m.ok("", "workspace", "create", "demo")
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	// run returns what the inspector prints, and fails the test when it does not succeed or fail as it should.
	run := func(succeed bool, method ...string) string {
		t.Helper()
		// The inspector hands its server no variable that isn't named.
		args := []string{
			"--cli", "-e", "LUKASA_DATA_DIR=" + filepath.Join(m.dir, "data"), "--protocol-era", era,
			path, "mcp", "--workspace", "demo",
		}
		c := exec.CommandContext(t.Context(), inspector, append(args, method...)...)
		// Its first line asks for the node of the PATH, and it needs the newer one that was installed beside it.
		c.Env = append(m.env, "HOME="+m.dir, "PATH="+filepath.Dir(inspector)+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := c.Output()
		if (err == nil) != succeed {
			t.Fatalf("inspector %v: %v\n%s", method, err, out)
		}
		return string(out)
	}
	tools := run(true, "--method", "tools/list")
	for _, want := range []string{"recall_memory", "remember_conversation", "formation_outcome"} {
		if !strings.Contains(tools, want) {
			t.Errorf("tools/list does not have %s: %s", want, tools)
		}
	}
	run(true, "--method", "tools/call", "--tool-name", "remember_conversation",
		"--tool-arg", `turns=[{"role":"user","content":"I live in Utrecht."}]`)
	m.ok("", "formation", "show", "-w", "demo", "--wait", formation.Handle(turns("I live in Utrecht."), nil))
	recalled := run(true, "--method", "tools/call", "--tool-name", "recall_memory", "--tool-arg", "query=where is utrecht")
	if !json.Valid([]byte(recalled)) || !strings.Contains(recalled, "I live in Utrecht.") {
		t.Errorf("recall_memory through the inspector: %s", recalled)
	}
	refused := run(false, "--method", "tools/call", "--tool-name", "recall_memory", "--tool-arg", "query=utrecht", "--tool-arg", "limit=51")
	if !strings.Contains(refused, `"isError": true`) || !strings.Contains(refused, `\"limit\" must be`) {
		t.Errorf("a limit of 51 through the inspector: %s", refused)
	}
	m.awaitAgents(0, time.Second)
}
