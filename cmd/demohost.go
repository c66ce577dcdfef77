package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// host is a desktop agent's side of `lukasa mcp`: the child process and its streams.
type host struct {
	child  *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr bytes.Buffer
	trace  *tracer
}

// startHost starts this very program as an agent host would, with a data and a configuration folder of its own. What
// the people's configuration says has no part in it.
func startHost(ctx context.Context, dir string, trace io.Writer) (*host, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	h := &host{trace: &tracer{w: trace}}
	h.child = exec.CommandContext(ctx, self, "mcp", "--workspace", "demo", "--create", "--api", endpointLocal)
	h.child.Env = append(withoutLukasa(os.Environ()), envDataDir+"="+dir, envConfigDir+"="+dir)
	h.child.Stderr = &h.stderr
	h.child.Cancel = func() error { return h.child.Process.Signal(os.Interrupt) }
	h.child.WaitDelay = 5 * time.Second
	if h.stdin, err = h.child.StdinPipe(); err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	if h.stdout, err = h.child.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	if err := h.child.Start(); err != nil {
		return nil, fmt.Errorf("starting %s mcp: %w", self, err)
	}
	return h, nil
}

// withoutLukasa drops this program's own variables.
func withoutLukasa(environ []string) []string {
	var kept []string
	for _, pair := range environ {
		if !strings.HasPrefix(pair, "LUKASA_") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// transport speaks the child's standard input and output, and shows what passes when there is a trace.
func (h *host) transport() mcp.Transport {
	if h.trace.w == nil {
		return &mcp.IOTransport{Reader: h.stdout, Writer: h.stdin}
	}
	return &mcp.IOTransport{
		Reader: struct {
			io.Reader
			io.Closer
		}{io.TeeReader(h.stdout, h.trace.direction("<- ")), h.stdout},
		Writer: teeWriter{h.stdin, h.trace.direction("-> ")},
	}
}

// stop closes the child's input, as a host does at the end, and waits for it.
func (h *host) stop() error {
	_ = h.stdin.Close() // the session may have closed it already
	if err := h.child.Wait(); err != nil {
		return fmt.Errorf("the server ended with %w: %s", err, strings.TrimSpace(h.stderr.String()))
	}
	return nil
}

// lockedWriter lets the frames of both directions and the demonstration's own words share a writer. When that fails,
// the demonstration ends.
type lockedWriter struct {
	mu   sync.Mutex
	w    io.Writer
	fail func()
	err  error // the first that writing had
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return len(p), nil // the rest of it, while it ends
	}
	if _, err := l.w.Write(p); err != nil {
		l.err = err
		l.fail()
	}
	return len(p), nil
}

// explain is the error of a demonstration that had this one at its end. A reader that has seen enough needs no words.
func (l *lockedWriter) explain(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err == nil:
		return err
	case errors.Is(l.err, syscall.EPIPE):
		return silent(exitFailed)
	}
	return fmt.Errorf("writing the demonstration: %w", l.err)
}

// tracer shows frames line by line.
type tracer struct{ w io.Writer }

func (t *tracer) direction(arrow string) io.Writer { return &lines{to: t, arrow: arrow} }

// lines gathers what is written until a line is whole.
type lines struct {
	to    *tracer
	arrow string
	part  []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.part = append(l.part, p...)
	for {
		line, rest, whole := bytes.Cut(l.part, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		_, err := fmt.Fprintf(l.to.w, "  %s%s\n", l.arrow, line)
		l.part = rest
		if err != nil {
			return 0, err
		}
	}
}

// teeWriter copies what is written to another writer.
type teeWriter struct {
	io.WriteCloser
	to io.Writer
}

func (t teeWriter) Write(p []byte) (int, error) {
	n, err := t.WriteCloser.Write(p)
	_, tracing := t.to.Write(p[:n])
	return n, errors.Join(err, tracing)
}
