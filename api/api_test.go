package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

// prefix is the path below which the API of these tests is served: nothing may take it for granted that there is none.
const prefix = "/behind/a%20proxy"

// setup returns a client and the mux that answers it. Whatever the mux doesn't know fails the test.
func setup(t *testing.T, opts ...api.Option) (*api.Client, *http.ServeMux) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("unexpected request: %s %s", r.Method, r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
	})
	return newClient(t, serve(t, http.StripPrefix("/behind/a proxy", mux))+prefix, opts...), mux
}

// serve runs a handler on a loopback port until the test ends, and returns its URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// quick is a retry policy that wastes no time.
func quick() api.RetryPolicy {
	return api.RetryPolicy{MinWait: time.Millisecond, MaxWait: 2 * time.Millisecond}
}

func newClient(t *testing.T, url string, opts ...api.Option) *api.Client {
	t.Helper()
	c, err := api.NewClient(url, append([]api.Option{api.WithRetry(quick())}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reply answers every request with a status and a JSON text.
func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// ctx is a context that ends long before the test does.
func ctx(t *testing.T) context.Context {
	t.Helper()
	c, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return c
}

// wantBody fails the test unless the request's body is JSON of that meaning.
func wantBody(t *testing.T, r *http.Request, want string) {
	t.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q, want application/json", got)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("reading the request: %v", err)
	}
	var g, w any
	if err := json.Unmarshal(body, &g); err != nil {
		t.Errorf("body %q: %v", body, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// wantEqual fails the test unless got is want and err is nil.
func wantEqual[T any](t *testing.T, got T, err error, want T) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func date(day int) time.Time { return time.Date(2025, time.March, day, 9, 0, 0, 0, time.UTC) }

func itoa(n int) string { return strconv.Itoa(n) }
