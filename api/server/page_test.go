package server

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestPageTokens(t *testing.T) {
	passages := newPager("passages", "demo")
	token := passages.token("passages.17")
	if got, ok := passages.cursor(token); !ok || got != "passages.17" {
		t.Fatalf("cursor %q, %v", got, ok)
	}
	if passages.token("") != "" {
		t.Error("the end of a list has a token")
	}
	for name, other := range map[string]pager{
		"another workspace":        newPager("passages", "demo2"),
		"another list":             newPager("graph", "demo"),
		"another filter":           newPager("passages", "demo", "failed"),
		"parts that join the same": newPager(`passages"demo`),
	} {
		if _, ok := other.cursor(token); ok {
			t.Errorf("a token of the passages of demo is taken by %s", name)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1]++
	for _, bad := range []string{
		"", "x", "17", "passages.17", token + "=", token + " ", token[1:], token[:len(token)-2], strings.ToUpper(token),
		base64.RawURLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString([]byte("passages.17")),
		token + token,
	} {
		if cursor, ok := passages.cursor(bad); ok {
			t.Errorf("%q was taken as %q", bad, cursor)
		}
	}
}

// walk reads a list page by page and returns what items finds in each.
func walk(t *testing.T, s *Server, path, key string, size int, items func(a answer) (names []string, next string)) []string {
	t.Helper()
	var all []string
	token := ""
	for range 50 {
		query := url.Values{"page_size": {fmt.Sprint(size)}}
		if token != "" {
			query.Set("page_token", token)
		}
		a := send(t, s, request{method: "GET", path: path + "?" + query.Encode(), key: key})
		if a.status != http.StatusOK {
			t.Fatalf("%d: %s", a.status, a.body)
		}
		names, next := items(a)
		if len(names) > size || next != "" && len(names) < size {
			t.Errorf("a page of %d, asked for %d, more %v", len(names), size, next != "")
		}
		all = append(all, names...)
		if token = next; token == "" {
			return all
		}
	}
	t.Fatal("the list doesn't end")
	return nil
}

func workspaceNames(t *testing.T) func(a answer) ([]string, string) {
	t.Helper()
	return func(a answer) (names []string, next string) {
		page := decode[api.WorkspacePage](t, a)
		for _, w := range page.Workspaces {
			names = append(names, w.Name)
		}
		return names, page.NextPageToken
	}
}

func TestWorkspacesWithinReach(t *testing.T) {
	s := quiet(t)
	for _, name := range []string{"alpha", "team", "team.a", "team.b", "team.c", "teams.a", "zeta"} {
		makeWorkspace(t, s, name)
	}
	tests := []struct {
		selectors []string
		want      []string
	}{
		{[]string{"*"}, []string{"alpha", "team", "team.a", "team.b", "team.c", "teams.a", "zeta"}},
		{[]string{"team.*"}, []string{"team.a", "team.b", "team.c"}},
		{[]string{"team.*", "zeta", "absent"}, []string{"team.a", "team.b", "team.c", "zeta"}},
		{nil, nil},
	}
	for _, test := range tests {
		key := secret(t, s, []string{"workspaces:read"}, test.selectors)
		for _, size := range []int{1, 2, 3, 200} {
			got := walk(t, s, "/v1/workspaces", key, size, workspaceNames(t))
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, %d a page: %v, want %v", test.selectors, size, got, test.want)
			}
		}
	}
}

func TestPageParameters(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	makeWorkspace(t, s, "demo2")
	key := secret(t, s, allPermissions(), []string{"*"})
	first := decode[api.WorkspacePage](t, send(t, s, request{method: "GET", path: "/v1/workspaces?page_size=1", key: key}))
	foreign := url.QueryEscape(first.NextPageToken)
	tests := []struct{ path, field string }{
		{"/v1/workspaces?page_size=0", "page_size"},
		{"/v1/workspaces?page_size=201", "page_size"},
		{"/v1/workspaces?page_size=-1", "page_size"},
		{"/v1/workspaces?page_size=", "page_size"},
		{"/v1/workspaces?page_size=ten", "page_size"},
		{"/v1/workspaces?page_size=1&page_size=2", "page_size"},
		{"/v1/workspaces?page_token=", "page_token"},
		{"/v1/workspaces?page_token=AAAA", "page_token"},
		{"/v1/workspaces/demo/passages?page_token=" + foreign, "page_token"},
		{"/v1/workspaces/demo/graph?page_token=" + foreign, "page_token"},
		{"/v1/workspaces/demo/formations?page_token=" + foreign, "page_token"},
		{"/v1/keys?page_token=" + foreign, "page_token"},
		{"/v1/workspaces/demo/formations?state=done", "state"},
		{"/v1/workspaces/demo/formations?state=", "state"},
		{"/v1/workspaces/demo/passages?state=failed", "state"},
		{"/v1/workspaces/demo?verbose=1", "verbose"},
		{"/v1/workspaces/demo/passages?%ff=1", "\uFFFD"},
	}
	for _, test := range tests {
		e := problem(t, send(t, s, request{method: "GET", path: test.path, key: key}), http.StatusBadRequest, api.CodeInvalidRequest)
		if len(e.Errors) != 1 || e.Errors[0].Field != test.field {
			t.Errorf("%s: errors %+v, want one of %s", test.path, e.Errors, test.field)
		}
	}
	a := send(t, s, request{method: "GET", path: "/v1/workspaces?%zz", key: key})
	problem(t, a, http.StatusBadRequest, api.CodeInvalidRequest)
}
