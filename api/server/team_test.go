package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// asks sends a request with a JSON body and returns the answer.
func asks(t *testing.T, s *Server, key, method, path string, body any) answer {
	t.Helper()
	text := ""
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw)
	}
	return send(t, s, request{method: method, path: path, body: text, key: key})
}

func wantStatus(t *testing.T, what string, a answer, status int, detail string) {
	t.Helper()
	if a.status != status || !strings.Contains(string(a.body), detail) {
		t.Errorf("%s: %d %s, want %d with %q", what, a.status, a.body, status, detail)
	}
}

// What members may do is read when they ask, not when they signed in.
func TestPermissionsAreLive(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	_, admin := member(t, s, "ana@example.com", "admin", "*")
	wantStatus(t, "making a role", asks(t, s, admin, "POST", "/v1/roles",
		api.CreateRole{Name: "looker", Permissions: []string{"memory:read", "memory:recall"}}), http.StatusCreated, "looker")
	user, token := member(t, s, "bo@example.com", "looker", "demo")
	can := func(what string, status int, detail string) {
		t.Helper()
		wantStatus(t, what, asks(t, s, token, "GET", "/v1/workspaces/demo/passages", nil), status, detail)
	}
	can("as a looker", http.StatusOK, "")
	wantStatus(t, "whoami", asks(t, s, token, "GET", "/v1/whoami", nil), http.StatusOK,
		`"kind":"user","user":"bo@example.com","role":"looker","permissions":["memory:recall","memory:read"],"selectors":["demo"]`)
	asks(t, s, admin, "PUT", "/v1/roles/looker", api.ChangeRole{Permissions: []string{"memory:recall"}})
	can("after the role was changed", http.StatusForbidden, "lacks the permission memory:read")
	asks(t, s, admin, "PUT", "/v1/members/"+user.ID, api.ChangeMember{Role: "reader", Selectors: []string{"demo"}})
	can("as a reader", http.StatusOK, "")
	asks(t, s, admin, "PUT", "/v1/members/"+user.ID, api.ChangeMember{Role: "reader", Selectors: []string{}})
	can("reaching nothing", http.StatusForbidden, "no selector")
	asks(t, s, admin, "DELETE", "/v1/members/"+user.ID, nil)
	can("after they were removed", http.StatusUnauthorized, "not known here")
}

// manager is a member who manages the team, and may do little else.
func manager(t *testing.T, s *Server) string {
	t.Helper()
	_, admin := member(t, s, "root@example.com", "root", "*")
	permissions := []string{"memory:recall", "memory:read", "workspaces:read", "team:read", "team:manage", "roles:manage"}
	wantStatus(t, "making a role", asks(t, s, admin, "POST", "/v1/roles", api.CreateRole{Name: "manager", Permissions: permissions}),
		http.StatusCreated, "")
	_, token := member(t, s, "manager@example.com", "manager", "team.*")
	return token
}

