package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func TestKeysOverHTTP(t *testing.T) {
	s := quiet(t)
	manager, err := s.CreateKey(t.Context(), api.CreateKey{Label: "manager", Role: "admin", Selectors: []string{"team.*"}})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, body string
		code       api.Code // "" when the key is made
		detail     string
	}{
		{"a reader", `{"label": "r", "role": "reader", "selectors": ["team.app"]}`, "", ""},
		{"a member, with an end", `{"label": "m", "role": "member", "selectors": ["team.*"], "expires_at": "2999-01-01T00:00:00+01:00"}`, "", ""},
		{"permissions by name", `{"label": "p", "permissions": ["memory:read", "memory:recall", "memory:read"], "selectors": ["team.app", "team.app"]}`, "", ""},
		{"without reach", `{"label": "n", "role": "reader", "selectors": []}`, "", ""},
		{"null for no selectors", `{"label": "n", "role": "reader", "selectors": null}`, "", ""},
		{"another administrator", `{"label": "a", "role": "admin", "selectors": ["team.*"]}`, api.CodePermissionDenied, "keys:manage"},
		{"root", `{"label": "a", "role": "root", "selectors": ["team.*"]}`, api.CodePermissionDenied, "keys:manage"},
		{"keys:manage by name", `{"label": "a", "permissions": ["keys:manage"], "selectors": []}`, api.CodePermissionDenied, "keys:manage"},
		{"roles:manage by name", `{"label": "a", "permissions": ["roles:manage"], "selectors": []}`, api.CodePermissionDenied, "roles:manage"},
		{"more reach", `{"label": "a", "role": "reader", "selectors": ["*"]}`, api.CodePermissionDenied, "team.*"},
		{"reach to the prefix", `{"label": "a", "role": "reader", "selectors": ["team"]}`, api.CodePermissionDenied, "team.*"},
	}
	for _, test := range tests {
		a := send(t, s, request{method: "POST", path: "/v1/keys", body: test.body, key: manager.Secret})
		if test.code != "" {
			if e := problem(t, a, test.code.Status(), test.code); !strings.Contains(e.Detail, test.detail) {
				t.Errorf("%s: %q doesn't say %q", test.name, e.Detail, test.detail)
			}
			continue
		}
		if a.status != http.StatusCreated {
			t.Fatalf("%s: %s", test.name, a.body)
		}
		key := decode[api.NewKey](t, a)
		if access.ParseKey(key.Secret) != nil || !strings.HasPrefix(key.ID, "key_") || key.CreatedAt.IsZero() {
			t.Errorf("%s: key %+v", test.name, key)
		}
		if key.Permissions == nil || key.Selectors == nil {
			t.Errorf("%s: null in %s", test.name, a.body)
		}
		if e := key.ExpiresAt; e != nil && e.Location() != time.UTC {
			t.Errorf("%s: expiry %v is not in UTC", test.name, e)
		}
		who := decode[api.Identity](t, send(t, s, request{method: "GET", path: "/v1/whoami", key: key.Secret}))
		want := api.Identity{
			Kind: "key", Key: key.ID, Label: key.Label, Role: key.Role, Permissions: key.Permissions,
			Selectors: key.Selectors, ExpiresAt: key.ExpiresAt,
		}
		if diff := cmp.Diff(want, who); diff != "" {
			t.Errorf("%s: whoami (-want +got):\n%s", test.name, diff)
		}
	}
}

// Nobody grants more than they hold, whatever the permission.
func TestNoEscalation(t *testing.T) {
	s := quiet(t)
	for _, missing := range access.Permissions() {
		if missing.Manages() {
			continue
		}
		held := slices.DeleteFunc(allPermissions(), func(p string) bool { return p == string(missing) })
		maker := secret(t, s, held, []string{"*"})
		a := send(t, s, request{
			method: "POST", path: "/v1/keys", key: maker,
			body: fmt.Sprintf(`{"label": "x", "permissions": [%q], "selectors": []}`, missing),
		})
		if e := problem(t, a, http.StatusForbidden, api.CodePermissionDenied); !strings.Contains(e.Detail, string(missing)) {
			t.Errorf("%q doesn't name %s", e.Detail, missing)
		}
	}
}

func keyLabels(t *testing.T) func(a answer) ([]string, string) {
	t.Helper()
	return func(a answer) (labels []string, next string) {
		page := decode[api.KeyPage](t, a)
		for _, k := range page.Keys {
			labels = append(labels, k.Label)
		}
		if strings.Contains(string(a.body), access.KeyPrefix) {
			t.Error("a list of keys has a secret")
		}
		return labels, page.NextPageToken
	}
}

