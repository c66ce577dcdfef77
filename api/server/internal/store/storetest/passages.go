package storetest

import (
	"fmt"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func testPassages(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.workspace(t, "other")
	var want []string
	for i := range 4 {
		f.remember(t, "other", fmt.Sprintf("elsewhere %d", i))
		_, ids := f.remember(t, "demo", fmt.Sprintf("first %d", i), fmt.Sprintf("second %d", i))
		want = append(want, ids...)
	}
	ids := func(list []api.Passage) (ids []string) {
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		return ids
	}
	list := func(p memory.Page) ([]api.Passage, string, error) { return f.Passages(t.Context(), "demo", p) }
	for _, size := range []int{1, 3, 8, 200} {
		wantEqual(t, fmt.Sprintf("in pages of %d", size), ids(allPages(t, size, list)), want)
	}

	part, next, err := list(memory.Page{Size: 2})
	if err != nil || next == "" {
		t.Fatalf("first page: %v, %v", part, err)
	}
	// A page goes on behind what the last one ended with, though that is forgotten and more was remembered.
	if _, err := f.Forget(t.Context(), "demo", part[1].ID, f.tick()); err != nil {
		t.Fatal(err)
	}
	_, more := f.remember(t, "demo", "third")
	part, next, err = list(memory.Page{Size: 50, After: next})
	wantErr(t, "second page", err, nil)
	wantEqual(t, "second page", ids(part), append(want[2:len(want):len(want)], more...))
	wantEqual(t, "end", next, "")
}

func testPassageDetail(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := conversation(f.tick(), "I live in Utrecht")
	s.Source = &api.Source{Via: "cli"}
	if _, _, err := f.Submit(t.Context(), "demo", s); err != nil {
		t.Fatal(err)
	}
	o := passagesOf(s, f.now)
	o.Passages[0].Flags = []string{api.FlagAddressesReader}
	o.Passages[0].Turn = 7
	o.Passages[0].Text += "\nand \"like\" it, 'truly' 🗼"
	moves := movesOutcome(f)
	o.Entities, o.Assertions = moves.Entities, moves.Assertions
	o.Assertions = append(o.Assertions, assertion("as_2", f.tick(), "Ana", "likes", "Utrecht", "I live in Utrecht"))
	wantErr(t, "forming", f.Form(t.Context(), f.lease(t), f.tick(), always(o)), nil)
	got, err := f.Passage(t.Context(), "demo", o.Passages[0].ID)
	wantErr(t, "reading", err, nil)
	for i := range o.Assertions {
		o.Assertions[i].Qualified = true
	}
	wantEqual(t, "passage", got, api.PassageDetail{Passage: o.Passages[0].Passage, Source: s.Source, Assertions: o.Assertions})
}
