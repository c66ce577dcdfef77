package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

// credentials are what somebody of a role can come with.
type credentials struct{ key, token string }

// TestMatrix walks every route × every built-in role × a selector that covers the workspace or not × every kind of
// credential, and wants each let in or refused as the table of routes says.
func TestMatrix(t *testing.T) {
	for _, covering := range []bool{true, false} {
		selector := map[bool]string{true: "demo", false: "elsewhere.*"}[covering]
		s := quiet(t)
		makeWorkspace(t, s, "demo")
		for _, role := range access.Roles() {
			of := credentials{key: roleKey(t, s, role, selector)}
			_, of.token = member(t, s, string(role)+"@example.com", string(role), selector)
			for _, r := range Routes() {
				name := r.Method + " " + r.Pattern
				if _, ok := routePermissions[name]; !ok {
					t.Errorf("%s is not in the table", name)
				}
				for kind, credential := range map[string]string{"key": of.key, "token": of.token, "none": ""} {
					want := expect(routePermissions[name], r, role, covering, kind)
					a := send(t, s, request{method: r.Method, path: fill(r.Pattern, "demo"), body: bodyOf(r, "demo"), key: credential})
					if got := verdict(a); got != want {
						t.Errorf("%s as %s, selector %s, credential %s: %s, want %s: %d %s", name, role, selector, kind, got, want, a.status, a.body)
					}
				}
				makeAgain(s, t)
			}
		}
	}
}

// roleKey makes a key of a role, as the operator does.
func roleKey(t *testing.T, s *Server, role access.Role, selector string) string {
	t.Helper()
	key, err := s.CreateKey(t.Context(), api.CreateKey{Label: "k", Role: string(role), Selectors: []string{selector}})
	if err != nil {
		t.Fatal(err)
	}
	return key.Secret
}

// makeAgain undoes what a route that erases the workspace did.
func makeAgain(s *Server, t *testing.T) {
	t.Helper()
	if _, err := s.store.Workspace(t.Context(), "demo"); err != nil {
		makeWorkspace(t, s, "demo")
	}
}

// expect says what the table means for a caller.
func expect(permission string, r Route, role access.Role, covering bool, kind string) string {
	switch {
	case permission == "public":
		return "in"
	case kind == "none":
		return "not signed in"
	case permission != "any" && !slices.Contains(role.Permissions(), access.Permission(permission)):
		return "lacks " + permission
	case !covering && (r.InWorkspace() || r.Method+" "+r.Pattern == "POST /v1/workspaces"):
		return "lacks the selector"
	}
	return "in"
}

// verdict says how an answer treats its caller. What is wrong with a request comes after who makes it.
func verdict(a answer) string {
	switch {
	case a.header.Get("WWW-Authenticate") != "":
		return "not signed in"
	case a.status == http.StatusForbidden && a.header.Get("Content-Type") == "application/problem+json":
		if _, permission, ok := strings.Cut(string(a.body), "lacks the permission "); ok {
			name, _, _ := strings.Cut(permission, `"`)
			return "lacks " + name
		}
		return "lacks the selector"
	case a.status >= http.StatusInternalServerError:
		return "broken"
	}
	return "in"
}