// Nobody gives more than they hold, nor takes from whoever holds more.
func TestNobodyGrantsMore(t *testing.T) {
	s := quiet(t)
	key := manager(t, s)
	admin := join(t, s, "admin@example.com", "admin", "*")
	reader := join(t, s, "reader@example.com", "reader", "team.app")
	wide := join(t, s, "wide@example.com", "reader", "*")
	at := s.clock()
	if err := s.store.CreateRole(t.Context(), api.Role{Name: "looker", Permissions: []string{"memory:read"}, CreatedAt: &at}); err != nil {
		t.Fatal(err)
	}
	looker := join(t, s, "looker@example.com", "looker", "*")
	put := func(id string, role string, selectors ...string) answer {
		t.Helper()
		return asks(t, s, key, "PUT", "/v1/members/"+id, api.ChangeMember{Role: role, Selectors: selectors})
	}
	invite := func(role string, selectors ...string) answer {
		t.Helper()
		return asks(t, s, key, "POST", "/v1/invitations", api.CreateInvitation{Email: "new@example.com", Role: role, Selectors: selectors})
	}
	for what, got := range map[string]answer{
		"a mightier role":              put(reader.ID, "admin", "team.app"),
		"root":                         put(reader.ID, "root", "*"),
		"a wider selector":             put(reader.ID, "reader", "*"),
		"demoting who holds more":      put(admin.ID, "reader", "team.app"),
		"narrowing who reaches more":   put(wide.ID, "reader", "team.app"),
		"resetting who holds more":     asks(t, s, key, "POST", "/v1/members/"+admin.ID+"/reset", nil),
		"removing who holds more":      asks(t, s, key, "DELETE", "/v1/members/"+admin.ID, nil),
		"inviting an admin":            invite("admin", "team.app"),
		"inviting to other workspaces": invite("reader", "other"),
		"a role of what they lack":     asks(t, s, key, "POST", "/v1/roles", api.CreateRole{Name: "x", Permissions: []string{"audit:read"}}),
		"a role beyond their reach":    asks(t, s, key, "PUT", "/v1/roles/looker", api.ChangeRole{Permissions: []string{"memory:read", "memory:recall"}}),
		"raising their own role":       asks(t, s, key, "PUT", "/v1/roles/manager", api.ChangeRole{Permissions: []string{"audit:read"}}),
	} {
		problem(t, got, http.StatusForbidden, api.CodePermissionDenied)
		if got.status != http.StatusForbidden {
			t.Errorf("%s is answered %d", what, got.status)
		}
	}
	if _, err := s.store.ChangeMember(t.Context(), looker.ID, "looker", []string{"team.app"}, func(memory.User) error { return nil }, at); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "a role within their reach", asks(t, s, key, "PUT", "/v1/roles/looker",
		api.ChangeRole{Permissions: []string{"memory:read", "memory:recall"}}), http.StatusOK, "looker")
	wantStatus(t, "what they hold", put(reader.ID, "manager", "team.*"), http.StatusOK, `"role":"manager"`)
	wantStatus(t, "inviting a reader", invite("reader", "team.b"), http.StatusCreated, publicURL+"/oauth/invitation?token=lukasa_iv_")
	wantStatus(t, "inviting root", asks(t, s, key, "POST", "/v1/invitations",
		api.CreateInvitation{Email: "x@example.com", Role: "root", Selectors: []string{"*"}}), http.StatusBadRequest, "can't be root")
}

