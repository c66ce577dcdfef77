package oauth_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

const day = 24 * time.Hour

func TestRefresh(t *testing.T) {
	s := newSite(t)
	first := s.tokens(s.join("ana@example.com"))
	s.wait(24 * time.Minute)
	second := s.refresh(first.Refresh)
	if second.Status != 200 || second.Access == first.Access || second.Refresh == first.Refresh || second.ExpiresIn != 1800 {
		t.Fatalf("renewed to %+v", second)
	}
	if !s.active(second.Access) || !s.active(second.Refresh) || s.active(first.Refresh) || !s.active(first.Access) {
		t.Error("the new pair is good, and so is the old access token until it ends")
	}
}

// Whoever lost the reply gets the same one again, for a minute and for as often as they ask.
func TestRefreshReplayInTheWindow(t *testing.T) {
	s := newSite(t)
	first := s.tokens(s.join("ana@example.com"))
	second := s.refresh(first.Refresh)
	for _, after := range []time.Duration{0, 30 * time.Second, 30 * time.Second} {
		s.wait(after)
		got := s.refresh(first.Refresh)
		if got.Access != second.Access || got.Refresh != second.Refresh {
			t.Errorf("a replay got other tokens: %+v", got)
		}
	}
	if got := s.refresh(first.Refresh); got.ExpiresIn != 1800-60 {
		t.Errorf("after a minute the access token has %d s left", got.ExpiresIn)
	}
	if third := s.refresh(second.Refresh); third.Access == "" {
		t.Errorf("the session ended: %+v", third)
	}
}

// A later replay is somebody else's, or looks like it: all of the session ends.
func TestRefreshReplayAfterTheWindow(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	first, bystander := s.tokens(b), s.tokens(b)
	second := s.refresh(first.Refresh)
	s.wait(time.Minute + time.Microsecond)
	s.wantError("replay", s.refresh(first.Refresh), "invalid_grant")
	for _, token := range []string{first.Access, second.Access, second.Refresh} {
		if s.active(token) {
			t.Error("a token of the session is good still")
		}
	}
	s.wantError("the successor", s.refresh(second.Refresh), "invalid_grant")
	if !s.active(bystander.Refresh) {
		t.Error("another session was ended")
	}
}

// What a replay is answered with is gone with the window, also when nobody renews any more.
func TestSealedIsSwept(t *testing.T) {
	s := newSite(t)
	first := s.tokens(s.join("ana@example.com"))
	second := s.refresh(first.Refresh)
	s.wait(time.Minute)
	if err := s.store.Sweep(t.Context(), s.server.Grace(), s.clock()); err != nil {
		t.Fatal(err)
	}
	s.wantError("replay", s.refresh(first.Refresh), "invalid_grant")
	if s.active(second.Refresh) {
		t.Error("the session goes on")
	}
}

func TestRefreshTogether(t *testing.T) {
	s := newSite(t)
	first := s.tokens(s.join("ana@example.com"))
	got := make([]reply, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.refresh(first.Refresh) })
	}
	wg.Wait()
	for _, a := range got {
		if a.Refresh == "" || a.Refresh != got[0].Refresh || a.Access != got[0].Access {
			t.Errorf("%+v, the first got %+v", a, got[0])
		}
	}
}

// A refresh token lives 30 days from its making, and the session 90 days whatever is renewed.
func TestRefreshExpiry(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	unused := s.tokens(b)
	token := s.tokens(b)
	for range 3 {
		s.wait(29 * day)
		if token = s.refresh(token.Refresh); token.Refresh == "" {
			t.Fatalf("not renewed: %+v", token)
		}
	}
	s.wantError("after 30 days", s.refresh(unused.Refresh), "invalid_grant")
	s.wait(3*day - 10*time.Minute)
	token = s.refresh(token.Refresh)
	if token.ExpiresIn != 600 {
		t.Errorf("ten minutes before the end the access token has %d s", token.ExpiresIn)
	}
	s.wait(10 * time.Minute)
	if s.active(token.Access) || s.active(token.Refresh) {
		t.Error("a token outlives its session")
	}
	s.wantError("after 90 days", s.refresh(token.Refresh), "invalid_grant")
}

func TestRefreshRefused(t *testing.T) {
	s := newSite(t)
	a := s.tokens(s.join("ana@example.com"))
	bad := func(name, code string, values url.Values) {
		t.Helper()
		values.Set("grant_type", "refresh_token")
		s.wantError(name, s.post(oauth.PathToken, values), code)
	}
	cli := func(token string) url.Values {
		return url.Values{"client_id": {oauth.ClientCLI}, "refresh_token": {token}}
	}
	bad("another client's", "invalid_grant", url.Values{"client_id": {other}, "refresh_token": {a.Refresh}})
	bad("an access token", "invalid_grant", cli(a.Access))
	bad("mistyped", "invalid_grant", cli(a.Refresh[:len(a.Refresh)-1]+"_"))
	bad("none", "invalid_request", cli(""))
	bad("no client", "invalid_client", url.Values{"refresh_token": {a.Refresh}})
	if got := s.refresh(a.Refresh); got.Access == "" {
		t.Errorf("a refused request used the token: %+v", got)
	}
}

func TestRevoke(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	revoke := func(client, token string) {
		t.Helper()
		if a := s.post(oauth.PathRevoke, url.Values{"client_id": {client}, "token": {token}}); a.Status != http.StatusOK {
			t.Errorf("revoking: %+v", a)
		}
	}
	for _, of := range []string{"access", "refresh"} {
		a := s.tokens(b)
		token := map[string]string{"access": a.Access, "refresh": a.Refresh}[of]
		revoke(other, token)
		revoke(oauth.ClientCLI, "lukasa_rt_nonsense")
		if !s.active(a.Access) || !s.active(a.Refresh) {
			t.Error("somebody else ended the session")
		}
		revoke(oauth.ClientCLI, token)
		revoke(oauth.ClientCLI, token)
		if s.active(a.Access) || s.active(a.Refresh) {
			t.Errorf("after revoking the %s token the session goes on", of)
		}
		s.wantError("renewing", s.refresh(a.Refresh), "invalid_grant")
	}
	s.wantError("no token", s.post(oauth.PathRevoke, url.Values{"client_id": {oauth.ClientCLI}}), "invalid_request")
	s.wantError("no client", s.post(oauth.PathRevoke, url.Values{"token": {"x"}}), "invalid_client")
}
