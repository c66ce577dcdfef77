package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func rootPermissions() []access.Permission { return access.RoleRoot.Permissions() }

// The permission of every route, said a second time: a route that is added or changed must be added or changed here.
// "public" routes take no credential, "any" ones any credential.
var routePermissions = map[string]string{
	"GET /healthz":                                       "public",
	"GET /readyz":                                        "public",
	"GET /v1/openapi.yaml":                               "public",
	"GET /v1/whoami":                                     "any",
	"GET /v1/permissions":                                "any",
	"GET /v1/keys":                                       "keys:manage",
	"POST /v1/keys":                                      "keys:manage",
	"DELETE /v1/keys/{id}":                               "keys:manage",
	"GET /v1/members":                                    "team:read",
	"GET /v1/members/{id}":                               "team:read",
	"PUT /v1/members/{id}":                               "team:manage",
	"DELETE /v1/members/{id}":                            "team:manage",
	"POST /v1/members/{id}/reset":                        "team:manage",
	"GET /v1/roles":                                      "team:read",
	"POST /v1/roles":                                     "roles:manage",
	"PUT /v1/roles/{role}":                               "roles:manage",
	"DELETE /v1/roles/{role}":                            "roles:manage",
	"GET /v1/invitations":                                "team:read",
	"POST /v1/invitations":                               "team:manage",
	"DELETE /v1/invitations/{id}":                        "team:manage",
	"GET /v1/audit":                                      "audit:read",
	"GET /.well-known/oauth-authorization-server":        "public",
	"GET /.well-known/oauth-protected-resource":          "public",
	"GET /oauth/authorize":                               "public",
	"POST /oauth/authorize":                              "public",
	"POST /oauth/token":                                  "public",
	"POST /oauth/device":                                 "public",
	"POST /oauth/revoke":                                 "public",
	"POST /oauth/introspect":                             "any",
	"GET /oauth/verify":                                  "public",
	"POST /oauth/verify":                                 "public",
	"GET /oauth/signin":                                  "public",
	"POST /oauth/signin":                                 "public",
	"POST /oauth/signout":                                "public",
	"GET /oauth/invitation":                              "public",
	"POST /oauth/invitation":                             "public",
	"GET /v1/workspaces":                                 "workspaces:read",
	"POST /v1/workspaces":                                "workspaces:create",
	"GET /v1/workspaces/{workspace}":                     "any",
	"DELETE /v1/workspaces/{workspace}":                  "workspaces:delete",
	"GET /v1/workspaces/{workspace}/export":              "memory:export",
	"POST /v1/workspaces/{workspace}/recall":             "memory:recall",
	"PUT /v1/workspaces/{workspace}/formations/{handle}": "memory:remember",
	"POST /v1/workspaces/{workspace}/formations:plan":    "memory:remember",
	"GET /v1/workspaces/{workspace}/formations/{handle}": "memory:read",
	"GET /v1/workspaces/{workspace}/formations":          "memory:read",
	"GET /v1/workspaces/{workspace}/passages":            "memory:read",
	"GET /v1/workspaces/{workspace}/passages/{id}":       "memory:read",
	"DELETE /v1/workspaces/{workspace}/passages/{id}":    "memory:forget",
	"GET /v1/workspaces/{workspace}/graph":               "memory:read",
	"GET /v1/workspaces/{workspace}/assertions/{id}":     "memory:read",
}

func TestRoutesAreInTheTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, r := range Routes() {
		name := r.Method + " " + r.Pattern
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if got := permissionOf(r); got != routePermissions[name] {
			t.Errorf("%s takes %s, the table says %q", name, got, routePermissions[name])
		}
		if r.handle == nil {
			t.Errorf("%s has no handler", name)
		}
		if r.InWorkspace() && r.Public {
			t.Errorf("%s is in a workspace and public", name)
		}
	}
	for name := range routePermissions {
		if !seen[name] {
			t.Errorf("there is no route %s", name)
		}
	}
}

func permissionOf(r Route) string {
	switch {
	case r.Public:
		return "public"
	case r.Permission == "":
		return "any"
	}
	return r.Permission
}

