package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

// canned is an API that has its answer ready, so that what is measured is the proxy alone.
type canned struct {
	API
	recalled json.RawMessage
}

func (canned) Check(context.Context, string) error { return nil }
func (c canned) Recall(context.Context, string, api.RecallRequest) (json.RawMessage, error) {
	return c.recalled, nil
}

// recallOf is an answer of about size bytes.
func recallOf(size int) json.RawMessage {
	passage := `{"id":"p_01","text":"I said \"hello\" and that I like tea in the morning.","role":"user","turn":0,"formation":"` +
		helloHandle + `","said_at":"2026-01-01T00:00:00Z","score":0.5}`
	n := max(1, size/len(passage))
	return json.RawMessage(`{"passages":[` + strings.TrimSuffix(strings.Repeat(passage+",", n), ",") +
		`],"graph":{"nodes":[],"edges":[],"truncated":false},"read_at":"2026-01-01T00:00:00Z"}`)
}

// exchange is a host that sends a line and waits for its answer before the next.
type exchange struct {
	lines   int
	next    func(n int) string
	pending bytes.Reader
	turn    chan struct{}
}

func (e *exchange) Read(p []byte) (int, error) {
	if e.pending.Len() == 0 {
		<-e.turn
		if e.lines--; e.lines < 0 {
			return 0, io.EOF
		}
		e.pending.Reset([]byte(e.next(e.lines)))
	}
	return e.pending.Read(p)
}

func (e *exchange) Write(p []byte) (int, error) {
	e.turn <- struct{}{}
	return len(p), nil
}

func BenchmarkCall(b *testing.B) {
	for _, fast := range []bool{true, false} {
		for _, size := range []int{1 << 10, 64 << 10} {
			b.Run(fmt.Sprintf("direct=%t/answer=%d", fast, size), func(b *testing.B) {
				b.ReportAllocs()
				first := true
				e := &exchange{turn: make(chan struct{}, 2), lines: b.N + 1, next: func(n int) string {
					if first {
						first = false
						return `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}` + "\n"
					}
					return toolCall(fmt.Sprint(n), toolRecall, `{"query":"tea"}`) + "\n"
				}}
				e.turn <- struct{}{}
				o := Options{Workspace: "demo", API: canned{recalled: recallOf(size)}, Endpoint: "local", MaxReply: MaxReply, Stdin: e, Stdout: e}
				if err := run(context.Background(), o, fast); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
