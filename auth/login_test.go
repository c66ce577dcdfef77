package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// stub is an authorization server, and an API, that does what the test says. Those by others are in the tests of the
// command line; this one is for what no good server does.
type stub struct {
	*httptest.Server
	mux  *http.ServeMux
	mu   sync.Mutex
	meta map[string]any
	form url.Values // of the last request for tokens
}

func newStub(t *testing.T) *stub {
	t.Helper()
	s := &stub{mux: http.NewServeMux()}
	s.Server = httptest.NewServer(s.mux)
	t.Cleanup(s.Close)
	s.meta = map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"device_authorization_endpoint": s.URL + "/device", "revocation_endpoint": s.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
	}
	s.mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		answerJSON(w, http.StatusOK, s.meta)
	})
	s.mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		answerJSON(w, http.StatusOK, map[string]any{"access_token": "at-1", "refresh_token": "rt-1", "token_type": "Bearer", "expires_in": 60})
	})
	return s
}

func (s *stub) note(r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.form = r.PostForm
}

// sent is what the last request for tokens had.
func (s *stub) sent() url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.form
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *stub) login(t *testing.T) Login {
	t.Helper()
	return Login{Endpoint: parse(t, s.URL), Tell: func(text string) { t.Log(text) }}
}

// comingBack is a browser that comes back with what change made of the query of a good answer.
func (s *stub) comingBack(t *testing.T, change func(q url.Values)) func(context.Context, string) error {
	return func(_ context.Context, address string) error {
		asked := parse(t, address).Query()
		q := url.Values{"code": {"code-1"}, "state": {asked.Get("state")}, "iss": {s.URL}}
		change(q)
		resp, err := http.Get(asked.Get("redirect_uri") + "?" + q.Encode())
		if err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return nil
	}
}

func TestLoginInTheBrowser(t *testing.T) {
	s := newStub(t)
	var asked url.Values
	l := s.login(t)
	l.Scopes = []string{"memory"}
	l.Open = func(ctx context.Context, address string) error {
		asked = parse(t, address).Query()
		return s.comingBack(t, func(url.Values) {})(ctx, address)
	}
	session, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if session.Kind != KindSession || session.bearer() != "at-1" || !session.Renewable() || session.Endpoint != s.URL {
		t.Errorf("session: %+v", session.secrets)
	}
	if left := time.Until(session.ExpiresAt()); left < 50*time.Second || left > time.Minute {
		t.Errorf("it ends in %s", left)
	}
	for name, want := range map[string]string{
		"client_id": DefaultClientID, "response_type": "code", "code_challenge_method": "S256", "scope": "memory",
	} {
		if asked.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, asked.Get(name), want)
		}
	}
	if back := parse(t, asked.Get("redirect_uri")); back.Hostname() != "127.0.0.1" || back.Path != "/callback" || len(asked.Get("state")) < 32 {
		t.Errorf("asked for %v", asked)
	}
	if s.sent().Get("code") != "code-1" || len(s.sent().Get("code_verifier")) < 43 || s.sent().Get("redirect_uri") != asked.Get("redirect_uri") {
		t.Errorf("exchanged %v", s.sent())
	}
	// The listener is gone.
	if _, err := http.Get(asked.Get("redirect_uri")); err == nil {
		t.Error("it still listens")
	}
}

func TestLoginRefusesAnswersOfTheBrowser(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(q url.Values)
		says   string
	}{
		"another issuer": {func(q url.Values) { q.Set("iss", "https://evil.example.com") }, "another issuer"},
		"no issuer":      {func(q url.Values) { q.Del("iss") }, "another issuer"},
		"no code":        {func(q url.Values) { q.Del("code") }, "no code"},
		"refused":        {func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, "refused on the page"},
		"an error": {func(q url.Values) {
			q.Del("code")
			q.Set("error", "invalid_scope")
			q.Set("error_description", "no\x1b[31m such\nscope")
		}, "invalid_scope: no [31m such scope"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			l := s.login(t)
			l.Open = s.comingBack(t, tt.change)
			if _, err := l.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it ended with %v", err)
			}
			if s.sent() != nil {
				t.Errorf("tokens were asked for: %v", s.sent())
			}
		})
	}
}

// TestLoginIgnoresOtherStates has a page that sends answers of its own: they neither end the login nor get into it.
func TestLoginIgnoresOtherStates(t *testing.T) {
	s := newStub(t)
	l := s.login(t)
	l.Open = func(ctx context.Context, address string) error {
		back := parse(t, address).Query().Get("redirect_uri")
		for _, query := range []string{"", "?code=evil&state=guess", "?code=evil", "?error=access_denied&state="} {
			resp, err := http.Get(back + query)
			if err != nil {
				return err
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%s is answered %s", query, resp.Status)
			}
		}
		return s.comingBack(t, func(url.Values) {})(ctx, address)
	}
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.sent().Get("code") != "code-1" {
		t.Errorf("exchanged %v", s.sent())
	}
}

