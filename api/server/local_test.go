package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

func localClient(tb testing.TB, s *Server) *api.Client {
	tb.Helper()
	c, err := api.NewClient("http://localhost", api.WithTransport(s.LocalTransport()))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// localGet calls the API in process, without the SDK.
func localGet(tb testing.TB, ctx context.Context, s *Server, path string, header http.Header) (*http.Response, error) {
	tb.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	return s.LocalTransport().RoundTrip(req)
}

// A conversation is remembered and recalled in process, with the SDK, without a credential.
func TestLocalRoundTrip(t *testing.T) {
	s, _ := open(t, Options{})
	c := localClient(t, s)
	ctx := t.Context()
	who, err := c.WhoAmI.Get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&api.Identity{Kind: "local", Permissions: allPermissions(), Selectors: []string{"*"}}, who); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	if _, err := c.Workspaces.Create(ctx, api.CreateWorkspace{Name: "demo"}); err != nil {
		t.Fatal(err)
	}
	turns := []api.Turn{{Role: "user", Content: "My bicycle is a green Gazelle."}}
	handle := formation.Handle(turns, nil)
	if _, err := c.Formations.Submit(ctx, "demo", api.SubmitFormation{Turns: turns}); err != nil {
		t.Fatal(err)
	}
	f, err := c.Formations.Wait(ctx, "demo", handle)
	if err != nil || f.State != api.FormationFinished {
		t.Fatalf("formation %+v: %v", f, err)
	}
	found, err := c.Memory.Recall(ctx, "demo", api.RecallRequest{Query: "which bicycle?"})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Passages) != 1 || found.Passages[0].Text != turns[0].Content {
		t.Errorf("recalled %+v", found.Passages)
	}
	if _, err := c.Workspaces.Get(ctx, "absent"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("a workspace that isn't there: %v", err)
	}
}

// Local keys are the operator's: they may hold everything.
func TestLocalKeys(t *testing.T) {
	s := quiet(t)
	key, err := localClient(t, s).Keys.Create(t.Context(), api.CreateKey{Label: "x", Role: "admin", Selectors: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	if a := send(t, s, request{method: "GET", path: "/v1/keys", key: key.Secret}); a.status != http.StatusOK {
		t.Errorf("the key can't manage keys: %s", a.body)
	}
}

// Nothing that a request carries makes it a local one.
func TestLocalCannotBeClaimed(t *testing.T) {
	s := quiet(t)
	for _, header := range []http.Header{
		{"Authorization": {"Bearer local"}}, {"Authorization": {"local"}}, {"X-Local": {"true"}}, {"Localkey": {"true"}},
	} {
		a := send(t, s, request{method: "GET", path: "/v1/whoami", header: header})
		problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated)
	}
}

func TestLocalCancel(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, s, secret(t, s, allPermissions(), []string{"*"}), handle, body)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	resp, err := localGet(t, ctx, s, demoFormations+"/"+handle, http.Header{"Prefer": {"wait=30"}})
	if err == nil {
		resp.Body.Close()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := localGet(t, cancelled, s, "/healthz", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled before it began: %v", err)
	}
}

// A reader that stops in the middle of a stream ends the call, whether it closes the body or cancels.
func TestLocalStreamThatNobodyReads(t *testing.T) {
	for name, leave := range map[string]func(resp *http.Response, cancel context.CancelFunc){
		"closed":    func(resp *http.Response, _ context.CancelFunc) { resp.Body.Close() },
		"cancelled": func(_ *http.Response, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			f := &faulty{exportErr: errors.New("never")}
			f.exportStop.Store(1 << 40) // an export without end
			s, _ := openFaulty(t, f)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp, err := localGet(t, ctx, s, "/v1/workspaces/demo/export", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(resp.Body, make([]byte, 100)); err != nil {
				t.Fatal(err)
			}
			leave(resp, cancel)
			done := make(chan struct{})
			go func() {
				s.calls.wg.Wait()
				close(done)
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Error("the export goes on")
			}
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("half a stream ended as if it were whole")
			}
		})
	}
}

func TestLocalAfterClose(t *testing.T) {
	s := quiet(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	body := &closeRecorder{Reader: strings.NewReader("{}")}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/workspaces", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.LocalTransport().RoundTrip(req); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
	if !body.closed {
		t.Error("the request's body was not closed")
	}
}

type closeRecorder struct {
	io.Reader
	closed bool
}

func (c *closeRecorder) Close() error {
	c.closed = true
	return nil
}

func TestLocalHead(t *testing.T) {
	s := quiet(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, "http://localhost/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.LocalTransport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || len(body) != 0 || err != nil || resp.ContentLength <= 0 {
		t.Errorf("%d, %d bytes of %d, %v", resp.StatusCode, len(body), resp.ContentLength, err)
	}
}

// Closing waits for calls in flight.
func TestCloseWaits(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s, _ := openFaulty(t, &faulty{workspace: func() error {
		once.Do(func() { close(entered) })
		<-release
		return nil
	}})
	makeWorkspace(t, s, "demo")
	status := make(chan int, 1)
	go func() {
		resp, err := localGet(t, t.Context(), s, "/v1/workspaces/demo", nil)
		if err != nil {
			status <- 0
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		status <- resp.StatusCode
	}()
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Error("closed under a call")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	if got := <-status; got != http.StatusOK {
		t.Errorf("the call ended with %d", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
