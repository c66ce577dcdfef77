package api_test

import (
	"bufio"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// callVariable makes the test program call the API at that address and end. What a client takes from its environment is
// read once in a process, so each of its tests needs one of its own.
const callVariable = "LUKASA_TEST_CALL"

func TestMain(m *testing.M) {
	if url := os.Getenv(callVariable); url != "" {
		os.Exit(callOnce(url))
	}
	os.Exit(m.Run())
}

func callOnce(url string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, err := api.NewClient(url, api.WithRetry(api.RetryPolicy{Attempts: 1}))
	if err == nil {
		_, err = client.WhoAmI.Get(ctx)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// callFrom calls the API at url from a process with these environment variables.
func callFrom(t *testing.T, url string, env ...string) (output string, err error) {
	t.Helper()
	cmd := exec.CommandContext(ctx(t), os.Args[0])
	cmd.Env = append([]string{callVariable + "=" + url}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestCertFile(t *testing.T) {
	s := httptest.NewUnstartedServer(reply(200, `{}`))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "roots.pem")
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, root, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := callFrom(t, s.URL, "SSL_CERT_FILE="+file); err != nil {
		t.Errorf("with SSL_CERT_FILE: %v: %s", err, out)
	}
	if out, err := callFrom(t, s.URL); err == nil || !strings.Contains(out, "certificate") {
		t.Errorf("without: %v: %s", err, out)
	}
}

func TestProxyFromEnvironment(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	asked := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		line, _ := bufio.NewReader(conn).ReadString('\n')
		asked <- strings.TrimSpace(line)
		_, _ = io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
	}()
	out, err := callFrom(t, "https://memory.invalid", "HTTPS_PROXY=http://"+ln.Addr().String())
	if err == nil {
		t.Error("the call succeeded")
	}
	select {
	case got := <-asked:
		if want := "CONNECT memory.invalid:443 HTTP/1.1"; got != want {
			t.Errorf("the proxy was asked %q, want %q", got, want)
		}
	case <-ctx(t).Done():
		t.Errorf("the proxy was not asked; the client said %s", out)
	}
}

// Over HTTP/2 a connection that breaks is a stream that is reset.
func TestStreamResetIsRepeated(t *testing.T) {
	var attempts atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("the request came over %s", r.Proto)
		}
		if attempts.Add(1) < 3 {
			panic(http.ErrAbortHandler)
		}
		reply(200, `{"kind": "key"}`)(w, r)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	got, err := newClient(t, s.URL, api.WithTransport(s.Client().Transport)).WhoAmI.Get(ctx(t))
	wantEqual(t, got, err, &api.Identity{Kind: "key"})
}

// A client is one for the whole program.
func TestConcurrentUse(t *testing.T) {
	c, mux := setup(t, api.WithToken(secret))
	mux.HandleFunc("GET /v1/workspaces/{name}", func(w http.ResponseWriter, r *http.Request) {
		reply(200, `{"name": "`+r.PathValue("name")+`"}`)(w, r)
	})
	failed, ctx := make(chan error, 20), ctx(t)
	for i := range cap(failed) {
		go func() {
			name := "w" + itoa(i)
			w, err := c.Workspaces.Get(ctx, name)
			if err == nil && w.Name != name {
				err = errors.New("asked for " + name + ", got " + w.Name)
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// In process the same client keeps the same contract, without a socket or a credential.
func TestClientInProcess(t *testing.T) {
	s, _, _ := realServer(t)
	tour := newTour(t, newClient(t, "http://localhost", api.WithTransport(s.LocalTransport())))
	if me := must(tour.client.WhoAmI.Get(tour.ctx))(tour); me.Kind != "local" {
		t.Errorf("whoami: %+v", me)
	}
	tour.workspaces()
	tour.formations()
	tour.memory()
	tour.passages()
	tour.graph()
	tour.export()
	tour.keys()
	tour.erase()
}
