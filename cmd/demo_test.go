package cmd_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
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

// TestDemoUnread has a reader that goes away after a few lines, as head does. Nothing may be left behind.
func TestDemoUnread(t *testing.T) {
	for _, args := range [][]string{{"demo"}, {"demo", "--trace"}} {
		temp := t.TempDir()
		m := newMachine(t, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp)
		c := m.command(args...)
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for range 3 {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		err = c.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || stderr.String() != "" {
			t.Errorf("%v: it ended with %v and said %q; want exit code 1 without a word", args, err, stderr.String())
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%v: left behind: %v, %v", args, left, err)
		}
	}
}
