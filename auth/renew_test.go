package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// renewal is an API whose only good token is the last one that its authorization server gave.
type renewal struct {
	*stub
	t        *testing.T
	sessions *Sessions
	good     atomic.Pointer[string]
	asked    atomic.Int64 // refreshes
	refused  atomic.Int64 // calls
	answer   func(w http.ResponseWriter, r *http.Request) bool
}

func newRenewal(t *testing.T) *renewal {
	t.Helper()
	r := &renewal{stub: newStub(t), t: t}
	r.sessions, _ = testSessions(t)
	r.mux.HandleFunc("/renew", func(w http.ResponseWriter, req *http.Request) {
		r.note(req)
		r.asked.Add(1)
		if r.answer != nil && r.answer(w, req) {
			return
		}
		if req.PostFormValue("refresh_token") != "refresh-"+*r.good.Load() {
			answerJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		next := *r.good.Load() + "+"
		r.good.Store(&next)
		answerJSON(w, http.StatusOK, map[string]any{"access_token": next, "refresh_token": "refresh-" + next, "token_type": "Bearer", "expires_in": 100})
	})
	r.mux.HandleFunc("/v1/", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if req.Header.Get("Authorization") != "Bearer "+*r.good.Load() {
			r.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write(body)
	})
	first := "t"
	r.good.Store(&first)
	return r
}

// signIn keeps a session whose token is as old as it says of its hundred seconds.
func (r *renewal) signIn(token string, age time.Duration) {
	r.t.Helper()
	s := testSession(PlaceKeyring, token)
	s.Endpoint = r.URL
	s.secrets.TokenURL, s.secrets.RevokeURL = r.URL+"/renew", r.URL+"/revoke"
	s.secrets.Obtained = time.Now().Add(-age).UTC().Round(0)
	s.secrets.Expires = s.secrets.Obtained.Add(100 * time.Second)
	save(r.t, r.sessions, s)
}

// process is a client of its own, as another process has it.
func (r *renewal) process() *http.Client {
	r.t.Helper()
	c, err := Resolve(r.t.Context(), Options{
		Getenv: func(string) string { return "" }, Endpoint: parse(r.t, r.URL), Sessions: another(r.sessions),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return &http.Client{Transport: c.Transport(parse(r.t, r.URL), http.DefaultTransport)}
}

// call posts a body and returns the status and what came back.
func (r *renewal) call(ctx context.Context, c *http.Client) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/v1/echo", io.NopCloser(strings.NewReader("hello")))
	if err != nil {
		return 0, "", err
	}
	req.ContentLength = 5
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func (r *renewal) ok(c *http.Client) {
	r.t.Helper()
	if status, body, err := r.call(r.t.Context(), c); status != http.StatusOK || body != "hello" || err != nil {
		r.t.Errorf("a call: %d %q, %v", status, body, err)
	}
}

func (r *renewal) load() *Session {
	r.t.Helper()
	s, err := another(r.sessions).Load(r.t.Context(), r.URL)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestRenewalByAge(t *testing.T) {
	for age, want := range map[time.Duration]int64{0: 0, 70 * time.Second: 0, 90 * time.Second: 1, 99 * time.Second: 1, time.Hour: 1, -time.Hour: 0} {
		r := newRenewal(t)
		r.signIn("t", age)
		c := r.process()
		for range 3 {
			r.ok(c)
		}
		if got := r.asked.Load(); got != want || r.refused.Load() != 0 {
			t.Errorf("at %s: %d renewals and %d refusals, want %d and none", age, got, r.refused.Load(), want)
		}
	}
}

// TestRenewalIsShared has many calls of many processes at the moment of the renewal.
func TestRenewalIsShared(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 90*time.Second)
	var group sync.WaitGroup
	for range 4 {
		c := r.process()
		for range 8 {
			group.Go(func() { r.ok(c) })
		}
	}
	group.Wait()
	if r.asked.Load() != 1 || r.sent().Get("grant_type") != "refresh_token" || r.sent().Get("client_id") != DefaultClientID {
		t.Errorf("%d renewals, the last %v", r.asked.Load(), r.sent())
	}
	if s := r.load(); s.bearer() != "t+" || s.secrets.Refresh != "refresh-t+" {
		t.Errorf("kept: %+v", s.secrets)
	}
}

// TestRefusedCallIsRepeated has a token that the server ended early, or that another process has renewed.
func TestRefusedCallIsRepeated(t *testing.T) {
	r := newRenewal(t)
	r.signIn("old", 50*time.Second)
	c := r.process()
	r.answer = func(w http.ResponseWriter, req *http.Request) bool {
		answerJSON(w, http.StatusOK, map[string]any{"access_token": "t", "token_type": "Bearer", "expires_in": 100})
		return true
	}
	r.ok(c)
	if r.asked.Load() != 1 || r.refused.Load() != 1 {
		t.Errorf("%d renewals, %d refusals", r.asked.Load(), r.refused.Load())
	}
	if s := r.load(); s.secrets.Refresh != "refresh-old" { // the answer had none: the one before it goes on
		t.Errorf("kept: %+v", s.secrets)
	}
	next := "u"
	r.good.Store(&next)
	r.signIn("u", 50*time.Second)
	r.ok(c)
	if r.asked.Load() != 1 {
		t.Error("what another process had renewed was renewed again")
	}
}

// TestRefusalOfANewToken is the server's word: no renewal would change it, and none is tried again and again.
func TestRefusalOfANewToken(t *testing.T) {
	r := newRenewal(t)
	r.signIn("wrong", 0)
	c := r.process()
	for range 5 {
		if status, _, err := r.call(t.Context(), c); status != http.StatusUnauthorized || err != nil {
			t.Errorf("a call: %d, %v", status, err)
		}
	}
	if r.asked.Load() != 0 {
		t.Errorf("%d renewals", r.asked.Load())
	}
}

func TestEndedSession(t *testing.T) {
	r := newRenewal(t)
	r.signIn("gone", 90*time.Second)
	c := r.process()
	for range 3 {
		status, body, err := r.call(t.Context(), c)
		var problem struct{ Code, Detail, Hint string }
		if err != nil || status != http.StatusUnauthorized || json.Unmarshal([]byte(body), &problem) != nil {
			t.Fatalf("a call: %d %s, %v", status, body, err)
		}
		if want := "run `lukasa login --api " + r.URL + "`"; problem.Code != "unauthenticated" || problem.Hint != want || !strings.HasSuffix(problem.Detail, want) {
			t.Errorf("a call is answered %+v", problem)
		}
	}
	if r.asked.Load() != 1 || r.refused.Load() != 0 {
		t.Errorf("%d renewals, %d refusals", r.asked.Load(), r.refused.Load())
	}
	if s := r.load(); !s.Ended || s.secrets != (secrets{}) {
		t.Errorf("kept: %+v", s.secrets)
	}
	if _, err := Resolve(t.Context(), Options{Getenv: func(string) string { return "" }, Endpoint: parse(t, r.URL), Sessions: r.sessions}); !errors.Is(err, ErrNotSignedIn) {
		t.Errorf("another process: %v", err)
	}
	r.signIn("t", 0)
	r.ok(c) // without a restart
}

// TestPassingFailures keep the session: calls go on with the token that there is, and work again once the server does.
func TestPassingFailures(t *testing.T) {
	status := func(status int) func(w http.ResponseWriter, r *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(status); return true }
	}
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"500": status(500), "503": status(503), "429": status(429), "404": status(404),
		"invalid_client": func(w http.ResponseWriter, _ *http.Request) bool {
			answerJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
			return true
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) bool { _, _ = io.WriteString(w, "<html>"); return true },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRenewal(t)
			r.signIn("t", 2*time.Hour)
			r.answer = answer
			c := r.process()
			if name == "no JSON" { // which is tried again for as long as it may take
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				if _, _, err := r.call(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a call: %v", err)
				}
			} else {
				r.ok(c) // only the server knows whether the old token is good
				r.ok(c)
				if r.asked.Load() != 1 {
					t.Errorf("%d renewals", r.asked.Load())
				}
				other := "x"
				r.good.Store(&other)
				_, _, err := r.call(t.Context(), c)
				var network net.Error
				if !errors.As(err, &network) || !strings.Contains(err.Error(), "renewing the session") {
					t.Errorf("a refused call: %v", err)
				}
			}
			if s := r.load(); s.Ended || s.bearer() != "t" || !s.Renewable() {
				t.Errorf("kept: %+v", s.secrets)
			}
		})
	}
}

