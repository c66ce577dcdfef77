package cmd_test

import (
	"bufio"
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
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// driver is a Node.js process that drives a client written in TypeScript. See testdata/clients/driver.mjs.
type driver struct {
	m     *machine
	mode  any // what the client calls its mode of version negotiation
	c     *exec.Cmd
	stdin io.WriteCloser
	log   safeBuffer
	done  chan struct{} // no answer will come any more

	mu      sync.Mutex
	number  int
	waiting map[int]chan driverAnswer
}

type driverAnswer struct {
	Number int             `json:"number"`
	Result json.RawMessage `json:"result"`
	Error  *driverError    `json:"error"`
}

// driverError is what a client threw.
type driverError struct {
	Code    string `json:"code"` // a number of the protocol, or a word of the client's
	Message string `json:"message"`
}

func (e *driverError) Error() string { return e.Message + " (" + e.Code + ")" }

var errDriverGone = errors.New("the driver has ended")

// npmCommand returns a command of the packages that testdata/clients/package.json names.
func npmCommand(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "clients", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("LUKASA_TEST_NO_SKIP") != "" {
			t.Fatalf("finding %s: %v", name, err)
		}
		t.Skip("run `npm install --no-package-lock` in cmd/testdata/clients first")
	}
	return path
}

// startDriver starts Node.js with a client. It is ended with the test.
func startDriver(m *machine, sdk string, mode any) *driver {
	m.t.Helper()
	d := &driver{m: m, mode: mode, done: make(chan struct{}), waiting: make(map[int]chan driverAnswer)}
	d.c = exec.CommandContext(m.t.Context(), npmCommand(m.t, "node"), filepath.Join("testdata", "clients", "driver.mjs"), sdk)
	d.c.Env = m.env
	d.c.Stderr = &d.log
	d.c.WaitDelay = 10 * time.Second
	stdin, err := d.c.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	stdout, err := d.c.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := d.c.Start(); err != nil {
		m.t.Fatal(err)
	}
	d.stdin = stdin
	go d.read(stdout)
	m.t.Cleanup(d.kill)
	return d
}

// kill ends the process as a crash does: its server is told nothing.
func (d *driver) kill() {
	_ = d.c.Process.Kill()
	<-d.done
}

func (d *driver) read(stdout io.Reader) {
	defer close(d.done)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var a driverAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			a.Error = &driverError{Message: err.Error()}
		}
		d.mu.Lock()
		d.waiting[a.Number] <- a
		delete(d.waiting, a.Number)
		d.mu.Unlock()
	}
	_ = d.c.Wait()
}

// do has an operation carried out. The end of ctx aborts it; its answer is awaited all the same.
func (d *driver) do(ctx context.Context, operation string, fields map[string]any) (json.RawMessage, error) {
	number, answers, err := d.send(operation, fields)
	if err != nil {
		return nil, err
	}
	aborting := ctx.Done()
	for {
		select {
		case a := <-answers:
			if a.Error != nil {
				return nil, a.Error
			}
			return a.Result, nil
		case <-aborting:
			aborting = nil
			if _, _, err := d.send("abort", map[string]any{"call": number}); err != nil {
				return nil, err
			}
		case <-d.done:
			return nil, errDriverGone
		case <-time.After(30 * time.Second):
			return nil, fmt.Errorf("the driver does not answer %s", operation)
		}
	}
}

func (d *driver) send(operation string, fields map[string]any) (int, <-chan driverAnswer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.number++
	request := map[string]any{"number": d.number, "operation": operation}
	for k, v := range fields {
		request[k] = v
	}
	line, err := json.Marshal(request)
	if err != nil {
		return 0, nil, err
	}
	answers := make(chan driverAnswer, 1)
	d.waiting[d.number] = answers
	_, err = d.stdin.Write(append(line, '\n'))
	return d.number, answers, err
}

func (d *driver) connect(ctx context.Context, as string, args ...string) error {
	path, err := program()
	if err != nil {
		return err
	}
	env := map[string]string{} // the clients hand on next to nothing of their own
	for _, pair := range d.m.env {
		if name, value, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "LUKASA_") {
			env[name] = value
		}
	}
	server := map[string]any{"command": path, "args": append([]string{"mcp"}, args...), "env": env, "cwd": d.m.dir}
	_, err = d.do(ctx, "connect", map[string]any{"as": as, "mode": d.mode, "server": server})
	return err
}

func (d *driver) tools(ctx context.Context) ([]*mcp.Tool, error) {
	raw, err := d.do(ctx, "tools", nil)
	if err != nil {
		return nil, err
	}
	var tools []*mcp.Tool
	return tools, json.Unmarshal(raw, &tools)
}

func (d *driver) call(ctx context.Context, tool string, arguments any, timeout time.Duration) (*mcp.CallToolResult, error) {
	fields := map[string]any{"params": map[string]any{"name": tool, "arguments": arguments}}
	if timeout > 0 {
		fields["timeout"] = timeout.Milliseconds()
	}
	raw, err := d.do(ctx, "call", fields)
	if err != nil {
		return nil, err
	}
	var result mcp.CallToolResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	return &result, nil
}

func (d *driver) close(ctx context.Context) error {
	_, err := d.do(ctx, "close", nil)
	return err
}

func (d *driver) stderr() string { return d.log.String() }
