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
	var armed atomic.Bool
	renewed := make(chan struct{})
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target.Load())
		r.Out.Host = r.In.Host
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if armed.Load() && strings.HasSuffix(r.URL.Path, "/token") {
			answer := httptest.NewRecorder()
			pass.ServeHTTP(answer, r)
			if answer.Code != http.StatusOK {
				t.Errorf("the renewal is answered %d %s", answer.Code, answer.Body)
			}
			renewed <- struct{}{}
			<-r.Context().Done() // it hears nothing
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
		armed.Store(true)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-renewed:
		case <-time.After(20 * time.Second):
			t.Fatal("it does not renew its session")
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil || c.ProcessState.ExitCode() >= 0 {
			t.Fatalf("it was not killed: %v", err)
		}
		armed.Store(false)
		if who := okJSON[whoAmI](m, "", "whoami"); who.Credential != "session" {
			t.Errorf("whoami: %+v", who)
		}
	}
}
