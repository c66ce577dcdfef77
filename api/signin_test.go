package api_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/internal/webtest"
	"github.com/lukasa-dev/lukasa/api/server"
)

const (
	password = "correct horse battery staple"
	callback = "http://127.0.0.1:4711/callback"
	verifier = "0123456789-0123456789-0123456789-0123456789"
)

// visitor goes through the sign-in of a server, and everything that passes is compared with the document.
type visitor struct {
	*testing.T
	provoker
	browser *webtest.Browser
	setup   string
}

func newVisitor(t *testing.T, s *server.Server, p provoker, c *contract) *visitor {
	t.Helper()
	link, err := s.SetupLink(t.Context(), p.url)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{T: t, provoker: p, browser: webtest.New(t, c), setup: link}
}

// walk provokes every answer of sign-in, and returns an access token of the first administrator.
func (v *visitor) walk() string {
	v.Helper()
	v.elsewhere()
	v.forged()
	v.join()
	v.authorization()
	token := v.device()
	v.form("/oauth/introspect", token, url.Values{"token": {token}})
	v.form("/oauth/introspect", token, url.Values{"token": {"nonsense"}})
	v.form("/oauth/introspect", "", url.Values{"token": {"nonsense"}})
	return token
}

// elsewhere asks by a name that is not this machine's: nobody can sign in there.
func (v *visitor) elsewhere() {
	v.Helper()
	for _, op := range operations(v.T) {
		if !isSignIn(op.path) {
			continue
		}
		r, err := http.NewRequestWithContext(v.Context(), op.method, v.url+op.path, http.NoBody)
		if err != nil {
			v.Fatal(err)
		}
		r.Host = "memory.example.com"
		r.Header.Set("Authorization", "Bearer "+v.key)
		v.send(r)
	}
}

func isSignIn(path string) bool {
	return strings.HasPrefix(path, "/oauth/") || strings.HasPrefix(path, "/.well-known/")
}

// forged sends forms that no page of the server has.
func (v *visitor) forged() {
	v.Helper()
	for path, values := range map[string]url.Values{
		"/oauth/authorize":  {"request": {"x"}},
		"/oauth/verify":     {"user_code": {"x"}},
		"/oauth/signin":     {"email": {"x"}, "password": {"x"}},
		"/oauth/signout":    {},
		"/oauth/invitation": {"token": {"x"}, "name": {"x"}, "password": {"x"}, "again": {"x"}},
	} {
		values.Set("form_token", "forged")
		if got := v.browser.Post(v.url+path, values).Status; got != http.StatusForbidden {
			v.Errorf("a forged form to %s is answered %d", path, got)
		}
	}
}

// join makes the first administrator, who signs out and in again.
func (v *visitor) join() {
	v.Helper()
	b := v.browser
	page := b.Get(v.setup)
	fill := url.Values{"email": {"ana@example.com"}, "name": {"Ana"}, "password": {password}, "again": {"another"}}
	if got := b.Submit(page, "Join", fill).Status; got != http.StatusBadRequest {
		v.Errorf("two passwords that differ are answered %d", got)
	}
	fill.Set("again", password)
	if got := b.Submit(page, "Join", fill); got.Status != http.StatusOK || !strings.Contains(got.Text, "You are signed in") {
		v.Fatalf("joining: %d %s", got.Status, got.Text)
	}
	// The form is stale now that somebody is signed in: take the token of a fresh one for the invitation that is closed.
	home := b.Get(v.url + "/oauth/signin")
	form, _ := home.Form("Sign out")
	used, _ := page.Form("Join")
	used.Values.Set("form_token", form.Values.Get("form_token"))
	if got := b.Post(v.url+"/oauth/invitation", merge(used.Values, fill)).Status; got != http.StatusGone {
		v.Errorf("using the link again is answered %d", got)
	}
	signIn := b.Submit(home, "Sign out", nil)
	if got := b.Submit(signIn, "Sign in", url.Values{"email": {"ana@example.com"}, "password": {"wrong"}}).Status; got != http.StatusUnauthorized {
		v.Errorf("a wrong password is answered %d", got)
	}
	form, _ = signIn.Form("Sign in")
	token := url.Values{"form_token": form.Values["form_token"], "user_code": {"BCDF-GHJK"}}
	b.Post(v.url+"/oauth/verify", token) // to sign in first
	b.Get(v.url + "/oauth/verify")
	b.Submit(signIn, "Sign in", url.Values{"email": {"ana@example.com"}, "password": {password}})
}

func merge(a, b url.Values) url.Values {
	all := url.Values{}
	for _, values := range []url.Values{a, b} {
		for name, v := range values {
			all[name] = v
		}
	}
	return all
}

// authorization gets a code and exchanges it.
func (v *visitor) authorization() {
	v.Helper()
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {"lukasa-cli"}, "redirect_uri": {callback}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	page := v.browser.Get(v.url + "/oauth/authorize?" + query.Encode())
	back := v.browser.Submit(page, "Allow", nil).Location()
	if back == nil || back.Query().Get("state") != "s" || back.Query().Get("iss") != v.url {
		v.Fatalf("sent back to %v", back)
	}
	query.Del("code_challenge")
	v.browser.Get(v.url + "/oauth/authorize?" + query.Encode()) // back with an error
	exchange := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"lukasa-cli"}, "code": {back.Query().Get("code")},
		"redirect_uri": {callback}, "code_verifier": {verifier},
	}
	tokens := v.form("/oauth/token", "", exchange)
	v.form("/oauth/token", "", url.Values{"grant_type": {"refresh_token"}, "client_id": {"someone"}})
	v.form("/oauth/revoke", "", url.Values{"token": {tokens["access_token"]}, "client_id": {"lukasa-cli"}})
	v.form("/oauth/revoke", "", url.Values{"token": {tokens["access_token"]}, "client_id": {"someone"}})
}

