package oauth_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/internal/webtest"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

const (
	password = "correct horse battery staple"
	callback = "http://127.0.0.1:4711/callback"
	verifier = "0123456789-0123456789-0123456789-0123456789"
	// challenge is the S256 of verifier.
	challenge = "XqV1tflYS9pE1bnDmj-YXExN3vTo8j8ECd_IY8HtNUY"
	other     = "other-program" // a second client
)

// site is a server with a clock of its own, over a store of its own.
type site struct {
	*testing.T
	server *oauth.Server
	store  *sqlite.Store
	url    string
	dir    string // of the store

	mu  sync.Mutex
	now time.Time
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, store: store, dir: dir, now: time.Date(2025, time.March, 3, 10, 0, 0, 0, time.UTC)}
	s.server = oauth.New(oauth.Options{
		Store: store, Now: s.clock, Password: oauth.PasswordCost{Time: 1, Memory: 64},
		Clients: append(oauth.DefaultClients(), oauth.Client{
			ID: other, Name: "another program", RedirectURIs: []string{"https://other.example/back?x=1"},
		}),
	})
	mux := http.NewServeMux()
	for path, h := range map[string]func(http.ResponseWriter, *http.Request, string) error{
		oauth.PathAuthorize: s.server.Authorize, oauth.PathToken: s.server.Token, oauth.PathDevice: s.server.Device,
		oauth.PathVerify: s.server.Verify, oauth.PathRevoke: s.server.Revoke, oauth.PathIntrospect: s.server.Introspect,
		oauth.PathSignIn: s.server.SignIn, oauth.PathSignOut: s.server.SignOut, oauth.PathInvitation: s.server.Invitation,
		oauth.PathServer: s.server.Metadata, oauth.PathResource: s.server.Resource,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r, s.url); err != nil {
				t.Errorf("%s %s: %v", r.Method, path, err)
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
	}
	srv := httptest.NewServer(mux)
	s.url = srv.URL
	t.Cleanup(func() {
		srv.Close()
		if err := store.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *site) wait(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// join makes a member, and returns the browser in which they are signed in.
func (s *site) join(email string) *webtest.Browser {
	s.Helper()
	made, err := s.server.Invite(context.Background(), api.Invitation{
		Email: email, Role: "member", Selectors: []string{"*"}, CreatedAt: s.clock(), ExpiresAt: s.clock().Add(time.Hour),
	}, s.url)
	if err != nil {
		s.Fatal(err)
	}
	b := webtest.New(s.T, http.DefaultTransport)
	page := b.Submit(b.Get(made.Link), "Join", url.Values{"name": {"Ana"}, "password": {password}, "again": {password}})
	if !strings.Contains(page.Text, "You are signed in") {
		s.Fatalf("joining: %d %s", page.Status, page.Text)
	}
	return b
}

// request is a client's request to sign somebody in, with some parameters changed; "" leaves one out.
func request(changes ...string) string {
	query := url.Values{
		"response_type": {"code"}, "client_id": {oauth.ClientCLI}, "redirect_uri": {callback}, "state": {"s t&a=te"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		query.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			query.Del(changes[i])
		}
	}
	return oauth.PathAuthorize + "?" + query.Encode()
}

// code is a fresh authorization code.
func (s *site) code(b *webtest.Browser, changes ...string) string {
	s.Helper()
	page := b.Submit(b.Get(s.url+request(changes...)), "Allow", nil)
	if page.Location() == nil || page.Location().Query().Get("code") == "" {
		s.Fatalf("no code: %d %v %s", page.Status, page.Header, page.Text)
	}
	return page.Location().Query().Get("code")
}

// reply is an answer of the token endpoint and its like.
type reply struct {
	Status      int
	Header      http.Header
	Access      string `json:"access_token"`
	Refresh     string `json:"refresh_token"`
	Type        string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
	DeviceCode  string `json:"device_code"`
	UserCode    string `json:"user_code"`
	Interval    int    `json:"interval"`
	Active      bool   `json:"active"`
	Username    string `json:"username"`
	Client      string `json:"client_id"`
}

func (s *site) post(path string, values url.Values) reply {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+path, strings.NewReader(values.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.send(r)
}

func (s *site) send(r *http.Request) reply {
	s.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	a := reply{Status: resp.StatusCode, Header: resp.Header}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &a); err != nil {
			s.Fatalf("%s: %v", body, err)
		}
	}
	return a
}

// exchange is what redeems a code, with some parameters changed.
func exchange(code string, changes ...string) url.Values {
	values := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {oauth.ClientCLI}, "code": {code}, "redirect_uri": {callback},
		"code_verifier": {verifier},
	}
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
	}
	return values
}

// tokens are those of a fresh session.
func (s *site) tokens(b *webtest.Browser) reply {
	s.Helper()
	a := s.post(oauth.PathToken, exchange(s.code(b)))
	if a.Access == "" || a.Refresh == "" {
		s.Fatalf("no tokens: %+v", a)
	}
	return a
}

func (s *site) refresh(token string) reply {
	s.Helper()
	return s.post(oauth.PathToken, url.Values{
		"grant_type": {"refresh_token"}, "client_id": {oauth.ClientCLI}, "refresh_token": {token},
	})
}

// active reports whether a token is good.
func (s *site) active(token string) bool {
	s.Helper()
	return s.post(oauth.PathIntrospect, url.Values{"token": {token}}).Active
}

func (s *site) wantError(what string, a reply, code string) {
	s.Helper()
	if a.Error != code || a.Access != "" || a.Status != map[bool]int{true: 401, false: 400}[code == "invalid_client"] {
		s.Errorf("%s: %d %q (%s), want %q", what, a.Status, a.Error, a.Description, code)
	}
	if code != "" && (a.Header.Get("Content-Type") != "application/json" || a.Description == "") {
		s.Errorf("%s: %+v", what, a)
	}
}
