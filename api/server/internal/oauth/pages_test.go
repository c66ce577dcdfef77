package oauth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api/internal/webtest"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

func signIn(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

func TestSignIn(t *testing.T) {
	s := newSite(t)
	s.join("ana@example.com")
	b := webtest.New(t, http.DefaultTransport)
	page := b.Get(s.url + oauth.PathSignIn)
	for name, values := range map[string]url.Values{
		"a wrong password": signIn("ana@example.com", "wrong"), "nobody": signIn("bo@example.com", password),
		"no address": signIn("", ""), "an endless password": signIn("ana@example.com", strings.Repeat("x", 2000)),
	} {
		got := b.Submit(page, "Sign in", values)
		if got.Status != http.StatusUnauthorized || !strings.Contains(got.Text, "The address or the password is not right.") {
			t.Errorf("%s is answered %d %s", name, got.Status, got.Text)
		}
		if v := values.Get("password"); v != "" && strings.Contains(got.Text, v) {
			t.Errorf("%s: the page repeats the password", name)
		}
	}
	if got := b.Submit(page, "Sign in", signIn("Ana@Example.com", password)); !strings.Contains(got.Text, "You are signed in") {
		t.Errorf("the right one is answered %d", got.Status)
	}
	s.wait(12 * time.Hour)
	if got := b.Get(s.url + oauth.PathSignIn); !strings.Contains(got.Text, "Password") {
		t.Error("the sign-in outlives its time")
	}
}

func TestSignInGuessing(t *testing.T) {
	s := newSite(t)
	s.join("ana@example.com")
	b := webtest.New(t, http.DefaultTransport)
	page := b.Get(s.url + oauth.PathSignIn)
	for range 10 {
		b.Submit(page, "Sign in", signIn("ana@example.com", "wrong"))
	}
	got := b.Submit(page, "Sign in", signIn("ANA@example.com", password))
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "600" {
		t.Errorf("after ten guesses: %d, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
	}
	s.wait(10*time.Minute + time.Second)
	if got := b.Submit(page, "Sign in", signIn("ana@example.com", password)); got.Status != http.StatusOK {
		t.Errorf("after the lock-out: %d", got.Status)
	}
}

// A form counts only when it came from a page of ours, in this browser, and from this site.
func TestForgedForms(t *testing.T) {
	s := newSite(t)
	b, stranger := s.join("ana@example.com"), s.join("eve@example.com")
	page := b.Get(s.url + request())
	form, _ := page.Form("Allow")
	values := url.Values{"request": form.Values["request"], "decision": {"allow"}}
	for name, token := range map[string]string{
		"none": "", "a made-up one": strings.Repeat("0", 64), "a stranger's": formToken(t, stranger.Get(s.url+request())),
	} {
		values.Set("form_token", token)
		if got := b.Post(s.url+oauth.PathAuthorize, values); got.Status != http.StatusForbidden || got.Location() != nil {
			t.Errorf("a form token that is %s: %d, sent to %v", name, got.Status, got.Location())
		}
	}
	values.Set("form_token", form.Values.Get("form_token"))
	cross := webtest.New(t, crossSite{})
	cross.Get(s.url + oauth.PathSignIn)
	if got := cross.Post(s.url+oauth.PathAuthorize, values); got.Status != http.StatusForbidden {
		t.Errorf("from another site: %d", got.Status)
	}
	if got := b.Post(s.url+oauth.PathAuthorize, values); got.Location() == nil {
		t.Errorf("the right one: %d", got.Status)
	}
}

// crossSite sends what another site's page would.
type crossSite struct{}

func (crossSite) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	return http.DefaultTransport.RoundTrip(r)
}

func formToken(t *testing.T, p webtest.Page) string {
	t.Helper()
	form, ok := p.Form("Allow")
	if !ok {
		t.Fatalf("no form: %s", p.Text)
	}
	return form.Values.Get("form_token")
}

// Nobody is sent anywhere but to our own pages.
func TestOpenRedirect(t *testing.T) {
	s := newSite(t)
	s.join("ana@example.com")
	for _, next := range []string{
		"https://evil.example", "//evil.example/oauth/authorize", "/\\evil.example", "/oauth/token", "javascript:alert(1)",
		"/oauth/authorize/../../x", "http:/oauth/verify", "\t//evil.example", "/oauth/verify#x", "@evil.example",
	} {
		b := webtest.New(t, http.DefaultTransport)
		page := b.Get(s.url + oauth.PathSignIn + "?" + url.Values{"next": {next}}.Encode())
		values := signIn("ana@example.com", password)
		values.Set("next", next)
		if got := b.Submit(page, "Sign in", values); got.URL.String() != s.url+oauth.PathSignIn {
			t.Errorf("next %q leads to %v", next, got.URL)
		}
	}
}

func TestHeadersOfPages(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	for _, path := range []string{oauth.PathSignIn, oauth.PathVerify, request(), oauth.PathInvitation, request("client_id", "x")} {
		page := b.Get(s.url + path)
		policy := page.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'", "style-src 'sha256-"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(page.Text, "<script") || page.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: policy %q, frames %q", path, policy, page.Header.Get("X-Frame-Options"))
		}
	}
	if policy := b.Get(s.url + request()).Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' http://127.0.0.1:4711;") {
		t.Errorf("the answer can't go to the client: %q", policy)
	}
}