// device signs a device in.
func (v *visitor) device() string {
	v.Helper()
	client := url.Values{"client_id": {"lukasa-cli"}}
	v.form("/oauth/device", "", url.Values{"client_id": {"someone"}})
	codes := v.form("/oauth/device", "", client)
	poll := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"lukasa-cli"},
		"device_code": {codes["device_code"]},
	}
	if got := v.form("/oauth/token", "", poll)["error"]; got != "authorization_pending" {
		v.Errorf("polling answers %q", got)
	}
	page := v.browser.Get(v.url + "/oauth/verify?user_code=" + codes["user_code"])
	if got := v.browser.Submit(page, "Continue", url.Values{"user_code": {"XXXX-XXXX"}}).Status; got != http.StatusBadRequest {
		v.Errorf("a wrong user code is answered %d", got)
	}
	v.browser.Submit(v.browser.Submit(page, "Continue", nil), "Allow", nil)
	return v.form("/oauth/token", "", poll)["access_token"]
}

// form sends a form as a program does, and returns the strings of the answer.
func (v *visitor) form(path, key string, values url.Values) map[string]string {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), http.MethodPost, v.url+path, strings.NewReader(values.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	body := v.send(r)
	var fields map[string]any
	_ = json.Unmarshal(body, &fields) // an answer without a body has no fields
	texts := make(map[string]string)
	for name, value := range fields {
		if s, ok := value.(string); ok {
			texts[name] = s
		}
	}
	return texts
}

// send sends a request as a program that follows no redirects.
func (p provoker) send(r *http.Request) []byte {
	p.t.Helper()
	resp, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return body
}

// team uses every method of the team, as the first administrator, and provokes what it refuses.
func (t *tour) team(p provoker) {
	t.Helper()
	admin := t.client
	role := must(admin.Roles.Create(t.ctx, api.CreateRole{Name: "writer", Permissions: []string{"memory:remember"}}))(t)
	p.ask("POST", "/v1/roles", p.key, `{"name": "writer", "permissions": ["memory:recall"]}`)
	changed := must(admin.Roles.Change(t.ctx, role.Name, api.ChangeRole{Permissions: []string{"memory:recall", "memory:read"}}))(t)
	if len(changed.Permissions) != 2 || changed.BuiltIn {
		t.Errorf("changed to %+v", changed)
	}
	p.ask("PUT", "/v1/roles/absent", p.key, `{"permissions": ["memory:recall"]}`)
	p.ask("DELETE", "/v1/roles/absent", p.key, "")
	if got := collect(t, admin.Roles.All(t.ctx, api.ListOptions{PageSize: 2})); len(got) != 6 || got[5].Name != "writer" {
		t.Errorf("roles: %+v", got)
	}
	made := must(admin.Invitations.Create(t.ctx, api.CreateInvitation{Email: "Bo@example.com", Role: "writer"}))(t)
	if made.Email != "bo@example.com" || !strings.Contains(made.Link, "/oauth/invitation?token=lukasa_iv_") {
		t.Errorf("invited %+v", made)
	}
	p.ask("POST", "/v1/invitations", p.key, `{"email": "ana@example.com", "role": "member", "selectors": []}`)
	p.ask("DELETE", "/v1/roles/writer", p.key, "")
	bo := webtest.New(t.T, p.client.Transport)
	bo.Submit(bo.Get(made.Link), "Join", url.Values{"name": {"Bo"}, "password": {password}, "again": {password}})
	t.members()
	must(admin.Roles.Delete(t.ctx, "writer"))(t)
	other := must(admin.Invitations.Create(t.ctx, api.CreateInvitation{Email: "cy@example.com", Role: "reader"}))(t)
	if got := must(admin.Invitations.Revoke(t.ctx, other.ID))(t); got.RevokedAt == nil {
		t.Errorf("revoked %+v", got)
	}
	if got := collect(t, admin.Invitations.All(t.ctx, api.ListOptions{PageSize: 1})); len(got) != 5 || got[2].AcceptedAt == nil {
		t.Errorf("invitations: %+v", got)
	}
	log := collect(t, admin.Audit.All(t.ctx, api.ListOptions{PageSize: 3}))
	if len(log) < 10 || log[0].Action != "invitation.revoked" || log[0].Actor.Kind != "key" || log[0].Target != other.ID {
		t.Errorf("audit: %+v", log)
	}
}

// members changes a member and removes them.
func (t *tour) members() {
	t.Helper()
	list := collect(t, t.client.Members.All(t.ctx, api.ListOptions{PageSize: 1}))
	if len(list) != 2 || list[0].Role != "root" || list[1].Email != "bo@example.com" {
		t.Fatalf("members: %+v", list)
	}
	bo := must(t.client.Members.Change(t.ctx, list[1].ID, api.ChangeMember{Role: "member", Selectors: []string{"team.*"}}))(t)
	got := must(t.client.Members.Get(t.ctx, bo.ID))(t)
	if got.Role != "member" || len(got.Selectors) != 1 {
		t.Errorf("got %+v", got)
	}
	if made := must(t.client.Members.Reset(t.ctx, bo.ID))(t); !made.Reset || made.Email != bo.Email {
		t.Errorf("the link is %+v", made)
	}
	must(t.client.Members.Remove(t.ctx, bo.ID))(t)
}
