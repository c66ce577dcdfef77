package cmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an implementation of the protocol's other side, as hosts have it inside. It has one session at a time.
type client interface {
	// connect starts `lukasa mcp` with args, and introduces itself as the host of that name.
	connect(ctx context.Context, as string, args ...string) error
	tools(ctx context.Context) ([]*mcp.Tool, error)
	// call calls a tool. The end of ctx aborts it; after timeout, unless that is 0, the client gives it up by itself.
	call(ctx context.Context, tool string, arguments any, timeout time.Duration) (*mcp.CallToolResult, error)
	close(ctx context.Context) error
	// stderr is what the servers have written there.
	stderr() string
}

// clientKind is a client in one of the ways in which it can be set up.
type clientKind struct {
	name   string
	starts int64 // how many servers it starts for one session
	start  func(*machine) client
}

func clientKinds() []clientKind {
	return []clientKind{
		{"go legacy", 1, func(m *machine) client { return &goClient{m: m, version: "2025-11-25"} }},
		{"go modern", 1, func(m *machine) client { return &goClient{m: m, version: "2026-07-28"} }},
		{"typescript 1", 1, func(m *machine) client { return startDriver(m, "sdk1", nil) }},
		{"typescript 2 legacy", 1, func(m *machine) client { return startDriver(m, "sdk2", "legacy") }},
		{"typescript 2 auto", 2, func(m *machine) client { return startDriver(m, "sdk2", "auto") }},
		{"typescript 2 pinned", 2, func(m *machine) client { return startDriver(m, "sdk2", map[string]string{"pin": "2026-07-28"}) }},
	}
}

// eachClient runs a test with every kind of client, at the same time.
func eachClient(t *testing.T, run func(t *testing.T, kind clientKind)) {
	t.Helper()
	for _, kind := range clientKinds() {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			run(t, kind)
		})
	}
}

// goClient is the client of the Go SDK.
type goClient struct {
	m       *machine
	version string
	command *exec.Cmd
	session *mcp.ClientSession
	calling context.Context // of the session's calls
	abort   context.CancelFunc
	log     safeBuffer
}

func (g *goClient) connect(ctx context.Context, as string, args ...string) error {
	c := g.m.command(append([]string{"mcp"}, args...)...)
	c.Stderr = &g.log
	sdk := mcp.NewClient(&mcp.Implementation{Name: as, Version: "1"}, nil)
	// As patient at the end as the other clients are.
	transport := &mcp.CommandTransport{Command: c, TerminateDuration: 2 * time.Second}
	session, err := sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: g.version})
	if err != nil {
		return err
	}
	g.command, g.session = c, session
	g.calling, g.abort = context.WithCancel(ctx)
	if got := session.InitializeResult().ProtocolVersion; got != g.version {
		return fmt.Errorf("the session speaks %s, not %s", got, g.version)
	}
	return nil
}

func (g *goClient) tools(ctx context.Context) ([]*mcp.Tool, error) {
	list, err := g.session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}

func (g *goClient) call(ctx context.Context, tool string, arguments any, timeout time.Duration) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.calling, cancel)()
	if timeout > 0 {
		bounded, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ctx = bounded
	}
	return g.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
}

// close gives up the calls in flight first: the SDK's own close waits for them, for as long as they take.
func (g *goClient) close(context.Context) error {
	g.abort()
	return g.session.Close()
}

func (g *goClient) stderr() string { return g.log.String() }

// safeBuffer is a buffer that several goroutines use.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// rememberedBy has a client remember turns, and returns the outcome of the call.
func rememberedBy(ctx context.Context, c client, content ...string) (toolOutcome, error) {
	return callFor[toolOutcome](ctx, c, "remember_conversation", map[string]any{"turns": turns(content...)})
}

// callFor calls a tool that must succeed, and decodes what it returns.
func callFor[T any](ctx context.Context, c client, tool string, arguments any) (T, error) {
	var v T
	result, err := c.call(ctx, tool, arguments, 0)
	if err != nil {
		return v, fmt.Errorf("%s: %w", tool, err)
	}
	if result.IsError {
		return v, fmt.Errorf("%s: %s", tool, textOf(result))
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(data, &v)
}

// outcomeFor asks until a formation has ended.
func outcomeFor(ctx context.Context, c client, handle string) (toolOutcome, error) {
	for {
		o, err := callFor[toolOutcome](ctx, c, "formation_outcome", map[string]any{"handle": handle})
		if err != nil || o.Status != "running" {
			return o, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func textOf(result *mcp.CallToolResult) string {
	var text strings.Builder
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}

// awaitAgents waits until n `lukasa mcp` processes of the machine are alive, and returns how long that took. It sees
// those of clients that start more than one and don't tell. Where there is no /proc, it sees nothing and waits for nothing.
func (m *machine) awaitAgents(n int, limit time.Duration) time.Duration {
	m.t.Helper()
	began := time.Now()
	for runtime.GOOS == "linux" {
		alive := m.agents()
		if len(alive) == n {
			break
		}
		if time.Since(began) > limit {
			m.t.Fatalf("%d processes of lukasa mcp are alive after %s, want %d: %q", len(alive), limit, n, alive)
		}
		time.Sleep(25 * time.Millisecond)
	}
	return time.Since(began)
}

// agents returns the folders in /proc of the machine's `lukasa mcp` processes.
func (m *machine) agents() []string {
	m.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		m.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(dir string) bool {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may have ended meanwhile
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		return !bytes.Contains(line, []byte("lukasa\x00mcp\x00")) ||
			!bytes.Contains(environ, []byte("LUKASA_DATA_DIR="+filepath.Join(m.dir, "data")+"\x00"))
	})
}
