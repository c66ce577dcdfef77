package cmd_test

import (
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	m := newMachine(t)
	out := m.ok("", "demo")
	for _, want := range []string{"recall_memory", "remember_conversation", "formation_outcome", "Utrecht", "new", "revised", "Ghent", "fm_"} {
		if !strings.Contains(out, want) {
			t.Errorf("the demonstration does not show %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "jsonrpc") {
		t.Error("frames are shown without --trace")
	}
}

func TestDemoTrace(t *testing.T) {
	// What the people's environment says has no part in the demonstration.
	m := newMachine(t, "LUKASA_API_URL=http://127.0.0.1:1", "LUKASA_API_KEY=x", "LUKASA_MCP_WORKSPACE=other", "LUKASA_OUTPUT=json")
	out := m.ok("", "demo", "--trace")
	for _, want := range []string{`-> {"jsonrpc":"2.0"`, `<- {"jsonrpc":"2.0"`, `"tools/call"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the trace does not show %q", want)
		}
	}
	for line := range strings.Lines(out) {
		if strings.Count(line, `"jsonrpc"`) > 1 {
			t.Errorf("two frames on one line: %s", line)
		}
	}
}
