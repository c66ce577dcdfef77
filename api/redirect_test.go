package api_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

// credentials adds a token to whatever passes, as round trippers of OAuth libraries do.
type credentials struct{ next http.RoundTripper }

func (c credentials) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+secret)
	return c.next.RoundTrip(r)
}

func redirectTo(status int, url *string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, *url, status) }
}

// Another origin may be another port of the same host: the standard library would take the token along.
func TestRedirectToAnotherOriginLosesToken(t *testing.T) {
	for name, opt := range map[string]api.Option{
		"token":       api.WithToken(secret),
		"transport":   api.WithTransport(credentials{http.DefaultTransport}),
		"HTTP client": api.WithHTTPClient(&http.Client{Transport: credentials{http.DefaultTransport}}),
	} {
		t.Run(name, func(t *testing.T) {
			var atHome, abroad atomic.Value
			var home, back string
			other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				abroad.Store(r.Header.Get("Authorization"))
				http.Redirect(w, r, back, http.StatusFound)
			}))
			mux := http.NewServeMux()
			mux.HandleFunc("GET /v1/whoami", redirectTo(http.StatusTemporaryRedirect, &other))
			mux.HandleFunc("GET /v1/permissions", func(w http.ResponseWriter, r *http.Request) {
				atHome.Store(r.Header.Get("Authorization"))
				reply(200, `{"kind": "key"}`)(w, r)
			})
			home = serve(t, mux)
			back = home + "/v1/permissions"
			if _, err := newClient(t, home, opt).WhoAmI.Get(ctx(t)); err != nil {
				t.Fatal(err)
			}
			if got := abroad.Load(); got != "" {
				t.Errorf("the other origin got %q", got)
			}
			if got := atHome.Load(); got != "" {
				t.Errorf("the other origin chose what was asked with %q", got)
			}
		})
	}
}

func TestRedirectWithinOriginKeepsToken(t *testing.T) {
	target := "/v1/permissions"
	for name, opt := range map[string]api.Option{
		"token": api.WithToken(secret), "transport": api.WithTransport(credentials{http.DefaultTransport}),
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /v1/whoami", redirectTo(http.StatusFound, &target))
			mux.HandleFunc("GET /v1/permissions", func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
					t.Errorf("Authorization = %q", got)
				}
				reply(200, `{"kind": "key"}`)(w, r)
			})
			got, err := newClient(t, serve(t, mux), opt).WhoAmI.Get(ctx(t))
			wantEqual(t, got, err, &api.Identity{Kind: "key"})
		})
	}
}

// A body leaves neither the origin nor its method: a PUT that became a GET would look as if it had been done.
func TestRedirectsThatAreRefused(t *testing.T) {
	var strayed atomic.Int32
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	plain := "http://memory.example.com/v1/whoami?secret-word"
	same := "/elsewhere"
	for _, tt := range []struct {
		call   string
		status int
		to     *string
		want   string // in the error
	}{
		{"PUT", 307, &other, "only what is read"},
		{"PUT", 308, &other, "only what is read"},
		{"recall", 307, &other, "only what is read"},
		{"create", 308, &other, "only what is read"},
		{"DELETE", 307, &other, "only what is read"},
		{"PUT", 302, &other, "turn PUT into GET"},
		{"recall", 303, &same, "turn POST into GET"},
		{"DELETE", 301, &same, "turn DELETE into GET"},
		{"GET", 302, &plain, "not encrypted"},
	} {
		t.Run(tt.call+" "+http.StatusText(tt.status)+" "+tt.want, func(t *testing.T) {
			var attempts atomic.Int32
			home := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				attempts.Add(1)
				redirectTo(tt.status, tt.to)(w, r)
			}))
			err := calls()[tt.call].call(ctx(t), newClient(t, home, api.WithToken(secret)))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret-word") {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
			if attempts.Load() != 1 || strayed.Load() != 0 {
				t.Errorf("%d attempts, %d at the other origin; want 1 and 0", attempts.Load(), strayed.Load())
			}
		})
	}
}

func TestRedirectOfPutWithinOrigin(t *testing.T) {
	target := "/elsewhere"
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/", redirectTo(http.StatusPermanentRedirect, &target))
	mux.HandleFunc("PUT /elsewhere", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"turns": [{"role": "user", "content": "hello"}]}`)
		reply(202, `{}`)(w, r)
	})
	if err := calls()["PUT"].call(ctx(t), newClient(t, serve(t, mux))); err != nil {
		t.Error(err)
	}
}

func TestEndlessRedirect(t *testing.T) {
	var attempts atomic.Int32
	target := "/v1/whoami"
	home := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts.Add(1)
		redirectTo(http.StatusFound, &target)(w, r)
	}))
	_, err := newClient(t, home).WhoAmI.Get(ctx(t))
	if err == nil || !strings.Contains(err.Error(), "10 redirects are too many") || attempts.Load() != 10 {
		t.Errorf("after %d requests: %v", attempts.Load(), err)
	}
}

func TestRedirectRuleOfCaller(t *testing.T) {
	refused, target := errors.New("no redirects today"), "/v1/permissions"
	home := serve(t, redirectTo(http.StatusFound, &target))
	h := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return refused }}
	if _, err := newClient(t, home, api.WithHTTPClient(h)).WhoAmI.Get(ctx(t)); !errors.Is(err, refused) {
		t.Errorf("error = %v", err)
	}
}

// A certificate that can't be verified is an error at once, and the API counts as unreachable.
func TestUntrustedCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(reply(200, `{}`))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about the client
	s.StartTLS()
	t.Cleanup(s.Close)
	_, err := newClient(t, s.URL).WhoAmI.Get(ctx(t))
	if !errors.Is(err, api.ErrUnreachable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error = %v", err)
	}
	if _, err := newClient(t, s.URL, api.WithTransport(s.Client().Transport)).WhoAmI.Get(ctx(t)); err != nil {
		t.Errorf("with its authority as root: %v", err)
	}
}
