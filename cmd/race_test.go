package cmd_test

import (
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
// there, and with replies set some of the answers.
type badWay struct {
	*httptest.Server
	t       *testing.T
	target  atomic.Pointer[url.URL]
	bad     atomic.Bool // from when on
	replies bool        // answers are lost as well
	delay   time.Duration

	count, lost, unheard atomic.Int64
	refreshes            atomic.Int64 // requests that arrived at the server
}

func newBadWay(t *testing.T, delay time.Duration) *badWay {
	t.Helper()
	b := &badWay{t: t, delay: delay}
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
			b.refreshes.Add(1)
			if b.replies && b.count.Load()%3 == 0 {
				b.unheard.Add(1)
				pass.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

// leadTo says where the way leads.
func (b *badWay) leadTo(server string) {
	b.t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		b.t.Fatal(err)
	}
	b.target.Store(to)
}

// raceLife is how long a token lives in the races, and how long they last.
func raceLife() (ttl, lasts time.Duration) {
	if soak() {
		return 20 * time.Second, 60 * time.Second
	}
	return 3 * time.Second, 11 * time.Second
}

// testForeignRace is testRace against a server by others.
func testForeignRace(t *testing.T, start func(front string, ttl time.Duration) (*authority, string)) {
	ttl, _ := raceLife()
	way := newBadWay(t, ttl/2)
	a, direct := start(way.URL, ttl)
	way.leadTo(direct)
	g := newGate(t, newMachine(t), a)
	testRace(t, way, a, g.URL)
	t.Logf("%d tokens, %d answers with 401", g.tokens(), g.refused.Load())
}

// testRace shares one login among processes that call all the time while its token expires again and again.
func testRace(t *testing.T, way *badWay, a *authority, endpoint string) {
	const processes = 8
	ttl, lasts := raceLife()
	m := newMachine(t, withBrowser(t)...)
	m.loginInBrowser(a, endpoint, "--insecure-storage")
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
	t.Logf("%d calls, %d refreshes that arrived, %d requests and %d replies lost", calls.Load(), way.refreshes.Load(), way.lost.Load(), way.unheard.Load())
	if n := way.refreshes.Load(); n < expiries-1 || n > 2*expiries+2 {
		t.Errorf("%d refreshes in %d lifetimes of a token", n, expiries)
	}
	if calls.Load() < processes*5 {
		t.Error("hardly any calls were made")
	}
}

func TestRenewalRaceAtOIDCProvider(t *testing.T) {
	testForeignRace(t, func(front string, ttl time.Duration) (*authority, string) { return startOIDCProvider(t, front, ttl) })
}

func TestRenewalRaceAtZitadel(t *testing.T) {
	testForeignRace(t, func(front string, ttl time.Duration) (*authority, string) { return startZitadel(t, front, ttl) })
}