// TestLostRequestIsSentAgain breaks the connection before the server has seen the request.
func TestLostRequestIsSentAgain(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 90*time.Second)
	r.answer = func(http.ResponseWriter, *http.Request) bool {
		if r.asked.Load() == 1 {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	r.ok(r.process())
	if s := r.load(); r.asked.Load() != 2 || s.bearer() != "t+" {
		t.Errorf("%d renewals, kept %+v", r.asked.Load(), s.secrets)
	}
}

// TestRenewalOutlivesItsCall gives up the call in the middle of the renewal, which is saved all the same.
func TestRenewalOutlivesItsCall(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 90*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	r.answer = func(http.ResponseWriter, *http.Request) bool {
		cancel()
		time.Sleep(100 * time.Millisecond)
		return false
	}
	c, err := Resolve(t.Context(), Options{Getenv: func(string) string { return "" }, Endpoint: parse(t, r.URL), Sessions: another(r.sessions)})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: c.Transport(parse(t, r.URL), http.DefaultTransport)}
	if _, _, err := r.call(ctx, client); !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
	c.Settle(5 * time.Second)
	if s := r.load(); s.bearer() != "t+" {
		t.Errorf("kept: %+v", s.secrets)
	}
}

// TestLogoutDuringRenewal has the word: the renewed session is not kept.
func TestLogoutDuringRenewal(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 90*time.Second)
	r.answer = func(http.ResponseWriter, *http.Request) bool {
		if err := os.Remove(r.sessions.File(r.URL)); err != nil {
			t.Error(err)
		}
		return false
	}
	if status, body, err := r.call(t.Context(), r.process()); status != http.StatusUnauthorized || err != nil || !strings.Contains(body, "lukasa login") {
		t.Errorf("the call: %d %s, %v", status, body, err)
	}
	if _, err := r.sessions.Load(t.Context(), r.URL); !errors.Is(err, ErrNotSignedIn) {
		t.Errorf("afterwards: %v", err)
	}
}

