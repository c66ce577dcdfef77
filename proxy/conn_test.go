package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestAnIDInFlightIsRefusedWithoutIt(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	h := start(t, m.options(t))
	h.hello("test")
	h.send(toolCall("5", "recall_memory", `{"query":"x"}`))
	m.waitFor(t, "/recall", 1)
	h.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`, `{"jsonrpc":"2.0","id":"5","method":"ping"}`)
	refused := h.line(`"code":-32600`)
	if strings.Contains(refused, `"id"`) {
		t.Errorf("the refusal has an id: %s", refused)
	}
	h.line(`"id":"5","result"`) // a string is another id than a number
	release()
	h.line(`"id":5,"result":{"content"`)
	h.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	h.line(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	if !strings.Contains(h.stderr.String(), "id 5") {
		t.Errorf("stderr says nothing of it: %q", h.stderr)
	}
}

func TestCancelledCallsGetNoAnswer(t *testing.T) {
	m := newMemoryAPI(t)
	gone := make(chan struct{}, 10)
	m.set(&m.recall, func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done() // until the proxy gives the request up
		gone <- struct{}{}
		return true
	})
	h := start(t, m.options(t))
	h.hello("test")
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`) // before its request: nothing
	h.send(toolCall("5", "recall_memory", `{"query":"x"}`), toolCall(`"six"`, "recall_memory", `{"query":"x"}`))
	m.waitFor(t, "/recall", 2)
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"enough"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0073ix"}}`)
	for range 2 {
		select {
		case <-gone:
		case <-time.After(patience):
			t.Fatal("the request to the API went on")
		}
	}
	h.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`) // the id is free
	h.line(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	_ = h.in.Close()
	if err := h.wait(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if n := len(h.all()); n != 2 {
		t.Errorf("%d lines, want the answers to initialize and ping: %q", n, h.all())
	}
}

func TestACancelledBatchIsAnsweredWithTheRest(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	h := start(t, m.options(t))
	h.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	h.send("[" + toolCall("1", "recall_memory", `{"query":"x"}`) + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	m.waitFor(t, "/recall", 1)
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	h.line(`[{"jsonrpc":"2.0","id":2,"result":{}}]`)
}

func TestCancellingDoesNotStopASubmission(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.submit, hook)
	h := start(t, m.options(t))
	h.hello("test")
	turns := `{"turns":[{"role":"user","content":"hello"}]}`
	h.send(toolCall("5", "remember_conversation", turns))
	m.waitFor(t, "PUT", 1)
	h.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	if r := h.call("6", "formation_outcome", `{"handle":"fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"}`); r.Structured["status"] != "running" {
		t.Errorf("while it is sent: %v", r)
	}
	release()
	eventually(t, "the outcome of a submission whose call was cancelled", func() bool {
		h.send(toolCall("7", "formation_outcome", `{"handle":"fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"}`))
		h.send(`{"jsonrpc":"2.0","id":"next","method":"ping"}`)
		time.Sleep(5 * time.Millisecond)
		return strings.Contains(strings.Join(h.all(), "\n"), `"status":"finished"`)
	})
	if strings.Contains(strings.Join(h.all(), "\n"), `"id":5,`) {
		t.Error("the cancelled call was answered")
	}
}

func TestEveryCallIsAnsweredAfterTheEndOfTheInput(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	m.set(&m.submit, hook)
	h := start(t, m.options(t))
	h.hello("test")
	for i := range 8 {
		h.send(toolCall(fmt.Sprint(i), "recall_memory", `{"query":"x"}`))
	}
	h.send(toolCall("8", "remember_conversation", `{"turns":[{"role":"user","content":"hello"}]}`))
	_ = h.in.Close()
	m.waitFor(t, "/recall", 8)
	m.waitFor(t, "PUT", 1)
	release()
	if err := h.wait(); err != nil {
		t.Errorf("Run: %v", err)
	}
	for i := range 9 {
		h.line(fmt.Sprintf(`"id":%d,"result"`, i))
	}
}

func TestTheEndOfTheInputIsNotWaitedForForEver(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	o := m.options(t)
	o.DrainTimeout = 50 * time.Millisecond
	h := start(t, o)
	h.hello("test")
	h.send(toolCall("1", "recall_memory", `{"query":"x"}`))
	m.waitFor(t, "/recall", 1)
	_ = h.in.Close()
	if err := h.wait(); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestASignalEndsItWithinTwoSeconds(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(h *host)
	}{
		{"while reading", func(h *host) { h.stop() }},
		{"after the end of the input", func(h *host) { _ = h.in.Close(); time.Sleep(20 * time.Millisecond); h.stop() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemoryAPI(t)
			hook, release := held()
			defer release()
			m.set(&m.recall, hook)
			h := start(t, m.options(t))
			h.hello("test")
			h.send(toolCall("1", "recall_memory", `{"query":"x"}`))
			m.waitFor(t, "/recall", 1)
			began := time.Now()
			tt.end(h)
			if err := h.wait(); err != nil {
				t.Errorf("Run: %v", err)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestASignalLeavesCallsAMoment(t *testing.T) {
	m := newMemoryAPI(t)
	hook, release := held()
	defer release()
	m.set(&m.recall, hook)
	h := start(t, m.options(t))
	h.hello("test")
	h.send(toolCall("1", "recall_memory", `{"query":"x"}`))
	m.waitFor(t, "/recall", 1)
	h.stop()
	time.AfterFunc(100*time.Millisecond, release)
	_ = h.wait()
	h.line(`"id":1,"result"`)
}

func TestAHostThatReadsNoMoreEndsItQuietly(t *testing.T) {
	m := newMemoryAPI(t)
	h := start(t, m.options(t))
	h.hello("test")
	_ = h.out.Close()
	h.send(ping)
	if err := h.wait(); !errors.Is(err, ErrHostGone) {
		t.Errorf("Run: %v, want %v", err, ErrHostGone)
	}
	if got := h.stderr.String(); got != "" {
		t.Errorf("stderr: %q", got)
	}
}

func TestASignalEndsItThoughNobodyReads(t *testing.T) {
	m := newMemoryAPI(t)
	in, hostIn := io.Pipe()
	defer hostIn.Close()
	out, hostOut := io.Pipe() // never read
	defer out.Close()
	o := m.options(t)
	o.Stdin, o.Stdout = in, hostOut
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, o) }()
	_, _ = io.WriteString(hostIn, "junk\n"+ping+"\n")
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(2 * time.Second):
		t.Error("still running after two seconds")
	}
}

func TestALongLineIsSkippedAndAnswered(t *testing.T) {
	out := &syncBuffer{}
	in := strings.Repeat("x", 5000) + "\n" + ping + "\n"
	w := newWork()
	c := newConn(newLineReader(strings.NewReader(in), 1000), &frames{w: out}, &era{stderr: io.Discard}, w, io.Discard)
	defer c.Close()
	close(c.ready)
	go c.serve()
	msg, err := c.Read(context.Background())
	if err != nil || msg == nil {
		t.Fatalf("Read: %v, %v", msg, err)
	}
	if got := out.String(); !strings.Contains(got, `{"code":-32600,"message":"a message may have at most 64 MiB"}`) || strings.Contains(got, `"id"`) {
		t.Errorf("the long line was answered with %q", got)
	}
}

// panicky is an API that fails as no API should.
type panicky struct{ API }

func (panicky) Check(context.Context, string) error { return nil }
func (panicky) Submit(context.Context, string, api.SubmitFormation) (*api.Formation, error) {
	panic("submit")
}

func TestAPanicIsAnErrorOfOneCall(t *testing.T) {
	h := start(t, Options{Workspace: "demo", API: panicky{}, Endpoint: "local", Version: "test"})
	h.hello("test")
	h.send(toolCall("1", "recall_memory", `{"query":"x"}`)) // a nil pointer inside
	h.line(`"id":1,"error":{"code":-32603`)
	if r := h.call("2", "remember_conversation", `{"turns":[{"role":"user","content":"x"}]}`); !r.IsError {
		t.Errorf("a submission that panicked: %+v", r)
	}
	h.send(ping)
	h.line(`"id":"ping","result":{}`)
	eventually(t, "the stack on stderr", func() bool { return strings.Contains(h.stderr.String(), "goroutine ") })
	if strings.Contains(strings.Join(h.all(), ""), "goroutine") {
		t.Error("a stack went to the host")
	}
}

func TestASubscriptionIsAcknowledgedUnderTheHostsID(t *testing.T) {
	h := start(t, newMemoryAPI(t).options(t))
	h.send(`{"jsonrpc":"2.0","id":"sub-1","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"` +
		mcp.MetaKeyProtocolVersion + `":"2026-07-28","` + mcp.MetaKeyClientCapabilities + `":{}}}}`)
	for _, want := range []string{`"method":"notifications/subscriptions/acknowledged"`, `"id":"sub-1","result"`} {
		if line := h.line(want); !strings.Contains(line, `"`+mcp.MetaKeySubscriptionID+`":"sub-1"`) {
			t.Errorf("another subscription: %s", line)
		}
	}
}

func TestFramesAreOneLineAndOneWrite(t *testing.T) {
	var writes [][]byte
	f := &frames{w: writerFunc(func(p []byte) (int, error) {
		writes = append(writes, bytes.Clone(p))
		return len(p), nil
	})}
	at := id{raw: []byte(`1.50`)}
	err := f.write(func(dst []byte) []byte { return appendResult(dst, at, []byte("{\n \"a\": [1,\n2]\n}")) })
	if err != nil {
		t.Fatal(err)
	}
	if len(writes) != 1 || string(writes[0]) != `{"jsonrpc":"2.0","id":1.50,"result":{"a":[1,2]}}`+"\n" {
		t.Errorf("wrote %q", writes)
	}
}

func TestErrorsOfTheLibraryGetACode(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int64
	}{
		{errors.New("plain"), -32603},
		{fmt.Errorf("wrapped: %w", &wire{Code: -32602, Message: "x"}), -32602},
		{&wire{Code: 0, Message: "x"}, -32603},
		{&wire{Code: -32004, Message: "server is closing"}, -32603},
		{&wire{Code: -32022, Message: "x"}, -32022},
	} {
		if got := wireError(tt.err).Code; got != tt.want {
			t.Errorf("%v: %d, want %d", tt.err, got, tt.want)
		}
	}
	long := appendError(nil, id{}, &wire{Code: 1, Message: strings.Repeat("é", 400)})
	if len(long) > maxErrorText+100 || !validJSON(long) {
		t.Errorf("a long message became %d bytes: %s", len(long), long)
	}
}
