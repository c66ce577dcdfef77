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

func (s *site) device() reply {
	s.Helper()
	a := s.post(oauth.PathDevice, url.Values{"client_id": {oauth.ClientCLI}})
	if a.DeviceCode == "" || len(a.UserCode) != 9 || a.Interval != 5 {
		s.Fatalf("no device code: %+v", a)
	}
	return a
}

func (s *site) poll(code string, changes ...string) reply {
	s.Helper()
	values := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {oauth.ClientCLI}, "device_code": {code},
	}
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	return s.post(oauth.PathToken, values)
}

// enter types a code and presses Continue.
func (s *site) enter(b *webtest.Browser, code string) webtest.Page {
	s.Helper()
	return b.Submit(b.Get(s.url+oauth.PathVerify), "Continue", url.Values{"user_code": {code}})
}

func TestDevice(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	for name, typed := range map[string]func(string) string{
		"as it is":         func(code string) string { return code },
		"in small letters": strings.ToLower,
		"without the dash": func(code string) string { return strings.ReplaceAll(code, "-", "") },
		"with blanks":      func(code string) string { return " " + strings.ReplaceAll(code, "-", " ") + " " },
	} {
		t.Run(name, func(t *testing.T) {
			d := s.device()
			s.wantError("before", s.poll(d.DeviceCode), "authorization_pending")
			page := s.enter(b, typed(d.UserCode))
			if !strings.Contains(page.Text, "the lukasa command line") || !strings.Contains(page.Text, "ana@example.com") {
				t.Fatalf("asked with %s", page.Text)
			}
			s.wait(5 * time.Second)
			s.wantError("while it is asked", s.poll(d.DeviceCode), "authorization_pending")
			b.Submit(page, "Allow", nil)
			a := s.poll(d.DeviceCode)
			if !s.active(a.Access) || a.Refresh == "" {
				t.Errorf("got %+v", a)
			}
			s.wantError("again", s.poll(d.DeviceCode), "invalid_grant")
			if page := b.Submit(page, "Allow", nil); page.Status != http.StatusBadRequest {
				t.Errorf("allowing it again is answered %d", page.Status)
			}
		})
	}
}

func TestDeviceRefused(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	denied := s.device()
	b.Submit(s.enter(b, denied.UserCode), "Deny", nil)
	s.wantError("denied", s.poll(denied.DeviceCode), "access_denied")

	d := s.device()
	s.wantError("another client's", s.poll(d.DeviceCode, "client_id", other), "invalid_grant")
	s.wantError("malformed", s.poll("x"), "invalid_grant")
	s.wantError("none", s.poll(""), "invalid_request")
	s.wantError("the user's code", s.poll(d.UserCode), "invalid_grant")
	s.wait(10 * time.Minute)
	s.wantError("too late", s.poll(d.DeviceCode), "expired_token")
	if page := s.enter(b, d.UserCode); page.Status != http.StatusBadRequest {
		t.Errorf("entering it too late is answered %d", page.Status)
	}
	s.wantError("no client", s.post(oauth.PathDevice, url.Values{}), "invalid_client")
	s.wantError("another scope", s.post(oauth.PathDevice, url.Values{"client_id": {oauth.ClientCLI}, "scope": {"x"}}), "invalid_scope")
}

func TestDeviceSlowDown(t *testing.T) {
	s := newSite(t)
	d := s.device()
	s.wantError("first", s.poll(d.DeviceCode), "authorization_pending")
	s.wait(4 * time.Second)
	s.wantError("too soon", s.poll(d.DeviceCode), "slow_down")
	s.wait(9 * time.Second)
	s.wantError("too soon for the longer interval", s.poll(d.DeviceCode), "slow_down")
	s.wait(15 * time.Second)
	s.wantError("in time", s.poll(d.DeviceCode), "authorization_pending")
}

// Guessing user codes is locked out, for the right one too, until the lock-out is over.
func TestUserCodeGuessing(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	d := s.device()
	for range 20 {
		if page := s.enter(b, "BBBB-BBBB"); page.Status != http.StatusBadRequest {
			t.Fatalf("a wrong code is answered %d", page.Status)
		}
	}
	page := s.enter(b, d.UserCode)
	if page.Status != http.StatusTooManyRequests || page.Header.Get("Retry-After") != "600" {
		t.Errorf("after twenty guesses: %d, Retry-After %q", page.Status, page.Header.Get("Retry-After"))
	}
	if again := s.join("bo@example.com"); s.enter(again, d.UserCode).Status != http.StatusOK {
		t.Error("somebody else is locked out too")
	}
	s.wait(10*time.Minute + time.Second)
	if page := s.enter(b, s.device().UserCode); page.Status != http.StatusOK {
		t.Errorf("after the lock-out: %d", page.Status)
	}
}

// A right code forgives no guesses, for whoever guesses may start devices of their own; and several devices can be signed
// in one after the other, with some codes mistyped.
func TestUserCodeForgivesNothing(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	own := s.device()
	for i := range 20 {
		code, want := "BBBB-BBBB", http.StatusBadRequest
		if i%4 == 3 {
			code, want = own.UserCode, http.StatusOK
		}
		if page := s.enter(b, code); page.Status != want {
			t.Fatalf("try %d is answered %d", i, page.Status)
		}
	}
	if page := s.enter(b, own.UserCode); page.Status != http.StatusTooManyRequests {
		t.Errorf("after fifteen guesses with right codes between them: %d", page.Status)
	}
}