// fill puts a workspace and ids that could be into a route's pattern.
func fill(pattern, workspace string) string {
	id := "ps_aaaaaaaaaaaaaaaaaaaaaaaa"
	switch {
	case strings.Contains(pattern, "/assertions/"):
		id = "as_aaaaaaaaaaaaaaaaaaaaaaaa"
	case strings.Contains(pattern, "/keys/"):
		id = "key_aaaaaaaaaaaaaaaa"
	case strings.Contains(pattern, "/members/"):
		id = "us_aaaaaaaaaaaaaaaa"
	case strings.Contains(pattern, "/invitations/"):
		id = "iv_aaaaaaaaaaaaaaaa"
	}
	return strings.NewReplacer("{workspace}", workspace, "{id}", id, "{role}", "absent",
		"{handle}", "fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho").Replace(pattern)
}

// bodyOf is a body that the route takes.
func bodyOf(r Route, workspace string) string {
	switch r.Method + " " + r.Pattern {
	case "POST /v1/workspaces":
		return `{"name": "` + workspace + `"}`
	case "POST /v1/keys":
		return `{"label": "x", "permissions": ["memory:recall"], "selectors": []}`
	case "PUT /v1/members/{id}":
		return `{"role": "reader", "selectors": []}`
	case "POST /v1/roles":
		return `{"name": "looker", "permissions": ["memory:recall"]}`
	case "PUT /v1/roles/{role}":
		return `{"permissions": ["memory:recall"]}`
	case "POST /v1/invitations":
		return `{"email": "` + workspace + `@example.com", "role": "reader", "selectors": []}`
	case "POST /v1/workspaces/{workspace}/recall":
		return `{"query": "hello"}`
	case "PUT /v1/workspaces/{workspace}/formations/{handle}", "POST /v1/workspaces/{workspace}/formations:plan":
		return `{"turns": [{"role": "user", "content": "hello"}]}`
	}
	return ""
}

func eachRoute(t *testing.T, check func(t *testing.T, s *Server, r Route)) {
	t.Helper()
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	for _, r := range Routes() {
		t.Run(r.Method+" "+r.Pattern, func(t *testing.T) { check(t, s, r) })
	}
}

func TestWithoutCredential(t *testing.T) {
	eachRoute(t, func(t *testing.T, s *Server, r Route) {
		t.Helper()
		for _, workspace := range []string{"demo", "absent"} {
			a := send(t, s, request{method: r.Method, path: fill(r.Pattern, workspace), body: bodyOf(r, workspace)})
			if r.Public {
				// Those of sign-in say in their own words what they lack.
				if r.signIn && a.status < 500 && a.header.Get("WWW-Authenticate") == "" {
					continue
				}
				if a.status != http.StatusOK {
					t.Errorf("a public route answered %d", a.status)
				}
				continue
			}
			problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated)
			want := `Bearer realm="lukasa", resource_metadata="` + publicURL + `/.well-known/oauth-protected-resource"`
			if got := a.header.Get("WWW-Authenticate"); got != want {
				t.Errorf("challenge %q", got)
			}
		}
	})
}

func TestWithoutThePermission(t *testing.T) {
	eachRoute(t, func(t *testing.T, s *Server, r Route) {
		t.Helper()
		if r.Permission == "" {
			return
		}
		others := slices.DeleteFunc(allPermissions(), func(p string) bool { return p == r.Permission })
		key := secret(t, s, others, []string{"*"})
		for _, workspace := range []string{"demo", "absent", "%2e%2e"} {
			a := send(t, s, request{method: r.Method, path: fill(r.Pattern, workspace), body: bodyOf(r, workspace), key: key})
			e := problem(t, a, http.StatusForbidden, api.CodePermissionDenied)
			if !strings.Contains(e.Detail, r.Permission) {
				t.Errorf("the refusal %q doesn't name %s", e.Detail, r.Permission)
			}
		}
	})
}

func TestWithoutTheSelector(t *testing.T) {
	eachRoute(t, func(t *testing.T, s *Server, r Route) {
		t.Helper()
		creates := r.Method+" "+r.Pattern == "POST /v1/workspaces"
		if !r.InWorkspace() && !creates {
			return
		}
		key := secret(t, s, allPermissions(), []string{"other", "demo.*"})
		for _, workspace := range []string{"demo", "absent"} {
			a := send(t, s, request{method: r.Method, path: fill(r.Pattern, workspace), body: bodyOf(r, workspace), key: key})
			e := problem(t, a, http.StatusForbidden, api.CodePermissionDenied)
			// The same words whether it exists or not.
			if want := `no selector of the credential covers the workspace "` + workspace + `"`; e.Detail != want {
				t.Errorf("the refusal is %q, want %q", e.Detail, want)
			}
		}
	})
}

