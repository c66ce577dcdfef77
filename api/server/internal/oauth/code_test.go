package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api/internal/webtest"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

func TestCode(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	page := b.Submit(b.Get(s.url+request()), "Allow", nil)
	back := page.Location()
	if page.Status != http.StatusSeeOther || !strings.HasPrefix(back.String(), callback+"?") {
		t.Fatalf("sent to %v", back)
	}
	if q := back.Query(); q.Get("state") != "s t&a=te" || q.Get("iss") != s.url || q.Has("error") {
		t.Errorf("sent back %v", q)
	}
	a := s.post(oauth.PathToken, exchange(back.Query().Get("code")))
	if a.Status != 200 || a.Type != "Bearer" || a.ExpiresIn != 1800 || !strings.HasPrefix(a.Access, "lukasa_at_") || !strings.HasPrefix(a.Refresh, "lukasa_rt_") {
		t.Errorf("tokens %+v", a)
	}
	got := s.post(oauth.PathIntrospect, url.Values{"token": {a.Access}})
	if !got.Active || got.Username != "ana@example.com" || got.Client != oauth.ClientCLI || got.Type != "Bearer" {
		t.Errorf("introspection %+v", got)
	}
	s.wait(30 * time.Minute)
	if s.active(a.Access) || !s.active(a.Refresh) {
		t.Error("after 30 minutes the access token must have ended, and it alone")
	}
}

// A code is good for one use, for the client, address and verifier that it was asked for with, and for a minute.
func TestCodeRefused(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	short := strings.Repeat("a", 42)
	for _, tt := range []struct {
		name  string
		error string
		burnt bool // the right request is refused afterwards, too
		with  []string
	}{
		{"no verifier", "invalid_request", false, []string{"code_verifier", ""}},
		{"a verifier that is too short", "invalid_request", false, []string{"code_verifier", short}},
		{"a wrong verifier", "invalid_grant", true, []string{"code_verifier", verifier[:42] + "x"}},
		{"the challenge as its verifier", "invalid_grant", true, []string{"code_verifier", challenge}},
		{"another address", "invalid_grant", true, []string{"redirect_uri", "http://127.0.0.1:4712/callback"}},
		{"no address", "invalid_grant", true, []string{"redirect_uri", ""}},
		{"another client", "invalid_grant", true, []string{"client_id", other}},
		{"a client that isn't there", "invalid_client", false, []string{"client_id", "nobody"}},
		{"a client with a secret", "invalid_client", false, []string{"client_secret", "x"}},
		{"another code", "invalid_grant", false, []string{"code", "lukasa_ac_x"}},
		{"no code", "invalid_request", false, []string{"code", ""}},
		{"no grant type", "invalid_request", false, []string{"grant_type", ""}},
		{"another grant type", "unsupported_grant_type", false, []string{"grant_type", "password"}},
		{"another resource", "invalid_target", false, []string{"resource", "https://elsewhere.example"}},
		{"another scope", "invalid_scope", false, []string{"scope", "openid"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := s.code(b)
			s.wantError("refused", s.post(oauth.PathToken, exchange(code, tt.with...)), tt.error)
			again := s.post(oauth.PathToken, exchange(code))
			if tt.burnt {
				s.wantError("afterwards", again, "invalid_grant")
			} else if again.Access == "" {
				t.Errorf("afterwards: %+v", again)
			}
		})
	}
	code := s.code(b)
	s.wait(time.Minute)
	s.wantError("too late", s.post(oauth.PathToken, exchange(code)), "invalid_grant")
}

// Using a code again ends what came of it: one of the two isn't the client.
func TestCodeReuse(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	code := s.code(b)
	first := s.post(oauth.PathToken, exchange(code))
	bystander := s.tokens(b)
	s.wantError("again", s.post(oauth.PathToken, exchange(code)), "invalid_grant")
	if s.active(first.Access) || s.active(first.Refresh) {
		t.Error("the tokens of the code are good still")
	}
	s.wantError("renewing", s.refresh(first.Refresh), "invalid_grant")
	if !s.active(bystander.Access) {
		t.Error("another session was ended")
	}
}