func TestRootIsPassedOn(t *testing.T) {
	s := quiet(t)
	root, rootToken := member(t, s, "root@example.com", "root", "*")
	next, nextToken := member(t, s, "next@example.com", "admin", "*")
	give := func(key, id, role string, selectors ...string) answer {
		t.Helper()
		return asks(t, s, key, "PUT", "/v1/members/"+id, api.ChangeMember{Role: role, Selectors: selectors})
	}
	operator, err := s.CreateKey(t.Context(), api.CreateKey{Label: "k", Role: "root", Selectors: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, "an admin takes root", give(nextToken, next.ID, "root", "*"), http.StatusForbidden, "only who has the role root")
	wantStatus(t, "an admin resets root", asks(t, s, nextToken, "POST", "/v1/members/"+root.ID+"/reset", nil), http.StatusForbidden, "only who has the role root")
	wantStatus(t, "the operator resets root", asks(t, s, operator.Secret, "POST", "/v1/members/"+root.ID+"/reset", nil), http.StatusCreated, `"reset":true`)
	wantStatus(t, "the operator gives root", give(operator.Secret, next.ID, "root", "*"), http.StatusOK, `"role":"root"`)
	wantStatus(t, "and gives it back", give(operator.Secret, root.ID, "root", "*"), http.StatusOK, `"role":"root"`)
	wantStatus(t, "an admin demotes root", give(nextToken, root.ID, "member", "*"), http.StatusForbidden, "can only be passed on")
	wantStatus(t, "root demotes themself", give(rootToken, root.ID, "admin", "*"), http.StatusForbidden, "can only be passed on")
	wantStatus(t, "root leaves", asks(t, s, rootToken, "DELETE", "/v1/members/"+root.ID, nil), http.StatusForbidden, "can't be removed")
	wantStatus(t, "root of one workspace", give(rootToken, next.ID, "root", "demo"), http.StatusBadRequest, "selectors")
	wantStatus(t, "passing it on", give(rootToken, next.ID, "root", "*"), http.StatusOK, `"role":"root"`)
	page := decode[api.MemberPage](t, asks(t, s, nextToken, "GET", "/v1/members", nil))
	got := []string{}
	for _, m := range page.Members {
		got = append(got, m.Email+" "+m.Role)
	}
	if want := []string{"root@example.com admin", "next@example.com root"}; !slices.Equal(got, want) {
		t.Errorf("members are %q, want %q", got, want)
	}
	wantStatus(t, "the former root", give(rootToken, next.ID, "admin", "*"), http.StatusForbidden, "can only be passed on")
}

func TestBadTeamRequests(t *testing.T) {
	s := quiet(t)
	_, key := member(t, s, "root@example.com", "root", "*")
	other := join(t, s, "bo@example.com", "reader", "*")
	at := func(id string) string { return "/v1/members/" + id }
	for _, tt := range []struct {
		method, path, body string
		status             int
		detail             string
	}{
		{"PUT", at(other.ID), `{"role": "emperor", "selectors": []}`, 400, "not a role"},
		{"PUT", at(other.ID), `{"selectors": []}`, 400, "role is missing"},
		{"PUT", at(other.ID), `{"role": "reader", "selectors": ["*.x"]}`, 400, "selectors[0]"},
		{"PUT", at("us_absent"), `{"role": "reader", "selectors": []}`, 404, "does not exist"},
		{"DELETE", at("../x"), ``, 404, ""},
		{"POST", "/v1/roles", `{"name": "Reader", "permissions": ["memory:read"]}`, 400, "name"},
		{"POST", "/v1/roles", `{"name": "reader", "permissions": ["memory:read"]}`, 400, "name"},
		{"POST", "/v1/roles", `{"name": "x", "permissions": []}`, 400, "permissions is empty"},
		{"POST", "/v1/roles", `{"name": "x", "permissions": ["memory:fly"]}`, 400, "permissions[0]"},
		{"PUT", "/v1/roles/reader", `{"permissions": ["memory:read"]}`, 400, "built in"},
		{"DELETE", "/v1/roles/admin", ``, 400, "built in"},
		{"POST", "/v1/invitations", `{"email": "nobody", "role": "reader", "selectors": []}`, 400, "email"},
		{"POST", "/v1/invitations", `{"email": "BO@example.com", "role": "reader", "selectors": []}`, 409, "a member already"},
		{"POST", "/v1/invitations", `{"email": "x@example.com", "role": "reader", "selectors": [], "expires_at": "2001-01-01T00:00:00Z"}`, 400, "expires_at"},
		{"GET", "/v1/roles?page_token=AAAAAAAAAAAAAAAA", ``, 400, "page_token"},
	} {
		t.Run(tt.method+" "+tt.path+tt.body, func(t *testing.T) {
			wantStatus(t, "answer", send(t, s, request{method: tt.method, path: tt.path, body: tt.body, key: key}), tt.status, tt.detail)
		})
	}
}

// Every change of access and every erasure is in the log, with who made it.
func TestAudit(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	ana, key := member(t, s, "ana@example.com", "root", "*")
	made := decode[api.NewKey](t, asks(t, s, key, "POST", "/v1/keys", api.CreateKey{Label: "ci", Role: "reader", Selectors: []string{"demo"}}))
	asks(t, s, key, "DELETE", "/v1/keys/"+made.ID, nil)
	asks(t, s, key, "DELETE", "/v1/keys/"+made.ID, nil) // changes nothing
	asks(t, s, key, "DELETE", "/v1/workspaces/demo", nil)
	page := decode[api.AuditPage](t, asks(t, s, key, "GET", "/v1/audit?page_size=3", nil))
	got := []string{}
	for _, e := range page.Entries {
		got = append(got, fmt.Sprintf("%s %s %s %s", e.Action, e.Target, e.Workspace, e.Actor.Name))
		if e.Actor.Kind != "user" || e.Actor.ID != ana.ID || e.RequestID == "" || e.At.IsZero() {
			t.Errorf("entry %+v", e)
		}
	}
	want := []string{
		"workspace.erased demo demo ana@example.com", "key.revoked " + made.ID + "  ana@example.com",
		"key.created " + made.ID + "  ana@example.com",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
	if page.NextPageToken == "" {
		t.Error("the log has no more")
	}
}

func TestRateLimits(t *testing.T) {
	s, _ := open(t, Options{NoWorker: true, limits: newLimits()})
	key := secret(t, s, allPermissions(), []string{"*"})
	for i := range 1000 {
		a := send(t, s, request{method: "POST", path: "/oauth/device"})
		if a.status != http.StatusTooManyRequests {
			continue
		}
		if i < 50 {
			t.Errorf("refused after %d calls", i)
		}
		problem(t, a, http.StatusTooManyRequests, api.CodeRateLimited)
		if a.header.Get("Retry-After") == "" || a.header.Get("RateLimit") == "" || a.header.Get("RateLimit-Policy") == "" {
			t.Errorf("headers %v", a.header)
		}
		for _, path := range []string{"/v1/whoami", "/healthz"} { // credentials have no limit, and load balancers neither
			if a := send(t, s, request{method: "GET", path: path, key: key}); a.status != http.StatusOK || a.header.Get("RateLimit") != "" {
				t.Errorf("%s is answered %d, %v", path, a.status, a.header)
			}
		}
		return
	}
	t.Error("nothing was refused")
}

func TestNetworkOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:80": "192.0.2.7/32", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64", "[::ffff:192.0.2.7]:1": "192.0.2.7/32",
		"[fe80::1%eth0]:80": "fe80::/64", "local": "invalid Prefix", "": "invalid Prefix",
	} {
		if got := networkOf(remote).String(); got != want {
			t.Errorf("networkOf(%q) = %s, want %s", remote, got, want)
		}
	}
}

