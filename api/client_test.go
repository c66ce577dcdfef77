package api_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

const secret = "lukasa_sk_nobody_may_see_this"

func TestNewClientBaseURL(t *testing.T) {
	for _, tt := range []struct{ url, want string }{ // want "" is an error
		{"https://memory.example.com", "https://memory.example.com"},
		{"https://memory.example.com/", "https://memory.example.com"},
		{"https://example.com/memory//", "https://example.com/memory"},
		{"https://example.com/a%2Fb/", "https://example.com/a%2Fb"},
		{"https://example.com:8443/x", "https://example.com:8443/x"},
		{"https://[2001:db8::1]/", "https://[2001:db8::1]"},
		{"http://localhost:8080", "http://localhost:8080"},
		{"http://LOCALHOST.:1", "http://LOCALHOST.:1"},
		{"http://memory.localhost", "http://memory.localhost"},
		{"http://127.0.0.1", "http://127.0.0.1"},
		{"http://127.9.9.9", "http://127.9.9.9"},
		{"http://[::1]:80", "http://[::1]:80"},
		{"http://example.com", ""},
		{"http://localhost.example.com", ""},
		{"http://192.168.0.1", ""},
		{"http://127.0.0.1.example.com", ""},
		{"ftp://example.com", ""},
		{"https:example.com", ""},
		{"https://", ""},
		{"https://:443", ""},
		{"example.com", ""},
		{"", ""},
		{"https://example.com?a=b", ""},
		{"https://example.com?", ""},
		{"https://example.com#top", ""},
		{"https://example.com#", ""},
		{"https://ann:" + secret + "@example.com", ""},
		{"https://" + secret + "@example.com", ""},
		{"https://ann:" + secret + "@exa mple.com", ""},
		{"https://example.com/%zz", ""},
	} {
		c, err := api.NewClient(tt.url)
		switch {
		case err != nil && tt.want != "":
			t.Errorf("NewClient(%q): %v", tt.url, err)
		case err != nil && strings.Contains(err.Error(), secret):
			t.Errorf("NewClient(%q) shows the password: %v", tt.url, err)
		case err == nil && c.BaseURL() != tt.want:
			t.Errorf("NewClient(%q).BaseURL() = %q, want %q", tt.url, c.BaseURL(), tt.want)
		}
	}
}

func TestAllowHTTP(t *testing.T) {
	if _, err := api.NewClient("http://memory.lan", api.WithAllowHTTP()); err != nil {
		t.Error(err)
	}
	if _, err := api.NewClient("ftp://memory.lan", api.WithAllowHTTP()); err == nil {
		t.Error("ftp was allowed")
	}
}

func TestNewClientRefusesOptions(t *testing.T) {
	unverified := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	for name, opt := range map[string]api.Option{
		"empty token":           api.WithToken(""),
		"token with line feed":  api.WithToken(secret + "\n"),
		"token with space":      api.WithToken("Bearer " + secret),
		"token beyond ASCII":    api.WithToken(secret + "é"),
		"unverified transport":  api.WithTransport(unverified),
		"unverified client":     api.WithHTTPClient(&http.Client{Transport: unverified}),
		"no response limit":     api.WithResponseLimit(0),
		"negative attempts":     api.WithRetry(api.RetryPolicy{Attempts: -1}),
		"negative waiting time": api.WithRetry(api.RetryPolicy{MaxWait: -1}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := api.NewClient("https://example.com", opt)
			if err == nil {
				t.Fatal("it was taken")
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	c, mux := setup(t, api.WithToken(secret), api.WithUserAgent("tester/1"))
	mux.HandleFunc("GET /v1/whoami", func(w http.ResponseWriter, r *http.Request) {
		for name, want := range map[string]string{
			"Authorization": "Bearer " + secret, "User-Agent": "tester/1", "Content-Type": "",
			"Accept": "application/json, application/problem+json",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
		reply(200, `{}`)(w, r)
	})
	if _, err := c.WhoAmI.Get(ctx(t)); err != nil {
		t.Error(err)
	}
}

// The token must not be found in anything that a program might print: the client in any verb, errors of an API that
// echoes what it was sent, and logs.
func TestTokenIsNeverShown(t *testing.T) {
	for name, opt := range map[string]api.Option{
		"token": api.WithToken(secret), "transport": api.WithTransport(credentials{http.DefaultTransport}),
	} {
		t.Run(name, func(t *testing.T) { tokenIsNeverShown(t, opt) })
	}
}

func tokenIsNeverShown(t *testing.T, opt api.Option) {
	t.Helper()
	var logged bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c, mux := setup(t, opt, api.WithLogger(log))
	mux.HandleFunc("GET /v1/whoami", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"code": "unauthenticated", "title": %[1]q, "detail": %[1]q, "hint": %[1]q,
			"errors": [{"field": "token", "message": %[1]q}]}`, r.Header.Get("Authorization"))
	})
	mux.HandleFunc("GET /v1/permissions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, r.Header)
	})
	_, echoed := c.WhoAmI.Get(ctx(t))
	_, proxied := c.Permissions.List(ctx(t))
	if echoed == nil || proxied == nil {
		t.Fatal("errors were expected")
	}
	log.Info("a client", "client", c)
	for name, text := range map[string]string{
		"%v": fmt.Sprint(c), "%+v": fmt.Sprintf("%+v", c), "%#v": fmt.Sprintf("%#v", c), "%+v of the value": fmt.Sprintf("%+v", *c),
		"service": fmt.Sprintf("%+v %#v", *c.Workspaces, *c.Workspaces), "log": logged.String(),
		"problem": fmt.Sprintf("%+v", echoed), "page": fmt.Sprintf("%#v", proxied),
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the token: %s", name, text)
		}
	}
	if !strings.Contains(echoed.Error(), "[redacted]") {
		t.Errorf("the echo was not redacted: %v", echoed)
	}
}

// A log says what was called and how it went; what was said and what was asked stays out of it.
func TestLog(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c, mux := setup(t, api.WithLogger(log))
	mux.HandleFunc("POST /v1/workspaces/notes/recall", reply(200, `{"passages": [{"text": "answer-word"}]}`))
	mux.HandleFunc("GET /v1/workspaces", reply(503, `{"code": "unavailable", "detail": "detail-word"}`))
	if _, err := c.Memory.Recall(ctx(t), "notes", api.RecallRequest{Query: "query-word"}); err != nil {
		t.Fatal(err)
	}
	_, _ = c.Workspaces.List(ctx(t), api.ListOptions{PageToken: "token-word"})
	for _, want := range []string{
		"level=DEBUG", "method=POST", "path=/v1/workspaces/notes/recall", "status=200", "status=503", "attempt=4", "retry_in=",
	} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &logged)
		}
	}
	for _, secret := range []string{"query-word", "answer-word", "detail-word", "token-word", "level=INFO", "level=ERROR"} {
		if strings.Contains(logged.String(), secret) {
			t.Errorf("the log has %s:\n%s", secret, &logged)
		}
	}
}

// Clients are made when a program starts, so making one must cost nothing that could be done later.
func TestNewClientIsCheap(t *testing.T) {
	allocs := testing.AllocsPerRun(10, func() {
		if _, err := api.NewClient("https://memory.example.com", api.WithToken(secret)); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 100 {
		t.Errorf("making a client takes %v allocations", allocs)
	}
}

func TestHTTPClientIsNotChanged(t *testing.T) {
	h := &http.Client{}
	if _, err := api.NewClient("https://example.com", api.WithHTTPClient(h)); err != nil {
		t.Fatal(err)
	}
	if h.Transport != nil || h.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
}
