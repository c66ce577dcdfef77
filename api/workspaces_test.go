package api_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestWorkspacesCreate(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"name": "notes", "title": "My notes"}`)
		reply(201, `{"name": "notes", "title": "My notes", "created_at": "2025-03-01T09:00:00Z"}`)(w, r)
	})
	got, err := c.Workspaces.Create(ctx(t), api.CreateWorkspace{Name: "notes", Title: "My notes"})
	wantEqual(t, got, err, &api.Workspace{Name: "notes", Title: "My notes", CreatedAt: date(1)})
}

func TestWorkspacesCreateTwice(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces", reply(409, `{"code": "already_exists", "detail": "it is there"}`))
	if _, err := c.Workspaces.Create(ctx(t), api.CreateWorkspace{Name: "notes"}); !errors.Is(err, api.ErrAlreadyExists) {
		t.Errorf("error = %v", err)
	}
}

func TestWorkspacesGet(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes", reply(200, `{"name": "notes", "title": "", "created_at": "2025-03-01T09:00:00Z",
		"counts": {"passages": 1, "entities": 2, "assertions": 3, "formations": 4}, "permissions": ["memory:recall"]}`))
	got, err := c.Workspaces.Get(ctx(t), "notes")
	wantEqual(t, got, err, &api.Workspace{
		Name: "notes", CreatedAt: date(1), Permissions: []string{"memory:recall"},
		Counts: &api.WorkspaceCounts{Passages: 1, Entities: 2, Assertions: 3, Formations: 4},
	})
}

func TestWorkspacesCheck(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		want   error // nil is a pass
	}{
		{200, `{"name": "notes"}`, nil},
		{200, ` {"created_at": "some day"}`, nil}, // of another implementation
		{200, `[]`, errAny},
		{200, `{"name": `, errAny},
		{200, ``, errAny},
		{401, `{"code": "unauthenticated"}`, api.ErrUnauthenticated},
		{403, `{"code": "permission_denied"}`, api.ErrPermissionDenied},
		{404, `{"code": "not_found"}`, api.ErrNotFound},
	} {
		c, mux := setup(t)
		mux.HandleFunc("GET /v1/workspaces/notes", reply(tt.status, tt.body))
		err := c.Workspaces.Check(ctx(t), "notes")
		if (err == nil) != (tt.want == nil) || tt.want != nil && tt.want != errAny && !errors.Is(err, tt.want) {
			t.Errorf("%d %s: error = %v, want %v", tt.status, tt.body, err, tt.want)
		}
	}
}

var errAny = errors.New("any error")

func TestWorkspacesDelete(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("DELETE /v1/workspaces/notes", reply(200, `{"workspace": "notes", "erased_at": "2025-03-02T09:00:00Z",
		"removed": {"passages": 1, "entities": 2, "assertions": 3, "formations": 4}}`))
	got, err := c.Workspaces.Delete(ctx(t), "notes")
	wantEqual(t, got, err, &api.Erasure{
		Workspace: "notes", ErasedAt: date(2),
		Removed: api.WorkspaceCounts{Passages: 1, Entities: 2, Assertions: 3, Formations: 4},
	})
}

func TestWorkspacesList(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces", func(w http.ResponseWriter, r *http.Request) {
		if got, want := r.URL.RawQuery, "page_size=2&page_token=t1"; got != want {
			t.Errorf("query %s, want %s", got, want)
		}
		reply(200, `{"workspaces": [{"name": "a"}], "next_page_token": "t2"}`)(w, r)
	})
	got, err := c.Workspaces.List(ctx(t), api.ListOptions{PageSize: 2, PageToken: "t1"})
	wantEqual(t, got, err, &api.WorkspacePage{Workspaces: []api.Workspace{{Name: "a"}}, NextPageToken: "t2"})
}
