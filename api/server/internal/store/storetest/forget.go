package storetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func testForget(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, ids := f.form(t, "demo", movesOutcome(f), "I live in Utrecht")
	const said = "I moved to Ghent"
	o := memory.Outcome{
		Entities:   []api.Entity{entity("Ghent")},
		Assertions: []api.Assertion{assertion("as_2", f.tick(), "Ana", "lives_in", "Ghent", said)},
		Closures: []memory.Closure{{
			Assertion: "as_1", InvalidAt: &f.now, ExpiredAt: f.now, SupersededBy: "as_2",
			PassageSupersededBy: memory.PassageID("user", said),
		}},
	}
	_, moved := f.form(t, "demo", o, said)
	at := f.tick()
	got, err := f.Forget(t.Context(), "demo", moved[0], at)
	wantErr(t, "forgetting", err, nil)
	wantEqual(t, "receipt", got, api.Erasure{
		Workspace: "demo", Passage: moved[0], ErasedAt: at,
		Removed: api.WorkspaceCounts{Passages: 1, Entities: 1, Assertions: 1}, // Ana is still spoken of
	})
	wantErr(t, "reading it", second(f.Passage(t.Context(), "demo", moved[0])), memory.ErrNotFound)
	wantErr(t, "forgetting again", second(f.Forget(t.Context(), "demo", moved[0], at)), memory.ErrNotFound)
	wantErr(t, "its assertion", second(f.Assertion(t.Context(), "demo", "as_2", at)), memory.ErrNotFound)
	wantEqual(t, "found", f.find(t, "demo", "ghent"), []string{})
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 1, Entities: 2, Assertions: 1, Formations: 2})
	old, err := f.Assertion(t.Context(), "demo", "as_1", at)
	if err != nil || old.SupersededBy != "" || old.Evidence == nil || old.Evidence.SupersededBy != "" || old.InvalidAt == nil {
		t.Errorf("what it replaced: %+v, %v; want it closed, with no word of what replaced it", old, err)
	}
	got, err = f.Forget(t.Context(), "demo", ids[0], at)
	wantErr(t, "forgetting the rest", err, nil)
	wantEqual(t, "removed", got.Removed, api.WorkspaceCounts{Passages: 1, Entities: 2, Assertions: 1})
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Formations: 2})
}

func testForgetNeighbours(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, ids := f.remember(t, "demo", "red apples", "secret zebra", "blue plums", "green pears")
	wantEqual(t, "before", len(f.find(t, "demo", "zebra")), 3)
	if _, err := f.Forget(t.Context(), "demo", ids[1], f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "after", f.find(t, "demo", "zebra"), []string{})
	wantEqual(t, "by its other neighbour", f.find(t, "demo", "plums"), []string{"blue plums", "green pears"})
	wantEqual(t, "by itself", f.find(t, "demo", "apples"), []string{"red apples"})
	// Said again elsewhere, it is no neighbour of those any more, even when they are indexed anew.
	f.remember(t, "demo", "secret zebra")
	if _, err := f.Forget(t.Context(), "demo", ids[3], f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "said again", f.find(t, "demo", "zebra"), []string{"secret zebra"})
	_, again := f.remember(t, "demo", "zebra again")
	if _, err := f.Forget(t.Context(), "demo", again[0], f.tick()); err != nil {
		t.Errorf("forgetting one without neighbours: %v", err)
	}
}

// testForgetShared forgets a passage that a later conversation repeated: its neighbours there know it too.
func testForgetShared(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, ids := f.remember(t, "demo", "secret zebra")
	f.remember(t, "demo", "red apples", "secret zebra", "blue plums")
	wantEqual(t, "before", len(f.find(t, "demo", "zebra")), 3)
	if _, err := f.Forget(t.Context(), "demo", ids[0], f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "after", f.find(t, "demo", "zebra"), []string{})
	wantNowhere(t, f, "zebra")
}

