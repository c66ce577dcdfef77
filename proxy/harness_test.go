package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// patience bounds every wait of these tests.
const patience = 10 * time.Second

// memoryAPI is a small memory API on a socket. Its hooks replace what it answers, or hold the answer up.
type memoryAPI struct {
	*httptest.Server

	mu       sync.Mutex
	requests []string
	bodies   []string
	recall   func(w http.ResponseWriter, r *http.Request) bool
	submit   func(w http.ResponseWriter, r *http.Request) bool
	outcome  func(w http.ResponseWriter, r *http.Request) bool
	check    func(w http.ResponseWriter, r *http.Request) bool
	create   func(w http.ResponseWriter, r *http.Request) bool
}

func newMemoryAPI(t *testing.T) *memoryAPI {
	t.Helper()
	m := &memoryAPI{}
	mux := http.NewServeMux()
	route := func(pattern string, hook *func(http.ResponseWriter, *http.Request) bool, answer string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			m.mu.Lock()
			m.requests = append(m.requests, r.Method+" "+r.URL.Path)
			m.bodies = append(m.bodies, string(body))
			h := *hook
			m.mu.Unlock()
			if h == nil || !h(w, r) {
				fmt.Fprint(w, strings.ReplaceAll(answer, "HANDLE", r.PathValue("h")))
			}
		})
	}
	formed := `{"handle":"HANDLE","workspace":"demo","state":"finished","submitted_at":"2026-11-30T12:00:00Z","attempts":1,
		"extractor":{"name":"rules","version":"1"},"candidates":[{"id":"p1","kind":"fact","text":"I moved to Utrecht.","decision":"new","turns":[0]}],
		"decisions":{"new":1,"revised":0,"already_known":0,"rejected":0},"writes":{"passages":1,"entities":0,"assertions":0,"supersessions":0},"redactions":[]}`
	route("GET /v1/workspaces/{w}", &m.check, `{"name":"demo","title":"","created_at":"2026-11-30T12:00:00Z"}`)
	route("POST /v1/workspaces", &m.create, `{"name":"demo","title":"","created_at":"2026-11-30T12:00:00Z"}`)
	route("POST /v1/workspaces/{w}/recall", &m.recall, recallAnswer)
	route("PUT /v1/workspaces/{w}/formations/{h}", &m.submit, formed)
	route("GET /v1/workspaces/{w}/formations/{h}", &m.outcome, formed)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

const recallAnswer = `{"passages":[{"id":"p1","text":"I moved to Utrecht.","role":"user","turn":0,"formation":"fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho","said_at":"2026-11-30T12:00:00Z","score":1}],` +
	`"graph":{"nodes":[{"id":"e1","name":"user","kind":"person"},{"id":"e2","name":"Utrecht","kind":"place"}],` +
	`"edges":[{"id":"a1","source":"e1","relation":"lives_in","target":"e2","statement":"user lives in Utrecht","qualified":false,"unqualified_reason":"hedged","asserted_at":"2026-11-30T12:00:00Z","passage":"p1"}],"truncated":false},` +
	`"read_at":"2026-11-30T12:00:00Z"}`

// problem is a hook that answers with an error of the contract.
func problem(code api.Code, detail string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(code.Status())
		_ = json.NewEncoder(w).Encode(api.Error{Type: "about:blank", Status: code.Status(), Code: code, Detail: detail, RequestID: "req-1"})
		return true
	}
}

// held is a hook that holds answers until release is called, or the request is given up.
func held() (hook func(http.ResponseWriter, *http.Request) bool, release func()) {
	ch := make(chan struct{})
	hook = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-ch:
		case <-r.Context().Done():
		}
		return false
	}
	return hook, sync.OnceFunc(func() { close(ch) })
}

func (m *memoryAPI) set(hook *func(http.ResponseWriter, *http.Request) bool, f func(http.ResponseWriter, *http.Request) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*hook = f
}

func (m *memoryAPI) seen() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.requests...)
}

// waitFor waits until a request whose line contains part has come n times.
func (m *memoryAPI) waitFor(t *testing.T, part string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d requests with %q", n, part), func() bool {
		return strings.Count(strings.Join(m.seen(), "\n"), part) >= n
	})
}

func (m *memoryAPI) client(t *testing.T) API {
	t.Helper()
	c, err := api.NewClient(m.URL, api.WithToken("lukasa_sk_test"), api.WithRetry(api.RetryPolicy{Attempts: 2, MinWait: time.Millisecond}))
	if err != nil {
		t.Fatal(err)
	}
	return Client(c)
}

func (m *memoryAPI) options(t *testing.T) Options {
	return Options{Workspace: "demo", API: m.client(t), Endpoint: "https://memory.example.com", Version: "test"}
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// syncBuffer is a buffer that several goroutines may use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// host is a host that talks to a running server.
type host struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *io.PipeReader
	stderr *syncBuffer
	stop   context.CancelFunc
	done   chan struct{}
	err    error // of Run, once done is closed

	mu    sync.Mutex
	lines []string
}

// start runs a server. Its end is waited for when the test ends.
func start(t *testing.T, o Options) *host {
	t.Helper()
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	h := &host{t: t, in: in, out: out, stderr: &syncBuffer{}, stop: stop, done: make(chan struct{})}
	o.Stdin, o.Stdout = inReader, outWriter
	if o.Stderr == nil {
		o.Stderr = h.stderr
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(h.stderr, nil))
		o.Logger = slog.New(slog.DiscardHandler)
	}
	go func() {
		defer close(h.done)
		h.err = Run(ctx, o)
		_ = outWriter.Close()
	}()
	go h.read()
	t.Cleanup(func() {
		_ = in.Close()
		stop()
		_ = out.Close()
		h.wait()
	})
	return h
}

func (h *host) read() {
	s := bufio.NewScanner(h.out)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		h.mu.Lock()
		h.lines = append(h.lines, s.Text())
		h.mu.Unlock()
	}
}

func (h *host) send(lines ...string) {
	h.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(h.in, l+"\n"); err != nil {
			h.t.Fatalf("the server stopped reading: %v", err)
		}
	}
}

func (h *host) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.lines...)
}

// line waits for a line that contains every one of the parts.
func (h *host) line(parts ...string) string {
	h.t.Helper()
	var found string
	eventually(h.t, fmt.Sprintf("a line with %q; there are %q", parts, h.all()), func() bool {
		for _, l := range h.all() {
			if containsAll(l, parts) {
				found = l
				return true
			}
		}
		return false
	})
	return found
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

func (h *host) hello(name string) {
	h.t.Helper()
	h.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, name),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	h.line(`"id":"hello"`)
}

// reply is a tool's result, as a host reads it.
type reply struct {
	Text       string
	Structured map[string]any
	IsError    bool
}

// call calls a tool and waits for its result.
func (h *host) call(id, tool, arguments string) reply {
	h.t.Helper()
	h.send(toolCall(id, tool, arguments))
	return parseReply(h.t, h.line(`"id":`+id+`,`))
}

func toolCall(id, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func parseReply(t *testing.T, line string) reply {
	t.Helper()
	var m struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent map[string]any
			IsError           bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Error != nil || len(m.Result.Content) != 1 {
		t.Fatalf("no result of a tool (%v): %s", err, line)
	}
	return reply{m.Result.Content[0].Text, m.Result.StructuredContent, m.Result.IsError}
}

// wait waits for the end of the server, and returns its error.
func (h *host) wait() error {
	select {
	case <-h.done:
	case <-time.After(patience):
		h.t.Error("the server did not end")
		return nil
	}
	return h.err
}

const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
