package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestKilledBetweenRenewalAndSave kills a process the moment that the server has renewed its session, before it can save
// what it gets. The next process gets the same successor.
func TestKilledBetweenRenewalAndSave(t *testing.T) {
	t.Parallel()
	const ttl = 2 * time.Second
	var target atomic.Pointer[url.URL]
	var victim atomic.Pointer[watched]
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target.Load())
		r.Out.Host = r.In.Host
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v := victim.Load(); v != nil && strings.HasSuffix(r.URL.Path, "/token") {
			answer := httptest.NewRecorder()
			pass.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK {
				t.Errorf("the renewal is answered %d %s", answer.Code, answer.Body)
			}
			_ = v.c.Process.Kill()
			panic(http.ErrAbortHandler)
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	a, direct := startOwn(t, front.URL, ttl)
	to, err := url.Parse(direct)
	if err != nil {
		t.Fatal(err)
	}
	target.Store(to)
	joined(t, a)
	m := newMachine(t, withBrowser(t)...)
	m.loginInBrowser(a, front.URL, "--insecure-storage")
	for range 3 {
		time.Sleep(ttl)
		c := m.command("whoami")
		v := &watched{c: c, done: make(chan error, 1)}
		victim.Store(v)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil || c.ProcessState.ExitCode() >= 0 {
			t.Fatalf("it was not killed: %v", err)
		}
		victim.Store(nil)
		if who := okJSON[whoAmI](m, "", "whoami"); who.Credential != "session" {
			t.Errorf("whoami: %+v", who)
		}
	}
}
