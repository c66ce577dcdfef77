package api_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

func once() api.Option { return api.WithRetry(api.RetryPolicy{Attempts: 1}) }

// countedServer answers with a workspace, and counts the connections that are opened to it.
func countedServer(t *testing.T) (s *httptest.Server, opened *atomic.Int32) {
	t.Helper()
	opened = new(atomic.Int32)
	s = httptest.NewUnstartedServer(reply(200, `{"name": "notes"}`))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, opened
}

func TestConnectionsAreKept(t *testing.T) {
	s, opened := countedServer(t)
	c := newClient(t, s.URL, once())
	for range 5 {
		if err := c.Workspaces.Check(ctx(t), "notes"); err != nil {
			t.Fatal(err)
		}
	}
	if got := opened.Load(); got != 1 {
		t.Errorf("%d connections were opened for 5 calls, want 1", got)
	}
}

// A server that was started anew has closed what its clients keep. That costs no attempt.
func TestAConnectionThatWasClosedMeanwhileIsReplaced(t *testing.T) {
	s, opened := countedServer(t)
	c := newClient(t, s.URL, once())
	for range 3 {
		if err := c.Workspaces.Check(ctx(t), "notes"); err != nil {
			t.Fatal(err)
		}
		s.CloseClientConnections()
	}
	if got := opened.Load(); got != 3 {
		t.Errorf("%d connections were opened, want 3", got)
	}
}

// rawServer answers every request with the same bytes and closes the connection, unless hold is set: then the
// connection stays open until the test ends.
func rawServer(t *testing.T, answer string, hold bool) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			go func() {
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.WriteString(conn, answer)
				}
				if !hold {
					_ = conn.Close()
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

func TestRawAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	for name, tt := range map[string]struct {
		answer string
		want   string // in the error; "" for success
	}{
		"plain":                {ok, ""},
		"informational before": {"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok, ""},
		"until it closes":      {"HTTP/1.0 200 OK\r\n\r\n{}", ""},
		"chunked":              {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", ""},
		"more than it says":    {ok + "garbage", ""},
		"less than it says":    {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "unexpected EOF"},
		"nothing":              {"", "EOF"},
		"another protocol":     {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "protocol"},
		"not HTTP":             {"SSH-2.0-x\r\n\r\n", "malformed HTTP"},
		"a header with no end": {"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 1100), "the header of the answer has no end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, rawServer(t, tt.answer, false), once())
			for range 2 { // what came behind the first answer is not taken for the second
				err := c.Workspaces.Check(ctx(t), "notes")
				switch {
				case tt.want == "" && err != nil:
					t.Errorf("error %v", err)
				case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
					t.Errorf("error %v, want one with %q", err, tt.want)
				}
			}
		})
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	for name, answer := range map[string]string{
		"no answer":         "",
		"half a header":     "HTTP/1.1 200 OK\r\nContent-Le",
		"half a body":       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
		"half a large body": "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, rawServer(t, answer, true))
			cancelled, cancel := context.WithCancel(ctx(t))
			time.AfterFunc(20*time.Millisecond, cancel)
			if err := c.Workspaces.Check(cancelled, "notes"); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			short, cancel := context.WithTimeout(ctx(t), 20*time.Millisecond)
			defer cancel()
			if err := c.Workspaces.Check(short, "notes"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("out of time: %v", err)
			}
		})
	}
}

// Nothing is sent twice that may not be, and what is too long for the short way takes the other.
func TestTransportOfOtherCalls(t *testing.T) {
	var bodies atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		bodies.Add(n)
		reply(200, `{"name": "notes"}`)(w, r)
	}))
	t.Cleanup(s.Close)
	c := newClient(t, s.URL, once())
	if _, err := c.Workspaces.Create(ctx(t), api.CreateWorkspace{Name: "notes"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Memory.RecallJSON(ctx(t), "notes", api.RecallRequest{Query: strings.Repeat("x", 500_000)}); err != nil {
		t.Error(err)
	}
	if got := bodies.Load(); got < 500_000 {
		t.Errorf("%d bytes arrived", got)
	}
}