// Behind a reverse proxy callers are told apart by what it says of them, and by nothing that they say themselves.
func TestForwardedFor(t *testing.T) {
	for _, tt := range []struct {
		behind bool
		header []string
		want   string
	}{
		{false, []string{"203.0.113.9"}, "192.0.2.1/32"}, {true, nil, "192.0.2.1/32"}, {true, []string{""}, "192.0.2.1/32"},
		{true, []string{"203.0.113.9"}, "203.0.113.9/32"}, {true, []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9/32"},
		{true, []string{"198.51.100.1", "203.0.113.9"}, "203.0.113.9/32"}, {true, []string{"[2001:db8::1]"}, "2001:db8::/64"},
		{true, []string{"nonsense"}, "invalid Prefix"},
	} {
		s := &Server{behind: tt.behind}
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = "192.0.2.1:80"
		r.Header["X-Forwarded-For"] = tt.header
		if got := networkOf(s.address(r)).String(); got != tt.want {
			t.Errorf("behind %v, %q: %s, want %s", tt.behind, tt.header, got, tt.want)
		}
	}
}

func TestPublicURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Memory.example.com": "https://memory.example.com", "https://x.example/": "https://x.example",
		"http://127.0.0.1:7437": "http://127.0.0.1:7437", "http://[::1]:1": "http://[::1]:1", "http://localhost": "http://localhost",
		"http://memory.example.com": "", "https://x.example/memory": "", "https://u:p@x.example": "", "ftp://x.example": "",
		"x.example": "", "https://": "", "http://localhost.example.com": "", "https://x.example/?q": "",
	} {
		got, err := parsePublic(raw)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("parsePublic(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}
