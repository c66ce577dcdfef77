package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/cmd"
)

// program is the real binary, built once for all tests that need a process of its own.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "lukasa-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "lukasa")
	c := exec.Command("go", "build", "-o", path, "./lukasa")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building lukasa: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){"lukasa": func() { os.Exit(cmd.Main()) }})
}

// cleaning removes the binary after the tests.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	code := c.M.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	return code
}

// soak reports whether the long versions of the tests were asked for.
func soak() bool { return os.Getenv("LUKASA_TEST_SOAK") != "" }

// machine is a computer as fresh as a test can have it: folders of its own, and no variable of lukasa's.
type machine struct {
	t   *testing.T
	env []string
	dir string
}

func newMachine(t *testing.T, env ...string) *machine {
	t.Helper()
	dir := t.TempDir()
	m := &machine{t: t, dir: dir}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "LUKASA_") {
			m.env = append(m.env, pair)
		}
	}
	m.env = append(m.env, "LUKASA_DATA_DIR="+filepath.Join(dir, "data"), "LUKASA_CONFIG_DIR="+filepath.Join(dir, "config"))
	m.env = append(m.env, env...)
	return m
}

// in is the same machine for a subtest, which is the one to fail or to be skipped.
func (m *machine) in(t *testing.T) *machine {
	t.Helper()
	same := *m
	same.t = t
	return &same
}

func (m *machine) command(args ...string) *exec.Cmd {
	m.t.Helper()
	path, err := program()
	if err != nil {
		m.t.Fatal(err)
	}
	c := exec.CommandContext(m.t.Context(), path, args...)
	c.Env, c.Dir = m.env, m.dir
	c.WaitDelay = 10 * time.Second
	return c
}

type result struct {
	stdout, stderr string
	code           int
}

// run runs one command line to its end, with stdin as its input.
func (m *machine) run(stdin string, args ...string) result {
	m.t.Helper()
	c := m.command(args...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("lukasa %s: %v", strings.Join(args, " "), err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// ok runs a command line that must succeed and returns its standard output.
func (m *machine) ok(stdin string, args ...string) string {
	m.t.Helper()
	r := m.run(stdin, args...)
	if r.code != 0 {
		m.t.Fatalf("lukasa %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// okJSON is ok with -o json, decoded.
func okJSON[T any](m *machine, stdin string, args ...string) T {
	m.t.Helper()
	var v T
	out := m.ok(stdin, append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		m.t.Fatalf("lukasa %s: %v in %s", strings.Join(args, " "), err, out)
	}
	return v
}

// service is a `lukasa serve` process.
type service struct {
	url  string
	key  string
	c    *exec.Cmd
	done chan struct{}
	log  bytes.Buffer
}

// serve starts `lukasa serve` on a store and returns once it listens. It is stopped when the test ends.
func (m *machine) serve(dsn, key string) *service {
	m.t.Helper()
	s := &service{key: key, done: make(chan struct{})}
	s.c = m.command("serve", "--listen", "127.0.0.1:0", "--store", dsn)
	stderr, err := s.c.StderrPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := s.c.Start(); err != nil {
		m.t.Fatal(err)
	}
	listening := make(chan string, 1)
	go func() {
		defer close(s.done)
		lines := bufio.NewScanner(io.TeeReader(stderr, &s.log))
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				listening <- url
			}
		}
		close(listening)
		_ = s.c.Wait()
	}()
	s.url = <-listening
	if s.url == "" {
		<-s.done
		m.t.Fatalf("lukasa serve did not listen: %s", s.log.String())
	}
	m.t.Cleanup(s.kill)
	return s
}

func (s *service) kill() {
	_ = s.c.Process.Kill()
	<-s.done
}

// stop ends the service as an operator does, and returns its exit code.
func (s *service) stop() int {
	_ = s.c.Process.Signal(syscall.SIGTERM)
	<-s.done
	return s.c.ProcessState.ExitCode()
}

func (s *service) client(t *testing.T) *api.Client {
	t.Helper()
	c, err := api.NewClient(s.url, api.WithToken(s.key))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// adminKey makes a key on a store directly.
func (m *machine) adminKey(dsn string) string {
	m.t.Helper()
	return strings.TrimSpace(m.ok("", "key", "create", "--store", dsn, "--label", "test", "--role", "admin", "--workspaces", "*"))
}

// agent is an MCP session with a `lukasa mcp` process.
type agent struct {
	t *testing.T
	*mcp.ClientSession
}

// agent starts `lukasa mcp` with args as a host does.
func (m *machine) agent(args ...string) *agent {
	m.t.Helper()
	c := m.command(append([]string{"mcp"}, args...)...)
	c.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "lukasa-test", Version: "1"}, nil)
	session, err := client.Connect(m.t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		m.t.Fatalf("starting lukasa mcp: %v", err)
	}
	a := &agent{m.t, session}
	m.t.Cleanup(func() { _ = session.Close() })
	return a
}

// call calls a tool and decodes its structured content into v.
func (a *agent) call(ctx context.Context, tool string, arguments, v any) error {
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if res.IsError {
		text, _ := json.Marshal(res.Content)
		return fmt.Errorf("%s: %s", tool, text)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

type toolOutcome struct {
	Handle     string          `json:"handle"`
	Status     string          `json:"status"`
	Decisions  api.Decisions   `json:"decisions"`
	Candidates []api.Candidate `json:"candidates"`
}

func turns(content ...string) []api.Turn {
	list := make([]api.Turn, len(content))
	for i, c := range content {
		list[i] = api.Turn{Role: "user", Content: c}
	}
	return list
}

func (a *agent) remember(content ...string) toolOutcome {
	a.t.Helper()
	var o toolOutcome
	if err := a.call(a.t.Context(), "remember_conversation", map[string]any{"turns": turns(content...)}, &o); err != nil {
		a.t.Fatal(err)
	}
	return o
}

// outcome asks until the formation has ended.
func (a *agent) outcome(handle string) toolOutcome {
	a.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var o toolOutcome
		if err := a.call(a.t.Context(), "formation_outcome", map[string]any{"handle": handle}, &o); err != nil {
			a.t.Fatal(err)
		}
		if o.Status != "running" {
			return o
		}
	}
	a.t.Fatalf("formation %s is still running", handle)
	return toolOutcome{}
}

func (a *agent) recall(query string) api.Recall {
	a.t.Helper()
	var r api.Recall
	if err := a.call(a.t.Context(), "recall_memory", map[string]any{"query": query}, &r); err != nil {
		a.t.Fatal(err)
	}
	return r
}