// A manager of some workspaces neither sees nor revokes the keys of others.
func TestKeysWithinReach(t *testing.T) {
	s := quiet(t)
	made := make(map[string]api.NewKey)
	for i, selector := range []string{"team.a", "*", "team.*", "demo", "team.b", "team.c.*", "team"} {
		label := fmt.Sprintf("%d", i)
		key, err := s.CreateKey(t.Context(), api.CreateKey{Label: label, Role: "reader", Selectors: []string{selector}})
		if err != nil {
			t.Fatal(err)
		}
		made[label] = key
	}
	manager, err := s.CreateKey(t.Context(), api.CreateKey{
		Label: "manager", Permissions: []string{"keys:manage", "memory:recall", "memory:read", "workspaces:read"},
		Selectors: []string{"team.*"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 2, 3, 200} {
		got := walk(t, s, "/v1/keys", manager.Secret, size, keyLabels(t))
		if want := []string{"manager", "5", "4", "2", "0"}; !slices.Equal(got, want) {
			t.Errorf("%d a page: %v, want %v", size, got, want)
		}
	}
	for label, key := range made {
		a := send(t, s, request{method: "DELETE", path: "/v1/keys/" + key.ID, key: manager.Secret})
		if slices.Contains([]string{"5", "4", "2", "0"}, label) {
			if revoked := decode[api.Key](t, a); revoked.RevokedAt == nil {
				t.Errorf("key %s is not revoked: %s", label, a.body)
			}
			continue
		}
		problem(t, a, http.StatusNotFound, api.CodeNotFound)
	}
}

func TestRevoking(t *testing.T) {
	s := quiet(t)
	manager := secret(t, s, allPermissions(), []string{"*"})
	key, err := s.CreateKey(t.Context(), api.CreateKey{Label: "x", Role: "reader", Selectors: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	path := "/v1/keys/" + key.ID
	first := decode[api.Key](t, send(t, s, request{method: "DELETE", path: path, key: manager}))
	problem(t, send(t, s, request{method: "GET", path: "/v1/whoami", key: key.Secret}), http.StatusUnauthorized, api.CodeUnauthenticated)
	second := decode[api.Key](t, send(t, s, request{method: "DELETE", path: path, key: manager}))
	if first.RevokedAt == nil || !first.RevokedAt.Equal(*second.RevokedAt) {
		t.Errorf("revoked at %v, then at %v", first.RevokedAt, second.RevokedAt)
	}
	for _, id := range []string{"key_aaaaaaaaaaaaaaaa", "x", "key_", "key_%00", "..%2f", "key_'%20OR%201=1"} {
		problem(t, send(t, s, request{method: "DELETE", path: "/v1/keys/" + id, key: manager}), http.StatusNotFound, api.CodeNotFound)
	}
	if _, err := s.RevokeKey(t.Context(), "key_aaaaaaaaaaaaaaaa"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("revoking what isn't there: %v", err)
	}
}

func TestOperatorsKeys(t *testing.T) {
	s := quiet(t)
	for _, role := range access.Roles() {
		key, err := s.CreateKey(t.Context(), api.CreateKey{Label: string(role), Role: string(role), Selectors: []string{"*"}})
		if err != nil {
			t.Fatalf("the operator can't make a key of role %s: %v", role, err)
		}
		if diff := cmp.Diff(permissionNames(role.Permissions()), key.Permissions); diff != "" {
			t.Errorf("role %s (-want +got):\n%s", role, diff)
		}
	}
	keys, err := s.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, k := range keys {
		labels = append(labels, k.Label)
	}
	if want := []string{"reader", "member", "admin", "root"}; !slices.Equal(labels, want) {
		t.Errorf("keys %v, want %v", labels, want)
	}
	for name, body := range map[string]api.CreateKey{
		"no label":       {Role: "reader"},
		"no permissions": {Label: "x"},
		"bad selector":   {Label: "x", Role: "reader", Selectors: []string{"a*"}},
	} {
		var e *api.Error
		if _, err := s.CreateKey(t.Context(), body); !errors.As(err, &e) || e.Code != api.CodeInvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExpiry(t *testing.T) {
	s := quiet(t)
	soon := time.Now().Add(150 * time.Millisecond)
	key, err := s.CreateKey(t.Context(), api.CreateKey{Label: "x", Role: "reader", ExpiresAt: &soon})
	if err != nil {
		t.Fatal(err)
	}
	if a := send(t, s, request{method: "GET", path: "/v1/whoami", key: key.Secret}); a.status != http.StatusOK {
		t.Fatalf("before its end: %s", a.body)
	}
	time.Sleep(time.Until(soon) + time.Millisecond)
	a := send(t, s, request{method: "GET", path: "/v1/whoami", key: key.Secret})
	if e := problem(t, a, http.StatusUnauthorized, api.CodeUnauthenticated); !strings.Contains(e.Detail, "expired") {
		t.Errorf("detail %q", e.Detail)
	}
}
