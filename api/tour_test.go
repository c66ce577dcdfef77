package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// tour uses every method of a client against a real server, in the order in which a program would.
type tour struct {
	*testing.T
	ctx    context.Context
	client *api.Client
	handle string
}

func newTour(t *testing.T, client *api.Client) *tour {
	t.Helper()
	return &tour{T: t, ctx: ctx(t), client: client}
}

func (t *tour) walk() {
	t.Helper()
	t.identity()
	t.workspaces()
	t.formations()
	t.memory()
	t.passages()
	t.graph()
	t.export()
	t.keys()
	t.erase()
}

// must returns v, and ends the test when there is an error.
func must[T any](v T, err error) func(t *tour) T {
	return func(t *tour) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// collect returns what an iterator yields.
func collect[T any](t *tour, seq iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func (t *tour) identity() {
	t.Helper()
	me := must(t.client.WhoAmI.Get(t.ctx))(t)
	all := must(t.client.Permissions.List(t.ctx))(t)
	if me.Kind != "key" || me.Role != "root" || !slices.Equal(me.Permissions, all.Permissions) || !slices.Equal(me.Selectors, []string{"*"}) {
		t.Errorf("whoami: %+v; permissions: %v", me, all.Permissions)
	}
}

func (t *tour) workspaces() {
	t.Helper()
	made := must(t.client.Workspaces.Create(t.ctx, api.CreateWorkspace{Name: "notes", Title: "My notes"}))(t)
	if made.Name != "notes" || made.Title != "My notes" || time.Since(made.CreatedAt) > time.Minute {
		t.Errorf("created %+v", made)
	}
	must(t.client.Workspaces.Create(t.ctx, api.CreateWorkspace{Name: "team.app"}))(t)
	if _, err := t.client.Workspaces.Create(t.ctx, api.CreateWorkspace{Name: "notes"}); !errors.Is(err, api.ErrAlreadyExists) {
		t.Errorf("creating it again: %v", err)
	}
	if err := t.client.Workspaces.Check(t.ctx, "notes"); err != nil {
		t.Errorf("checking it: %v", err)
	}
	if err := t.client.Workspaces.Check(t.ctx, "other"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("checking one that is not there: %v", err)
	}
	if got := must(t.client.Workspaces.Get(t.ctx, "notes"))(t); got.Counts == nil || len(got.Permissions) == 0 {
		t.Errorf("got %+v", got)
	}
	var names []string
	for _, w := range collect(t, t.client.Workspaces.All(t.ctx, api.ListOptions{PageSize: 1})) {
		names = append(names, w.Name)
	}
	if want := []string{"notes", "team.app"}; !slices.Equal(names, want) {
		t.Errorf("listed %v, want %v", names, want)
	}
	if _, err := t.client.Workspaces.List(t.ctx, api.ListOptions{PageToken: "nonsense"}); !errors.Is(err, api.ErrInvalidRequest) {
		t.Errorf("a page token that is none: %v", err)
	}
	for _, name := range []string{"../keys", "a/b", "%2e%2e", "a?b", "a#b", "UPPER", "\xff"} {
		if _, err := t.client.Workspaces.Get(t.ctx, name); !errors.Is(err, api.ErrNotFound) {
			t.Errorf("workspace %q: %v, want not found", name, err)
		}
	}
}

func conversation() api.SubmitFormation {
	return api.SubmitFormation{
		Turns: []api.Turn{
			{Role: formation.RoleUser, Content: "I live in Utrecht and I work at Acme."},
			{Role: formation.RoleAssistant, Content: "Utrecht has a lovely old town."},
		},
		Source: &api.Source{Via: "sdk", Client: &api.SourceClient{Name: "tour", Version: "1"}},
	}
}

func (t *tour) formations() {
	t.Helper()
	body := conversation()
	plan := must(t.client.Formations.Plan(t.ctx, "notes", body))(t)
	sent := must(t.client.Formations.Submit(t.ctx, "notes", body))(t)
	t.handle = formation.Handle(body.Turns, nil)
	if plan.Handle != t.handle || sent.Handle != t.handle || len(plan.Candidates) == 0 {
		t.Errorf("planned %+v, submitted %+v, want the handle %s", plan, sent, t.handle)
	}
	ended := must(t.client.Formations.Wait(t.ctx, "notes", t.handle))(t)
	if ended.State != api.FormationFinished || ended.Writes != plan.Writes || ended.Writes.Passages == 0 {
		t.Errorf("ended as %+v, planned was %+v", ended, plan)
	}
	if diff := cmp.Diff(body.Source, ended.Source); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
	again := must(t.client.Formations.Submit(t.ctx, "notes", body))(t)
	held := must(t.client.Formations.GetWait(t.ctx, "notes", t.handle, time.Second))(t)
	now := must(t.client.Formations.Get(t.ctx, "notes", t.handle))(t)
	for _, f := range []*api.Formation{again, held, now} {
		if diff := cmp.Diff(ended, f); diff != "" {
			t.Errorf("it changed (-ended +later):\n%s", diff)
		}
	}
	opts := api.FormationListOptions{State: api.FormationFinished, PageSize: 1}
	if list := collect(t, t.client.Formations.All(t.ctx, "notes", opts)); len(list) != 1 || list[0].Handle != t.handle {
		t.Errorf("listed %+v", list)
	}
	failed := must(t.client.Formations.List(t.ctx, "notes", api.FormationListOptions{State: api.FormationFailed}))(t)
	if len(failed.Formations) != 0 {
		t.Errorf("failed: %+v", failed)
	}
	if _, err := t.client.Formations.Get(t.ctx, "notes", hello); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("a handle that was never submitted: %v", err)
	}
}

func (t *tour) memory() {
	t.Helper()
	ask := api.RecallRequest{Query: "Utrecht", Limit: 2}
	recall := must(t.client.Memory.Recall(t.ctx, "notes", ask))(t)
	if len(recall.Passages) == 0 || !strings.Contains(recall.Passages[0].Text, "Utrecht") {
		t.Errorf("recalled %+v", recall)
	}
	raw := must(t.client.Memory.RecallJSON(t.ctx, "notes", ask))(t)
	var same api.Recall
	if err := json.Unmarshal(raw, &same); err != nil {
		t.Fatal(err)
	}
	same.ReadAt = recall.ReadAt
	if diff := cmp.Diff(recall, &same); diff != "" {
		t.Errorf("RecallJSON differs (-decoded +raw):\n%s", diff)
	}
	before := time.Date(2001, time.January, 1, 0, 0, 0, 0, time.UTC)
	past := must(t.client.Memory.Recall(t.ctx, "notes", api.RecallRequest{Query: "Utrecht", AsOf: &before}))(t)
	if len(past.Passages) != 0 || len(past.Graph.Edges) != 0 {
		t.Errorf("recalled of 2001: %+v", past)
	}
}

func (t *tour) passages() {
	t.Helper()
	page := must(t.client.Passages.List(t.ctx, "notes", api.ListOptions{PageSize: 1}))(t)
	all := collect(t, t.client.Passages.All(t.ctx, "notes", api.ListOptions{PageSize: 1}))
	if len(page.Passages) != 1 || len(all) != 2 || all[0].ID != page.Passages[0].ID {
		t.Fatalf("page %+v, all %+v", page, all)
	}
	detail := must(t.client.Passages.Get(t.ctx, "notes", all[0].ID))(t)
	if diff := cmp.Diff(all[0], detail.Passage); diff != "" || detail.Source == nil || detail.Source.Via != "sdk" {
		t.Errorf("source %+v, passage (-listed +got):\n%s", detail.Source, diff)
	}
}

func (t *tour) graph() {
	t.Helper()
	page := must(t.client.Graph.List(t.ctx, "notes", api.ListOptions{}))(t)
	if len(page.Assertions) == 0 || len(page.Entities) < 2 {
		t.Errorf("nothing was asserted: %+v", page)
		return
	}
	var listed []api.Assertion
	for _, p := range collect(t, t.client.Graph.All(t.ctx, "notes", api.ListOptions{PageSize: 1})) {
		listed = append(listed, p.Assertions...)
	}
	if diff := cmp.Diff(page.Assertions, listed); diff != "" {
		t.Errorf("page by page (-at once +paged):\n%s", diff)
	}
	detail := must(t.client.Graph.Assertion(t.ctx, "notes", listed[0].ID))(t)
	if diff := cmp.Diff(listed[0], detail.Assertion); diff != "" || detail.Evidence == nil || len(detail.Entities) != 2 {
		t.Errorf("got %+v, assertion (-listed +got):\n%s", detail, diff)
	}
}

func (t *tour) export() {
	t.Helper()
	var lines bytes.Buffer
	if err := t.client.Memory.ExportTo(t.ctx, "notes", &lines); err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	records := collect(t, t.client.Memory.Export(t.ctx, "notes"))
	for _, r := range records {
		kinds[r.Type]++
	}
	if kinds["workspace"] != 1 || kinds["formation"] != 1 || kinds["passage"] != 2 || kinds["assertion"] == 0 || kinds["entity"] < 2 {
		t.Errorf("exported %v", kinds)
	}
	if got := strings.Count(lines.String(), "\n"); got != len(records) {
		t.Errorf("%d lines, %d records", got, len(records))
	}
}

func (t *tour) keys() {
	t.Helper()
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	made := must(t.client.Keys.Create(t.ctx, api.CreateKey{
		Label: "laptop", Role: "reader", Selectors: []string{"team.*"}, ExpiresAt: &expires,
	}))(t)
	if made.Secret == "" || made.Role != "reader" || made.ExpiresAt == nil || !made.ExpiresAt.Equal(expires) {
		t.Errorf("created %+v", made.Key)
	}
	page := must(t.client.Keys.List(t.ctx, api.ListOptions{PageSize: 1}))(t)
	all := collect(t, t.client.Keys.All(t.ctx, api.ListOptions{PageSize: 1}))
	if len(page.Keys) != 1 || page.Keys[0].ID != made.ID || len(all) < 2 {
		t.Errorf("page %+v, all %+v", page, all)
	}
	revoked := must(t.client.Keys.Revoke(t.ctx, made.ID))(t)
	again := must(t.client.Keys.Revoke(t.ctx, made.ID))(t)
	if revoked.RevokedAt == nil || again.RevokedAt == nil || !revoked.RevokedAt.Equal(*again.RevokedAt) {
		t.Errorf("revoked %+v, again %+v", revoked, again)
	}
	if _, err := t.client.Keys.Revoke(t.ctx, "key_aaaaaaaaaaaaaaaa"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("revoking a key that is not there: %v", err)
	}
}

func (t *tour) erase() {
	t.Helper()
	passage := collect(t, t.client.Passages.All(t.ctx, "notes", api.ListOptions{}))[0]
	receipt := must(t.client.Passages.Forget(t.ctx, "notes", passage.ID))(t)
	if receipt.Passage != passage.ID || receipt.Removed.Passages != 1 {
		t.Errorf("forgetting: %+v", receipt)
	}
	if _, err := t.client.Passages.Get(t.ctx, "notes", passage.ID); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("a forgotten passage: %v", err)
	}
	receipt = must(t.client.Workspaces.Delete(t.ctx, "notes"))(t)
	if receipt.Workspace != "notes" || receipt.Removed.Passages != 1 || receipt.Removed.Formations != 1 {
		t.Errorf("erasing: %+v", receipt)
	}
	if _, err := t.client.Workspaces.Get(t.ctx, "notes"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("an erased workspace: %v", err)
	}
}
