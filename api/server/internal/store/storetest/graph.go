package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func testGraph(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	empty, err := f.Graph(t.Context(), "demo", f.now, memory.Page{Size: 5})
	wantErr(t, "an empty graph", err, nil)
	wantEqual(t, "an empty graph", empty, api.GraphPage{Entities: []api.Entity{}, Assertions: []api.Assertion{}})
	var o memory.Outcome
	var want []string
	o.Entities = []api.Entity{entity("Ana")}
	for i := range 7 {
		city := fmt.Sprintf("City %d", i)
		id := fmt.Sprintf("as_%d", i)
		o.Entities = append(o.Entities, entity(city))
		o.Assertions = append(o.Assertions, assertion(id, f.now, "Ana", "visited", city, "I travel"))
		if i%3 == 0 {
			f.tick() // some are as old as each other
		}
		want = append([]string{id}, want...)
	}
	o.Closures = []memory.Closure{{Assertion: "as_6", ExpiredAt: f.now}}
	f.form(t, "demo", o, "I travel")
	for _, size := range []int{1, 2, 7, 50} {
		list := allPages(t, size, func(p memory.Page) ([]api.Assertion, string, error) {
			g, err := f.Graph(t.Context(), "demo", f.now, p)
			checkEnds(t, g.Entities, g.Assertions)
			return g.Assertions, g.NextPageToken, err
		})
		var got []string
		for _, a := range list {
			got = append(got, a.ID)
			if a.Qualified == (a.ID == "as_6") {
				t.Errorf("%s is qualified: %v; the closed one alone isn't", a.ID, a.Qualified)
			}
		}
		wantEqual(t, fmt.Sprintf("in pages of %d", size), got, want)
	}
}

// checkEnds wants the entities at the ends of assertions, each once, and no others.
func checkEnds(t *testing.T, entities []api.Entity, assertions []api.Assertion) {
	t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for _, a := range assertions {
		want[a.Source], want[a.Target] = 1, 1
	}
	for _, e := range entities {
		got[e.ID]++
	}
	wantEqual(t, "entities", got, want)
}

func testSnapshot(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	day := func(n int) *time.Time { return ptr(start.AddDate(0, 0, n)) }
	windows := map[string][3]*time.Time{ // since when, until when, until when it was believed
		"as_always":   {nil, nil, nil},
		"as_past":     {day(1), day(3), nil},
		"as_closed":   {day(1), nil, day(4)},
		"as_both":     {day(1), day(2), day(9)},
		"as_coming":   {day(5), nil, nil},
		"as_forgiven": {nil, nil, day(2)},
	}
	o := memory.Outcome{Entities: []api.Entity{entity("Ana"), entity("tea")}}
	for id, w := range windows {
		a := assertion(id, start, "Ana", "likes", "tea", "I like tea")
		a.ValidAt, a.InvalidAt, a.ExpiredAt = w[0], w[1], w[2]
		o.Assertions = append(o.Assertions, a)
	}
	f.form(t, "demo", o, "I like tea")
	tests := map[int][]string{
		0: {"as_always", "as_forgiven"},
		1: {"as_always", "as_past", "as_closed", "as_both", "as_forgiven"},
		2: {"as_always", "as_past", "as_closed"},
		3: {"as_always", "as_closed"},
		4: {"as_always"},
		5: {"as_always", "as_coming"},
	}
	for n, want := range tests {
		g, err := f.Snapshot(t.Context(), "demo", *day(n), 50)
		wantErr(t, "reading a snapshot", err, nil)
		checkEnds(t, g.Nodes, g.Edges)
		got, wanted := map[string]bool{}, map[string]bool{}
		for _, a := range g.Edges {
			got[a.ID] = a.Qualified
		}
		for _, id := range want {
			wanted[id] = true
		}
		wantEqual(t, fmt.Sprintf("open on day %d, qualified", n), got, wanted)
		wantEqual(t, "truncated", g.Truncated, false)
	}
	testSnapshotLimit(t, f)
}

func testSnapshotLimit(t *testing.T, f *fixture) {
	t.Helper()
	f.workspace(t, "many")
	o := memory.Outcome{Entities: []api.Entity{entity("Ana"), entity("tea")}}
	for i := range 5 {
		o.Assertions = append(o.Assertions, assertion(fmt.Sprintf("as_%d", i), f.tick(), "Ana", "likes", "tea", "I like tea"))
	}
	f.form(t, "many", o, "I like tea")
	for limit, want := range map[int]string{0: "[] true", 2: "[as_4 as_3] true", 5: "[as_4 as_3 as_2 as_1 as_0] false"} {
		g, err := f.Snapshot(t.Context(), "many", f.now, limit)
		wantErr(t, "reading a snapshot", err, nil)
		ids := []string{}
		for _, a := range g.Edges {
			ids = append(ids, a.ID)
		}
		wantEqual(t, fmt.Sprintf("at most %d", limit), fmt.Sprint(ids, " ", g.Truncated), want)
	}
}

func testAssertion(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := conversation(f.tick(), "I live in Utrecht")
	s.Source = &api.Source{Via: "sdk", Client: &api.SourceClient{Name: "script"}}
	if _, _, err := f.Submit(t.Context(), "demo", s); err != nil {
		t.Fatal(err)
	}
	o := passagesOf(s, f.now)
	o.Entities = []api.Entity{entity("Ana"), entity("Utrecht"), entity("Ghent")}
	at := f.tick()
	o.Assertions = []api.Assertion{
		assertion("as_1", at, "Ana", "lives_in", "Utrecht", "I live in Utrecht"),
		assertion("as_2", at, "Ana", "lives_in", "Ghent", "I live in Utrecht"),
		assertion("as_3", at, "Ana", "likes", "Ghent", "I live in Utrecht"),
		assertion("as_4", at, "Utrecht", "lives_in", "Ghent", "I live in Utrecht"),
	}
	o.Assertions[0].ExpiredAt = ptr(at.Add(time.Hour))
	wantErr(t, "forming", f.Form(t.Context(), f.lease(t), f.tick(), always(o)), nil)
	for i := range o.Assertions {
		o.Assertions[i].Qualified = true
	}
	want := api.AssertionDetail{
		Assertion: o.Assertions[0], Entities: []api.Entity{entity("Ana"), entity("Utrecht")},
		Evidence: &o.Passages[0].Passage, SubmittedBy: s.Source, History: o.Assertions[:2],
	}
	got, err := f.Assertion(t.Context(), "demo", "as_1", at)
	wantErr(t, "reading", err, nil)
	wantEqual(t, "while it holds", got, want)
	o.Assertions[0].Qualified, o.Assertions[0].UnqualifiedReason = false, api.UnqualifiedExpired
	want.Assertion = o.Assertions[0]
	got, err = f.Assertion(t.Context(), "demo", "as_1", at.Add(time.Hour))
	wantErr(t, "reading later", err, nil)
	wantEqual(t, "once it has ended", got, want)
}
