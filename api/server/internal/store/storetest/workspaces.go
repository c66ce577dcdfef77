package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

func testPing(t *testing.T, f *fixture) {
	if err := f.Ping(t.Context()); err != nil {
		t.Errorf("pinging: %v", err)
	}
}

func testWorkspaces(t *testing.T, f *fixture) {
	at := time.Date(2025, 3, 3, 11, 0, 0, 123456789, time.FixedZone("", 3600))
	w, err := f.CreateWorkspace(t.Context(), "demo", "A demo", at)
	if err != nil {
		t.Fatalf("creating: %v", err)
	}
	want := api.Workspace{Name: "demo", Title: "A demo", CreatedAt: time.Date(2025, 3, 3, 10, 0, 0, 123456000, time.UTC)}
	wantEqual(t, "what was created", w, want)
	_, err = f.CreateWorkspace(t.Context(), "demo", "another", at)
	wantErr(t, "creating it again", err, memory.ErrExists)
	want.Counts = &api.WorkspaceCounts{}
	w, err = f.Workspace(t.Context(), "demo")
	wantErr(t, "reading it", err, nil)
	wantEqual(t, "what is read", w, want)
	f.remember(t, "demo", "one", "two")
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 2, Formations: 1})
	want.Counts = nil
	w, err = f.FindWorkspace(t.Context(), "demo")
	wantErr(t, "finding it", err, nil)
	wantEqual(t, "what is found", w, want)
}

func testWorkspacePages(t *testing.T, f *fixture) {
	var want []string
	for _, name := range []string{"team.b", "zoo", "team.a", "a", "team", "team.a.x"} {
		f.workspace(t, name)
	}
	for i := range 9 {
		f.workspace(t, fmt.Sprintf("team.n%d", i))
		want = append(want, fmt.Sprintf("team.n%d", i))
	}
	want = append([]string{"team.a", "team.a.x", "team.b"}, want...)
	reach := func(name string) bool { return strings.HasPrefix(name, "team.") }
	for _, size := range []int{1, 4, 12, 100} {
		list := allPages(t, size, func(p memory.Page) ([]api.Workspace, string, error) {
			return f.Workspaces(t.Context(), reach, p)
		})
		var got []string
		for _, w := range list {
			got = append(got, w.Name)
		}
		wantEqual(t, fmt.Sprintf("in pages of %d", size), got, want)
	}
	none, next, err := f.Workspaces(t.Context(), func(string) bool { return false }, memory.Page{Size: 3})
	if err != nil || next != "" || none == nil || len(none) != 0 {
		t.Errorf("reaching nothing: %v, next %q, %v; want an empty list", none, next, err)
	}
}

// testUnknownWorkspace asks every method for a workspace that isn't there.
func testUnknownWorkspace(t *testing.T, f *fixture) {
	ctx, page, one := t.Context(), memory.Page{Size: 5}, "ps_none"
	calls := map[string]func() error{
		"Workspace":       func() error { _, err := f.Workspace(ctx, "none"); return err },
		"FindWorkspace":   func() error { _, err := f.FindWorkspace(ctx, "none"); return err },
		"DeleteWorkspace": func() error { _, err := f.DeleteWorkspace(ctx, "none", start); return err },
		"Submit":          func() error { _, _, err := f.Submit(ctx, "none", conversation(start, "x")); return err },
		"Formation":       func() error { _, err := f.Formation(ctx, "none", "fm_x"); return err },
		"Formations":      func() error { _, _, err := f.Formations(ctx, "none", "", page); return err },
		"Consult":         func() error { _, err := f.Consult(ctx, "none", always(memory.Outcome{})); return err },
		"Passages":        func() error { _, _, err := f.Passages(ctx, "none", page); return err },
		"Passage":         func() error { _, err := f.Passage(ctx, "none", one); return err },
		"Forget":          func() error { _, err := f.Forget(ctx, "none", one, start); return err },
		"Search":          func() error { _, err := f.Search(ctx, "none", search.ParseQuery("x"), 5, nil); return err },
		"SearchNothing":   func() error { _, err := f.Search(ctx, "none", search.Query{}, 5, nil); return err },
		"Graph":           func() error { _, err := f.Graph(ctx, "none", start, page); return err },
		"Snapshot":        func() error { _, err := f.Snapshot(ctx, "none", start, 5); return err },
		"Assertion":       func() error { _, err := f.Assertion(ctx, "none", "as_x", start); return err },
		"Export":          func() error { return f.Export(ctx, "none", func(api.ExportRecord) error { return nil }) },
	}
	f.workspace(t, "other")
	f.remember(t, "other", "x")
	for name, call := range calls {
		wantErr(t, name, call(), memory.ErrNotFound)
	}
	for name, err := range map[string]error{
		"Formation": second(f.Formation(ctx, "other", "fm_x")),
		"Passage":   second(f.Passage(ctx, "other", one)),
		"Forget":    second(f.Forget(ctx, "other", one, start)),
		"Assertion": second(f.Assertion(ctx, "other", "as_x", start)),
	} {
		wantErr(t, name+" of an unknown id", err, memory.ErrNotFound)
	}
}