// Over https cookies are bound to the host alone. Over plain http, which is for the loopback interface, they have plain
// names, as not every browser takes the others there.
func TestCookies(t *testing.T) {
	s := newSite(t)
	for base, want := range map[string]string{
		"https://memory.example.com": "__Host-lukasa_browser=… Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax",
		"http://127.0.0.1:7437":      "lukasa_browser=… Path=/oauth; Max-Age=43200; HttpOnly; SameSite=Lax",
	} {
		w := httptest.NewRecorder()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+oauth.PathSignIn, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.server.SignIn(w, r, base); err != nil {
			t.Fatal(err)
		}
		name, rest, _ := strings.Cut(w.Header().Get("Set-Cookie"), "=lukasa_br_")
		_, attributes, _ := strings.Cut(rest, "; ")
		if got := name + "=… " + attributes; got != want {
			t.Errorf("%s sets %q, want %q", base, got, want)
		}
	}
}

func TestInvitation(t *testing.T) {
	s := newSite(t)
	made, err := s.server.Setup(context.Background(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.New(t, http.DefaultTransport)
	page := b.Get(made.Link)
	good := url.Values{"email": {"Ana@example.com"}, "name": {"Ana"}, "password": {password}, "again": {password}}
	for field, value := range map[string]string{
		"email": "nobody", "name": " ", "password": "short", "again": "something else",
	} {
		values := url.Values{}
		for k, v := range good {
			values[k] = v
		}
		values.Set(field, value)
		if got := b.Submit(page, "Join", values); got.Status != http.StatusBadRequest || !strings.Contains(got.Text, `role="alert"`) {
			t.Errorf("%s %q is answered %d", field, value, got.Status)
		}
	}
	for _, weak := range []string{"aaaaaaaaaaaaaa", "ana@example.com"} {
		values := url.Values{"email": {"ana@example.com"}, "name": {"Ana"}, "password": {weak}, "again": {weak}}
		if got := b.Submit(page, "Join", values); got.Status != http.StatusBadRequest {
			t.Errorf("the password %q is answered %d", weak, got.Status)
		}
	}
	later, err := s.server.Setup(context.Background(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Submit(page, "Join", good); got.Status != http.StatusGone {
		t.Errorf("an earlier link is answered %d", got.Status)
	}
	if got := b.Submit(b.Get(later.Link), "Join", good); !strings.Contains(got.Text, "ana@example.com, root") {
		t.Fatalf("joining is answered %d %s", got.Status, got.Text)
	}
	if _, err := s.server.Setup(context.Background(), s.url); err == nil {
		t.Error("a second root can be set up")
	}
	if got := b.Get(later.Link); got.Status != http.StatusGone {
		t.Errorf("the used link is answered %d", got.Status)
	}
}

func TestInvitationExpires(t *testing.T) {
	s := newSite(t)
	made, err := s.server.Setup(context.Background(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.New(t, http.DefaultTransport)
	page := b.Get(made.Link)
	s.wait(24 * time.Hour)
	values := url.Values{"email": {"ana@example.com"}, "name": {"Ana"}, "password": {password}, "again": {password}}
	if got := b.Submit(page, "Join", values); got.Status != http.StatusGone {
		t.Errorf("too late is answered %d", got.Status)
	}
}

func TestFoldEmail(t *testing.T) {
	for raw, want := range map[string]string{
		" Ana@Example.COM ": "ana@example.com", "ana+x@example.com": "ana+x@example.com", "Ana <ana@example.com>": "",
		"ana": "", "": "", "a b@example.com": "", "ana@": "", strings.Repeat("a", 300) + "@x.example": "",
	} {
		if got, ok := oauth.FoldEmail(raw); got != want || ok != (want != "") {
			t.Errorf("FoldEmail(%q) = %q, %v; want %q", raw, got, ok, want)
		}
	}
}