func TestWithWhatItTakes(t *testing.T) {
	eachRoute(t, func(t *testing.T, s *Server, r Route) {
		t.Helper()
		permissions := []string{r.Permission}
		if r.Permission == "" {
			permissions = []string{"audit:read"}
		}
		if strings.HasSuffix(r.Permission, ":manage") {
			permissions = append(permissions, "memory:recall", "memory:read", "workspaces:read") // to have something to grant
		}
		if r.signIn {
			return // what they take is no JSON, see the tests of sign-in
		}
		workspace := "w-" + strings.ToLower(strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ":", "-").
			Replace(r.Method+r.Pattern), "-"))
		if r.InWorkspace() {
			makeWorkspace(t, s, workspace)
		}
		key := secret(t, s, permissions, []string{workspace})
		a := send(t, s, request{method: r.Method, path: fill(r.Pattern, workspace), body: bodyOf(r, workspace), key: key})
		if a.status/100 != 2 && a.status != http.StatusNotFound {
			t.Errorf("refused with %d: %s", a.status, a.body)
		}
		if a.status == http.StatusNotFound && !strings.Contains(r.Pattern, "{id}") && !strings.Contains(r.Pattern, "{handle}") &&
			!strings.Contains(r.Pattern, "{role}") {
			t.Errorf("not found: %s", a.body)
		}
	})
}

func TestWrongMethod(t *testing.T) {
	s := quiet(t)
	key := secret(t, s, allPermissions(), []string{"*"})
	byPattern := make(map[string][]string)
	for _, r := range Routes() {
		byPattern[r.Pattern] = append(byPattern[r.Pattern], r.Method)
	}
	for pattern, methods := range byPattern {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
			if slices.Contains(methods, method) {
				continue
			}
			a := send(t, s, request{method: method, path: fill(pattern, "demo"), key: key})
			problem(t, a, http.StatusMethodNotAllowed, api.CodeInvalidRequest)
			allow := strings.Split(a.header.Get("Allow"), ", ")
			for _, m := range methods {
				if !slices.Contains(allow, m) {
					t.Errorf("%s %s: Allow is %q, without %s", method, pattern, allow, m)
				}
			}
		}
	}
}

func TestCredentials(t *testing.T) {
	s := quiet(t)
	good := secret(t, s, []string{"workspaces:read"}, []string{"*"})
	unknown, err := access.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	revoked, err := s.CreateKey(t.Context(), api.CreateKey{Label: "revoked", Role: "reader", Selectors: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.RevokeKey(t.Context(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		values []string
		detail string // "" when it is let in
	}{
		{"bearer", []string{"Bearer " + good}, ""},
		{"the scheme's case doesn't matter", []string{"bEARER " + good}, ""},
		{"no scheme", []string{good}, "not Bearer"},
		{"basic", []string{"Basic dXNlcjpwYXNz"}, "not Bearer"},
		{"nothing after the scheme", []string{"Bearer "}, "not Bearer"},
		{"another program's key", []string{"Bearer sk-abcdef"}, "not an API key of this service"},
		{"mistyped", []string{"Bearer " + good[:len(good)-1] + "!"}, "mistyped"},
		{"unknown", []string{"Bearer " + unknown}, "not known here"},
		{"revoked", []string{"Bearer " + revoked.Secret}, "revoked"},
		{"two headers", []string{"Bearer " + good, "Bearer " + good}, "several"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := send(t, s, request{method: "GET", path: "/v1/whoami", header: http.Header{"Authorization": test.values}})
			if test.detail == "" {
				if a.status != http.StatusOK {
					t.Errorf("refused: %s", a.body)
				}
				return
			}
			e := problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated)
			if !strings.Contains(e.Detail, test.detail) {
				t.Errorf("detail %q doesn't say %q", e.Detail, test.detail)
			}
			if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) {
				t.Errorf("challenge %q", got)
			}
			for _, v := range test.values {
				if _, token, ok := strings.Cut(v, " "); ok && token != "" && strings.Contains(string(a.body), token) {
					t.Error("the answer repeats the credential")
				}
			}
		})
	}
}

// A key in the query isn't taken: it would end up in logs.
func TestCredentialInQuery(t *testing.T) {
	s := quiet(t)
	key := secret(t, s, allPermissions(), []string{"*"})
	a := send(t, s, request{method: "GET", path: "/v1/whoami?access_token=" + key})
	problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated)
}
