package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// serve starts serving on a loopback port. stop ends it and returns what Serve returned.
func serve(t *testing.T, s *Server) (url string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	t.Cleanup(cancel)
	return "http://" + ln.Addr().String(), func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(2 * shutdownTime):
			return errors.New("serving doesn't end")
		}
	}
}

func TestServe(t *testing.T) {
	s, _ := open(t, Options{})
	url, stop := serve(t, s)
	key := secret(t, s, allPermissions(), []string{"demo"})
	c, err := api.NewClient(url, api.WithToken(key))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Workspaces.Create(t.Context(), api.CreateWorkspace{Name: "demo", Title: "Über <b>"}); err != nil {
		t.Fatal(err)
	}
	w, err := c.Workspaces.Get(t.Context(), "demo")
	if err != nil || w.Title != "Über <b>" || len(w.Permissions) != len(allPermissions()) || w.Counts == nil {
		t.Errorf("workspace %+v: %v", w, err)
	}
	if _, err := c.Workspaces.Create(t.Context(), api.CreateWorkspace{Name: "demo"}); !errors.Is(err, api.ErrAlreadyExists) {
		t.Errorf("creating it again: %v", err)
	}
	if _, err := c.Workspaces.Create(t.Context(), api.CreateWorkspace{Name: "demo2"}); !errors.Is(err, api.ErrPermissionDenied) {
		t.Errorf("creating another: %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
	if _, err := http.Get(url + "/healthz"); err == nil {
		t.Error("it still serves")
	}
}

// A request that waits when the server is to end is answered, and the worker hands its lease back.
func TestGracefulStop(t *testing.T) {
	s, _ := open(t, Options{NoWorker: true})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, s, key, handle, body)
	url, stop := serve(t, s)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+demoFormations+"/"+handle, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Prefer", "wait=30")
	type reply struct {
		body string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			replies <- reply{err: err}
			return
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		replies <- reply{string(b), err}
	}()
	time.Sleep(200 * time.Millisecond) // for the request to arrive and wait
	began := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("ending took %v", took)
	}
	if r := <-replies; r.err != nil || !strings.Contains(r.body, `"state":"queued"`) {
		t.Errorf("the request that waited got %q, %v", r.body, r.err)
	}
}

func TestServeHandsLeasesBack(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	_, stop := serve(t, s)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	// The worker has ended: what is submitted now stays in the queue, and is free to be leased at once.
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, s, secret(t, s, allPermissions(), []string{"*"}), handle, body)
	time.Sleep(100 * time.Millisecond)
	job, err := s.store.Lease(t.Context(), "test", now(), now().Add(time.Minute))
	if err != nil || job.Handle != handle || job.Attempt != 1 {
		t.Errorf("job %+v: %v", job, err)
	}
}

func TestServeOnAClosedListener(t *testing.T) {
	s := quiet(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := s.Serve(t.Context(), ln); err == nil {
		t.Error("serving on a closed listener ended well")
	}
}

// raw sends bytes over a connection and returns the status line that comes back.
func raw(t *testing.T, url, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(answer), "\r\n")
	return line
}

// What no HTTP client would send is answered too, and ends nothing.
func TestOddRequestLines(t *testing.T) {
	s := quiet(t)
	url, stop := serve(t, s)
	const rest = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	for line, want := range map[string]string{
		"GET /v1/../healthz":                  "404",
		"GET //healthz":                       "404",
		"GET http://other/healthz":            "200",
		"OPTIONS *":                           "200", // net/http's own
		"CONNECT example.com:443":             "404",
		"GET /healthz?x=1":                    "400",
		"GET /v1/workspaces/%zz":              "400",
		"GET /" + strings.Repeat("a", 10_000): "404",
	} {
		if got := raw(t, url, line+rest); !strings.HasPrefix(got, "HTTP/1.1 "+want) {
			t.Errorf("%.40s: %q, want %s", line, got, want)
		}
	}
	huge := "GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("a", 80<<10) + "\r\n\r\n"
	if got := raw(t, url, huge); !strings.HasPrefix(got, "HTTP/1.1 431") {
		t.Errorf("huge headers: %q", got)
	}
	resp, err := http.Get(url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A body that says it is too large isn't waited for.
func TestLargeBodyOverTheNetwork(t *testing.T) {
	s := quiet(t)
	url, stop := serve(t, s)
	key := secret(t, s, allPermissions(), []string{"*"})
	head := fmt.Sprintf("POST /v1/workspaces HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", key, int64(1)<<40)
	if got := raw(t, url, head); !strings.HasPrefix(got, "HTTP/1.1 413") {
		t.Errorf("%q", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// What hasn't arrived whole when the server is to end doesn't keep it, whether its body is read or only drained, or its
// header isn't here yet; what is being handled is answered.
func TestStopCutsOffWhatIsOnItsWay(t *testing.T) {
	f := &faulty{}
	s, _ := openFaulty(t, f)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handling := make(chan struct{})
	f.workspace = func() error {
		close(handling)
		time.Sleep(bodyGrace + time.Second) // longer than what is on its way has
		return nil
	}
	url, stop := serve(t, s)
	const head = "POST /v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
	for _, text := range []string{
		head + "Authorization: Bearer " + key + "\r\n\r\n{", head + "\r\n{", head, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + head,
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	status := make(chan string, 1)
	go func() {
		status <- raw(t, url, "GET /v1/workspaces/demo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\n\r\n")
	}()
	<-handling
	time.Sleep(100 * time.Millisecond) // for the others to arrive as far as they do
	began := time.Now()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > bodyGrace+3*time.Second {
		t.Errorf("ending took %v", took)
	}
	if got := <-status; !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("the request that was being handled got %q", got)
	}
}
