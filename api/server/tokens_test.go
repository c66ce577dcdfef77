package server

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// Tokens that are no good are refused, each with what is wrong with it, and none is repeated.
func TestAccessTokens(t *testing.T) {
	var passed atomic.Int64 // since the test began
	began := now()
	s, log := open(t, Options{NoWorker: true, clock: func() time.Time { return began.Add(time.Duration(passed.Load())) }})
	user, good := member(t, s, "ana@example.com", "reader", "*")
	old, refresh := signIn(t, s, user.ID)
	ended, _ := signIn(t, s, user.ID)
	found, err := s.store.Token(t.Context(), access.Hash(ended))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.RevokeSession(t.Context(), found.Session.ID, s.clock()); err != nil {
		t.Fatal(err)
	}
	unknown, err := access.GenerateSecret(oauth.AccessPrefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, token, detail string }{
		{"good", good, ""},
		{"revoked", ended, "the sign-in was ended"},
		{"unknown", unknown, "not known here"},
		{"mistyped", good[:len(good)-1] + "-", "mistyped"},
		{"cut short", good[:20], "mistyped"},
		{"the prefix alone", oauth.AccessPrefix, "mistyped"},
		{"a refresh token", refresh, "not an API key of this service"},
		{"a refresh token that calls itself an access token", oauth.AccessPrefix + strings.TrimPrefix(refresh, oauth.RefreshPrefix), "mistyped"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantToken(t, s, tt.token, tt.detail) })
	}
	passed.Store(int64(30 * time.Minute))
	wantToken(t, s, old, "the access token has expired")
	for _, secret := range []string{good, old, refresh, ended, unknown} {
		if strings.Contains(log.String(), secret) {
			t.Error("the log has a token")
		}
	}
}

func wantToken(t *testing.T, s *Server, token, detail string) {
	t.Helper()
	a := send(t, s, request{method: "GET", path: "/v1/whoami", key: token})
	if detail == "" {
		if id := decode[api.Identity](t, a); a.status != http.StatusOK || id.User != "ana@example.com" || id.ExpiresAt == nil {
			t.Errorf("answered %d %s", a.status, a.body)
		}
		return
	}
	e := problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated)
	if !strings.Contains(e.Detail, detail) || strings.Contains(string(a.body), token) && len(token) > 20 {
		t.Errorf("refused with %q, want %q", e.Detail, detail)
	}
	if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) || !strings.Contains(got, "resource_metadata=") {
		t.Errorf("challenge %q", got)
	}
}

// Without a public URL people can sign in by the names of this machine, and by no other, whatever a request calls it.
func TestIssuer(t *testing.T) {
	s := quiet(t)
	s.public = ""
	for host, want := range map[string]string{
		"127.0.0.1:7437": "http://127.0.0.1:7437", "[::1]:7437": "http://[::1]:7437", "LOCALHOST": "http://localhost",
		"x.localhost:1": "http://x.localhost:1", "memory.example.com": "", "127.0.0.1.example.com": "", "": "", "[::1": "",
		"192.0.2.1:7437": "", "localhost.example.com:80": "", "0.0.0.0:7437": "",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if got, err := s.issuer(r); got != want || (err == nil) != (want != "") {
			t.Errorf("the issuer at %q is %q, %v; want %q", host, got, err, want)
		}
	}
}