// What can't be sent back to the client is shown; all else is sent back, with state and iss.
func TestAuthorizeRefused(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	for _, address := range []string{
		"http://127.0.0.1:4711/callback/", "http://127.0.0.1:4711/callback?x=1", "http://127.0.0.1:4711/other", "http://localhost:4711/callback",
		"https://127.0.0.1:4711/callback", "http://127.0.0.1.evil.example:80/callback", "http://127.0.0.1:4711@evil.example/callback",
		"http://evil.example/callback", "http://127.0.0.1:4711/callback#x", "http://127.0.0.2:4711/callback", "javascript:alert(1)",
		"//127.0.0.1:4711/callback", "http://127.0.0.1:4711/../callback", "/callback", "",
	} {
		page := b.Get(s.url + request("redirect_uri", address))
		if page.Status != http.StatusBadRequest || page.Location() != nil {
			t.Errorf("address %q: %d, sent to %v", address, page.Status, page.Location())
		}
	}
	if page := b.Get(s.url + request("client_id", "nobody")); page.Status != http.StatusBadRequest || page.Location() != nil {
		t.Errorf("a client that isn't there: %d, sent to %v", page.Status, page.Location())
	}
	if page := b.Get(s.url + request() + "&redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback"); page.Status != http.StatusBadRequest {
		t.Errorf("two addresses: %d", page.Status)
	}
	for _, tt := range []struct{ name, value, code string }{
		{"code_challenge", "", "invalid_request"}, {"code_challenge_method", "plain", "invalid_request"},
		{"code_challenge_method", "", "invalid_request"}, {"code_challenge", "short", "invalid_request"},
		{"code_challenge", strings.Repeat("=", 43), "invalid_request"}, {"response_type", "token", "unsupported_response_type"},
		{"response_type", "", "invalid_request"}, {"scope", "memory openid", "invalid_scope"},
		{"resource", "https://elsewhere.example", "invalid_target"}, {"response_mode", "fragment", "invalid_request"},
	} {
		back := b.Get(s.url + request(tt.name, tt.value)).Location()
		if back == nil || back.Query().Get("error") != tt.code || back.Query().Get("state") != "s t&a=te" || back.Query().Get("iss") != s.url || back.Query().Has("code") {
			t.Errorf("%s %q: sent to %v, want %s", tt.name, tt.value, back, tt.code)
		}
	}
}

func TestAuthorizeTakes(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	for _, changes := range [][]string{
		{"redirect_uri", "http://127.0.0.1:1/callback"}, {"redirect_uri", "http://[::1]:65535/callback"}, {"scope", "memory offline_access"},
		{"resource", s.url}, {"nonsense", "1"}, {"client_id", other, "redirect_uri", "https://other.example/back?x=1"}, {"state", ""},
	} {
		page := b.Submit(b.Get(s.url+request(changes...)), "Allow", nil)
		if page.Location() == nil || page.Location().Query().Get("code") == "" {
			t.Errorf("%v: %d, sent to %v", changes, page.Status, page.Location())
		}
	}
}

func TestDeny(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	back := b.Submit(b.Get(s.url+request()), "Deny", nil).Location()
	if back.Query().Get("error") != "access_denied" || back.Query().Has("code") || back.Query().Get("iss") != s.url {
		t.Errorf("sent back %v", back)
	}
}

// Whoever isn't signed in does that first, and comes back.
func TestSignInOnTheWay(t *testing.T) {
	s := newSite(t)
	s.join("ana@example.com")
	b := webtest.New(t, http.DefaultTransport)
	page := b.Get(s.url + request())
	if page.URL.Path != oauth.PathSignIn {
		t.Fatalf("sent to %v", page.URL)
	}
	page = b.Submit(page, "Sign in", url.Values{"email": {" ANA@example.com "}, "password": {password}})
	if page.URL.Path != oauth.PathAuthorize || !strings.Contains(page.Text, "ana@example.com") {
		t.Fatalf("came back to %v", page.URL)
	}
	if b.Submit(page, "Allow", nil).Location().Query().Get("code") == "" {
		t.Error("no code")
	}
	page = b.Submit(page, "Use another account", nil)
	if page.URL.Path != oauth.PathSignIn || !strings.Contains(page.URL.RawQuery, "code_challenge") {
		t.Errorf("another account begins at %v", page.URL)
	}
}

func TestEndpointsTakeFormsAlone(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{oauth.PathToken, oauth.PathDevice, oauth.PathRevoke, oauth.PathIntrospect} {
		for name, contentType := range map[string]string{"JSON": "application/json", "nothing": ""} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(`{"client_id": "lukasa-cli"}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", contentType)
			s.wantError(path+" with "+name, s.send(r), "invalid_request")
		}
		s.wantError(path+" with a parameter twice", s.post(path, url.Values{"client_id": {oauth.ClientCLI, oauth.ClientCLI}, "token": {"x"}}), "invalid_request")
		s.wantError(path+" with too much", s.post(path, url.Values{"client_id": {strings.Repeat("x", 100<<10)}}), "invalid_request")
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+oauth.PathToken, strings.NewReader(exchange("x").Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(oauth.ClientCLI, "secret")
	s.wantError("basic authentication", s.send(r), "invalid_client")
}
