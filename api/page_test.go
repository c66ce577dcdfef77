package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

// three answers with three pages of workspaces, a, b and c, and notes what was asked for.
func three(asked *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.RawQuery)
		reply(200, map[string]string{
			"":    `{"workspaces": [{"name": "a"}], "next_page_token": "t+1"}`,
			"t+1": `{"workspaces": [], "next_page_token": "t2"}`,
			"t2":  `{"workspaces": [{"name": "b"}, {"name": "c"}]}`,
		}[r.URL.Query().Get("page_token")])(w, r)
	}
}

func names(c *api.Client, t *testing.T, opts api.ListOptions, limit int) (list []string, err error) {
	t.Helper()
	for w, err := range c.Workspaces.All(ctx(t), opts) {
		if err != nil {
			return list, err
		}
		if list = append(list, w.Name); len(list) == limit {
			break
		}
	}
	return list, nil
}

func TestAll(t *testing.T) {
	for _, tt := range []struct {
		name  string
		opts  api.ListOptions
		limit int
		want  []string
		asked []string
	}{
		{"from the start", api.ListOptions{}, -1, []string{"a", "b", "c"}, []string{"", "page_token=t%2B1", "page_token=t2"}},
		{"in the middle", api.ListOptions{PageToken: "t2"}, -1, []string{"b", "c"}, []string{"page_token=t2"}},
		{"page size", api.ListOptions{PageSize: 7}, -1, []string{"a", "b", "c"},
			[]string{"page_size=7", "page_size=7&page_token=t%2B1", "page_size=7&page_token=t2"}},
		{"broken off", api.ListOptions{}, 1, []string{"a"}, []string{""}},
		{"broken off in a page", api.ListOptions{PageToken: "t2"}, 1, []string{"b"}, []string{"page_token=t2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked []string
			c, mux := setup(t)
			mux.HandleFunc("GET /v1/workspaces", three(&asked))
			got, err := names(c, t, tt.opts, tt.limit)
			wantEqual(t, got, err, tt.want)
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllEndsWithFirstError(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page_token") == "" {
			reply(200, `{"workspaces": [{"name": "a"}], "next_page_token": "t1"}`)(w, r)
			return
		}
		reply(403, `{"code": "permission_denied"}`)(w, r)
	})
	got, err := names(c, t, api.ListOptions{}, -1)
	if !errors.Is(err, api.ErrPermissionDenied) || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// A list that never ends, as of a broken server, must not be followed for ever.
func TestAllNoticesRepeatedToken(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces", reply(200, `{"workspaces": [{"name": "a"}], "next_page_token": "t1"}`))
	got, err := names(c, t, api.ListOptions{}, -1)
	if err == nil || !strings.Contains(err.Error(), "same page token") || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// An iterator can be used again, and then asks again.
func TestAllTwice(t *testing.T) {
	var asked []string
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces", three(&asked))
	seq := c.Workspaces.All(ctx(t), api.ListOptions{})
	for range 2 {
		n := 0
		for range seq {
			n++
		}
		if n != 3 {
			t.Errorf("%d entries, want 3", n)
		}
	}
	if len(asked) != 6 {
		t.Errorf("%d requests, want 6", len(asked))
	}
}

func ExampleWorkspacesService_All() {
	server := httptest.NewServer(three(new([]string)))
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		panic(err)
	}
	for workspace, err := range client.Workspaces.All(background(), api.ListOptions{PageSize: 1}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(workspace.Name)
	}
	// Output:
	// a
	// b
	// c
}