// TestSlowRenewal does not hold up calls whose token is still good.
func TestSlowRenewal(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 90*time.Second)
	release := make(chan struct{})
	r.answer = func(http.ResponseWriter, *http.Request) bool { <-release; return false }
	c := r.process()
	began := time.Now()
	r.ok(c)
	if took := time.Since(began); took > renewWait+time.Second {
		t.Errorf("a call took %s", took)
	}
	close(release)
}

func TestLogoutRevokes(t *testing.T) {
	for name, tt := range map[string]struct {
		status  int
		revoked bool
	}{"done": {200, true}, "refused": {400, false}, "away": {0, false}} {
		r := newRenewal(t)
		r.signIn("t", 0)
		r.mux.HandleFunc("/revoke", func(w http.ResponseWriter, req *http.Request) {
			r.note(req)
			if tt.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(tt.status)
		})
		f, err := r.sessions.Logout(t.Context(), parse(t, r.URL), nil)
		if err != nil || f.Revoked != tt.revoked || (f.Problem == nil) != tt.revoked || f.Kind != KindSession {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		if r.sent().Get("token") != "refresh-t" || r.sent().Get("token_type_hint") != "refresh_token" || r.sent().Get("client_id") != DefaultClientID {
			t.Errorf("%s: revoked %v", name, r.sent())
		}
		if f.Problem != nil && strings.Contains(f.Problem.Error(), "refresh-t") {
			t.Errorf("%s: %v", name, f.Problem)
		}
		if _, err := r.sessions.Load(t.Context(), r.URL); !errors.Is(err, ErrNotSignedIn) {
			t.Errorf("%s: afterwards: %v", name, err)
		}
		if _, err := r.sessions.Logout(t.Context(), parse(t, r.URL), nil); !errors.Is(err, ErrNotSignedIn) {
			t.Errorf("%s: once more: %v", name, err)
		}
	}
}

// TestSessionIsNotSentElsewhere follows a redirect to another origin.
func TestSessionIsNotSentElsewhere(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 0)
	var got []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		got = append(got, req.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	r.mux.HandleFunc("/away", func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	resp, err := r.process().Get(r.URL + "/away")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(got) != 1 || got[0] != "" {
		t.Errorf("another origin was sent %q", got)
	}
}

// TestStoredSessionComesLast asks nothing of the keyring when a key is given.
func TestStoredSessionComesLast(t *testing.T) {
	r := newRenewal(t)
	r.signIn("t", 0)
	ring := r.sessions.ring.(*memoryRing)
	ring.asked = 0
	for _, env := range []string{EnvKey, EnvKeyFile} {
		_, err := Resolve(t.Context(), Options{
			Endpoint: parse(t, r.URL), Sessions: another(r.sessions),
			Getenv: func(name string) string { return map[string]string{env: "/nonexistent"}[name] },
		})
		if (err == nil) != (env == EnvKey) {
			t.Errorf("%s: %v", env, err)
		}
	}
	if ring.asked != 0 {
		t.Error("the keyring was asked")
	}
}