func TestLoginIsCancelledWhileItWaits(t *testing.T) {
	s := newStub(t)
	s.mux.HandleFunc("/device", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, map[string]any{"device_code": "dc", "user_code": "UC", "verification_uri": s.URL, "interval": 1})
	})
	for name, open := range map[string]func(context.Context, string) error{
		"browser": func(context.Context, string) error { return nil },
		"device":  nil,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		l := s.login(t)
		l.Open, l.Tell = open, func(string) { time.AfterFunc(50*time.Millisecond, cancel) }
		if _, err := l.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDeviceGrant(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []any // to requests for tokens; the last is repeated
		says    string
	}{
		"pending, then slow down": {[]any{"authorization_pending", "slow_down", nil}, ""},
		"the network fails":       {[]any{http.ErrAbortHandler, "authorization_pending", nil}, ""},
		"the server fails":        {[]any{http.StatusBadGateway, http.StatusTooManyRequests, nil}, ""},
		"refused":                 {[]any{"access_denied"}, "refused on the page"},
		"expired":                 {[]any{"expired_token"}, "expired"},
		"another client":          {[]any{"invalid_client"}, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.mux.HandleFunc("/device", func(w http.ResponseWriter, _ *http.Request) {
				answerJSON(w, http.StatusOK, map[string]any{
					"device_code": "dc", "user_code": "ABCD-EFGH", "verification_uri": s.URL + "/type", "expires_in": 60, "interval": 1,
				})
			})
			var asked atomic.Int64
			s.mux.HandleFunc("/polled", func(w http.ResponseWriter, r *http.Request) {
				s.note(r)
				answer := tt.answers[min(int(asked.Add(1)), len(tt.answers))-1]
				switch a := answer.(type) {
				case nil:
					answerJSON(w, http.StatusOK, map[string]any{"access_token": "at-1", "token_type": "bearer"})
				case int:
					w.WriteHeader(a)
				case string:
					answerJSON(w, http.StatusBadRequest, map[string]any{"error": a, "error_description": "said of dc"})
				default:
					panic(a)
				}
			})
			s.meta["token_endpoint"] = s.URL + "/polled"
			var told strings.Builder
			l := s.login(t)
			l.Tell = func(text string) { told.WriteString(text) }
			session, err := l.Run(t.Context())
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "dc") {
					t.Errorf("it ended with %v", err)
				}
				return
			}
			if err != nil || session.bearer() != "at-1" || session.Renewable() || !session.ExpiresAt().IsZero() {
				t.Errorf("%v, %v", session, err)
			}
			if !strings.Contains(told.String(), "ABCD-EFGH") || !strings.Contains(told.String(), s.URL+"/type") {
				t.Errorf("told: %s", told.String())
			}
			if int(asked.Load()) != len(tt.answers) || s.sent().Get("device_code") != "dc" || s.sent().Get("client_id") != DefaultClientID {
				t.Errorf("asked %d times, the last %v", asked.Load(), s.sent())
			}
		})
	}
}

// TestBrowserThatDoesNotOpen goes over to the device grant by itself.
func TestBrowserThatDoesNotOpen(t *testing.T) {
	s := newStub(t)
	s.mux.HandleFunc("/device", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, map[string]any{"device_code": "dc", "user_code": "UC", "verification_uri": s.URL, "interval": 1})
	})
	l := s.login(t)
	l.Open = func(context.Context, string) error { return errors.New("no such program") }
	if _, err := l.Run(t.Context()); err != nil || s.sent().Get("device_code") != "dc" {
		t.Errorf("%v, %v", err, s.sent())
	}
}

func TestTokensThatCannotBeUsed(t *testing.T) {
	for name, answer := range map[string]string{
		"of another type":  `{"access_token":"a","token_type":"DPoP"}`,
		"with a line feed": `{"access_token":"a\nb","token_type":"bearer"}`,
		"absent":           `{"token_type":"bearer"}`,
		"an error in 200":  `{"error":"invalid_grant"}`,
		"no JSON":          `<html>`,
	} {
		s := newStub(t)
		s.mux.HandleFunc("/bad", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
		})
		s.meta["token_endpoint"] = s.URL + "/bad"
		l := s.login(t)
		l.Open = s.comingBack(t, func(url.Values) {})
		if session, err := l.Run(t.Context()); err == nil {
			t.Errorf("%s: %v", name, session)
		}
	}
}
