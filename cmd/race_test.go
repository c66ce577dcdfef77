package cmd_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// badWay is a proxy before an authorization server that loses or delays some of the requests for tokens on their way
// there. Nothing of the answers is lost.
type badWay struct {
	*httptest.Server
	target   atomic.Pointer[url.URL]
	bad      atomic.Bool // from when on
	delay    time.Duration
	refreshs atomic.Int64 // refresh requests that arrived at the server
	lost     atomic.Int64
	count    atomic.Int64
}

func newBadWay(t *testing.T, delay time.Duration) *badWay {
	t.Helper()
	b := &badWay{delay: delay}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(b.target.Load())
		r.Out.Host = r.In.Host // the issuer is this proxy's address
	}}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/token") && b.bad.Load() {
			switch b.count.Add(1) % 10 {
			case 2:
				b.lost.Add(1)
				panic(http.ErrAbortHandler) // the connection breaks
			case 4:
				time.Sleep(b.delay)
			}
			b.refreshs.Add(1)
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

// testRace shares one login among processes that call all the time while its token expires again and again.
func testRace(t *testing.T, start func(front string, ttl time.Duration) (*authority, string)) {
	processes, ttl, lasts := 8, 3*time.Second, 11*time.Second
	if soak() {
		ttl, lasts = 20*time.Second, 60*time.Second
	}
	way := newBadWay(t, ttl/2)
	a, direct := start(way.URL, ttl)
	to, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	way.target.Store(to)
	g := newGate(t, newMachine(t), a)
	m := newMachine(t, withBrowser(t)...)
	m.loginInBrowser(a, g.URL, "--insecure-storage")
	m.ok("", "workspace", "create", "notes")
	way.bad.Store(true)

	var calls atomic.Int64
	var group sync.WaitGroup
	until := time.Now().Add(lasts)
	for range processes {
		agent := m.agent("--workspace", "notes")
		group.Go(func() {
			for time.Now().Before(until) {
				var r api.Recall
				if err := agent.call(t.Context(), "recall_memory", map[string]any{"query": "anything"}, &r); err != nil {
					t.Errorf("a call failed: %v", err)
					return
				}
				calls.Add(1)
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	group.Wait()
	m.ok("", "whoami")
	expiries := int64(lasts/ttl) + 1
	t.Logf("%d calls, %d tokens, %d refreshes that arrived, %d lost, %d answers with 401", calls.Load(), g.tokens(), way.refreshs.Load(), way.lost.Load(), g.refused.Load())
	if n := way.refreshs.Load(); n < expiries-1 || n > 2*expiries+2 {
		t.Errorf("%d refreshes in %d lifetimes of a token", n, expiries)
	}
	if calls.Load() < int64(processes)*5 {
		t.Error(errors.New("hardly any calls were made"))
	}
}

func TestRenewalRaceAtOIDCProvider(t *testing.T) {
	testRace(t, func(front string, ttl time.Duration) (*authority, string) { return startOIDCProvider(t, front, ttl) })
}

func TestRenewalRaceAtZitadel(t *testing.T) {
	testRace(t, func(front string, ttl time.Duration) (*authority, string) { return startZitadel(t, front, ttl) })
}
