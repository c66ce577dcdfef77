package cmd_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// slowAPI stands before a memory API, and holds up what passes.
type slowAPI struct {
	url  string
	next http.Handler

	recalling, submitting atomic.Int64  // how long such requests are held up, in nanoseconds
	begun                 chan string   // gets a word for each request that is held up
	abandoned             chan struct{} // gets a value for each that was given up meanwhile
	checks                atomic.Int64  // how often a server that starts has asked for its workspace
}

func newSlowAPI(t *testing.T, target string) *slowAPI {
	t.Helper()
	at, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	s := &slowAPI{
		next:  &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }},
		begun: make(chan string, 100), abandoned: make(chan struct{}, 100),
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// hold sets how long recalls and submissions take.
func (s *slowAPI) hold(recalling, submitting time.Duration) {
	s.recalling.Store(int64(recalling))
	s.submitting.Store(int64(submitting))
}

func (s *slowAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // only then does the server see that the other side is gone
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	word, held := "", time.Duration(0)
	switch {
	case r.Method == http.MethodGet && path.Base(path.Dir(r.URL.Path)) == "workspaces":
		s.checks.Add(1)
	case strings.HasSuffix(r.URL.Path, "/recall"):
		word, held = "recall", time.Duration(s.recalling.Load())
	case r.Method == http.MethodPut:
		word, held = "submission", time.Duration(s.submitting.Load())
	}
	if held > 0 {
		s.begun <- word
		select {
		case <-time.After(held):
		case <-r.Context().Done():
			s.abandoned <- struct{}{}
			return
		}
	}
	s.next.ServeHTTP(w, r)
}

// await waits until a request of each of the words is held up.
func (s *slowAPI) await(t *testing.T, words ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, w := range words {
		missing[w] = true
	}
	for deadline := time.After(20 * time.Second); len(missing) > 0; {
		select {
		case w := <-s.begun:
			delete(missing, w)
		case <-deadline:
			t.Fatalf("requests did not come: %v", missing)
		}
	}
}

// awaitAbandoned waits until a request was given up.
func (s *slowAPI) awaitAbandoned(t *testing.T) {
	t.Helper()
	select {
	case <-s.abandoned:
	case <-time.After(5 * time.Second):
		t.Fatal("the request to the API goes on, though nobody waits for it")
	}
}