// testForgetOutcomes looks for the words in what formations recorded.
func testForgetOutcomes(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	const said = "Zelda lives in Zagreb"
	o := memory.Outcome{
		Entities: []api.Entity{entity("Zelda"), entity("Zagreb")},
		Assertions: []api.Assertion{
			assertion("as_1", f.now, "Zelda", "lives_in", "Zagreb", said), assertion("as_2", f.now, "Ana", "likes", "tea", "I like tea"),
		},
		Candidates: []api.Candidate{
			{ID: "as_1", Kind: api.KindRelationship, Text: said, Source: "Zelda", Relation: "lives_in", Target: "Zagreb", Decision: api.DecisionNew, Turns: []int{0}},
			{ID: "ca_1", Kind: api.KindRelationship, Text: "maybe Zelda", Source: "Zelda", Decision: api.DecisionRejected, Reason: "hedged", Turns: []int{0}},
			{ID: "as_2", Kind: api.KindRelationship, Text: "Ana likes tea", Source: "Ana", Target: "tea", Decision: api.DecisionNew, Turns: []int{1}},
		},
	}
	handle, ids := f.form(t, "demo", o, said, "I like tea")
	if _, err := f.Forget(t.Context(), "demo", ids[0], f.tick()); err != nil {
		t.Fatal(err)
	}
	got, err := f.Formation(t.Context(), "demo", handle)
	wantErr(t, "reading", err, nil)
	texts := map[string]string{}
	for _, c := range got.Candidates {
		texts[c.ID] = c.Text + c.Source + c.Target
	}
	wantEqual(t, "what candidates say", texts, map[string]string{
		ids[0]: "[forgotten]", "as_1": "[forgotten]", "ca_1": "[forgotten]", ids[1]: "I like tea", "as_2": "Ana likes teaAnatea",
	})
	wantEqual(t, "decisions", got.Decisions, api.Decisions{New: 4, Rejected: 1})
	wantNowhere(t, f, "zelda", "zagreb")
}

// wantNowhere exports a workspace and looks for words in it.
func wantNowhere(t *testing.T, f *fixture, words ...string) {
	t.Helper()
	err := f.Export(t.Context(), "demo", func(r api.ExportRecord) error {
		for _, word := range words {
			if strings.Contains(strings.ToLower(string(r.Data)), word) {
				t.Errorf("%q is still in a %s: %s", word, r.Type, r.Data)
			}
		}
		if !json.Valid(r.Data) {
			t.Errorf("a %s is no JSON: %s", r.Type, r.Data)
		}
		return nil
	})
	wantErr(t, "exporting", err, nil)
}

// testForgetThenTryAgain forms a conversation whose passage was forgotten in between: nothing comes back.
func testForgetThenTryAgain(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	const said = "I live in Utrecht"
	handle, ids := f.form(t, "demo", movesOutcome(f), said, "it rains")
	if _, err := f.Forget(t.Context(), "demo", ids[0], f.tick()); err != nil {
		t.Fatal(err)
	}
	again := conversation(f.tick(), said, "it rains")
	if _, accepted, err := f.Submit(t.Context(), "demo", again); accepted || err != nil {
		t.Errorf("submitting again: accepted %v, %v", accepted, err)
	}
	wantEqual(t, "passages", f.counts(t, "demo").Passages, 1)

	// Another conversation holds assertions that rest on it.
	late := movesOutcome(f)
	late.Assertions[0].ID, late.Candidates[0].ID = "as_9", "as_9"
	late.Closures = []memory.Closure{{Assertion: "as_0", ExpiredAt: f.now, SupersededBy: "as_9"}}
	other, _ := f.form(t, "demo", late, "something else")
	got, err := f.Formation(t.Context(), "demo", other)
	if err != nil || got.Writes != (api.Writes{Passages: 1}) || got.Decisions != (api.Decisions{New: 1, Rejected: 1}) {
		t.Errorf("an assertion without its evidence: %+v, %v; want it rejected", got, err)
	}
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 2, Formations: 2})
	first, err := f.Formation(t.Context(), "demo", handle)
	if err != nil || strings.Contains(first.Candidates[0].Text, "Utrecht") {
		t.Errorf("the first formation: %+v, %v", first, err)
	}
}

// testForgetForeign forgets a passage that was written under another formation's handle, as an import does. When that
// formation comes, it brings the rest.
func testForgetForeign(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	const said = "I live in Utrecht"
	s := conversation(f.now, said, "it rains in Utrecht")
	imported := memory.Outcome{Passages: passagesOf(s, f.now).Passages[:1]}
	f.form(t, "demo", imported, "importing")
	if _, err := f.Forget(t.Context(), "demo", imported.Passages[0].ID, f.tick()); err != nil {
		t.Fatal(err)
	}
	_, ids := f.form(t, "demo", movesOutcome(f), said, "it rains in Utrecht")
	got, err := f.Formation(t.Context(), "demo", s.Handle)
	if err != nil || got.Writes != (api.Writes{Passages: 1}) || got.Decisions != (api.Decisions{New: 1, Rejected: 2}) {
		t.Errorf("the formation reads %+v, %v; want what was forgotten rejected", got, err)
	}
	for _, c := range got.Candidates {
		if (c.ID == ids[1]) == (c.Text == "[forgotten]") {
			t.Errorf("candidate %s says %q", c.ID, c.Text)
		}
	}
	wantErr(t, "reading it", second(f.Passage(t.Context(), "demo", ids[0])), memory.ErrNotFound)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 2, Formations: 2})
	wantEqual(t, "found by its words", f.find(t, "demo", "live"), []string{})
}