func second[T any](_ T, err error) error { return err }

func testDeleteWorkspace(t *testing.T, f *fixture) {
	for _, ws := range []string{"gone", "kept"} {
		f.workspace(t, ws)
		o := memory.Outcome{Entities: []api.Entity{entity("Ana"), entity("Utrecht")}}
		o.Assertions = []api.Assertion{assertion("as_1", f.now, "Ana", "lives_in", "Utrecht", "Ana lives in Utrecht")}
		f.form(t, ws, o, "Ana lives in Utrecht", "it rains")
		f.submit(t, ws, "still queued in "+ws)
		f.Release(t.Context(), owner) //nolint:errcheck // nothing is leased
		job := f.lease(t)             // keeps the queue of this workspace busy
		if err := f.Postpone(t.Context(), job, "later", f.now.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	at := f.tick()
	got, err := f.DeleteWorkspace(t.Context(), "gone", at)
	wantErr(t, "deleting", err, nil)
	all := api.WorkspaceCounts{Passages: 2, Entities: 2, Assertions: 1, Formations: 2}
	wantEqual(t, "receipt", got, api.Erasure{Workspace: "gone", Removed: all, ErasedAt: at})
	wantErr(t, "reading it", second(f.Workspace(t.Context(), "gone")), memory.ErrNotFound)
	wantEqual(t, "counts of the other", f.counts(t, "kept"), all)
	wantEqual(t, "found in the other", f.find(t, "kept", "utrecht"), []string{"Ana lives in Utrecht", "it rains"})
	if depth, _, err := f.QueueDepth(t.Context()); depth != 1 || err != nil {
		t.Errorf("queue: %d, %v; want the other's formation alone", depth, err)
	}
	f.workspace(t, "gone") // begins empty
	wantEqual(t, "counts of a new one", f.counts(t, "gone"), api.WorkspaceCounts{})
	wantEqual(t, "found in a new one", f.find(t, "gone", "utrecht"), []string{})
	f.remember(t, "gone", "Ana lives in Utrecht")
	wantEqual(t, "found later", f.find(t, "gone", "utrecht"), []string{"Ana lives in Utrecht"})
}

func testDeleteWorkspaceWhileForming(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := f.submit(t, "demo", "hello")
	job := f.lease(t)
	if _, err := f.DeleteWorkspace(t.Context(), "demo", f.tick()); err != nil {
		t.Fatal(err)
	}
	f.workspace(t, "demo")
	decide := func(context.Context, memory.Held) (memory.Outcome, error) {
		t.Error("the formation of a deleted workspace is decided")
		return passagesOf(s, f.now), nil
	}
	wantErr(t, "forming", f.Form(t.Context(), job, f.tick(), decide), memory.ErrLeaseLost)
	wantErr(t, "renewing", f.Renew(t.Context(), job, f.now.Add(term)), memory.ErrLeaseLost)
	wantErr(t, "failing", f.Fail(t.Context(), job, "x", f.now), memory.ErrLeaseLost)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{})
}
