package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

func testSearch(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	for _, text := range []string{
		"Ana: I adopted a cat called Miso", "Ben: the deploy failed again", "Ana: cats and dogs", "Ana: my cat Miso loves the garden",
	} {
		f.remember(t, "demo", text)
	}
	list, err := f.Search(t.Context(), "demo", search.ParseQuery("Who is the cat Miso?"), 10, nil)
	wantErr(t, "searching", err, nil)
	var got []string
	for i, p := range list {
		got = append(got, p.Text)
		if p.Score <= 0 || i > 0 && p.Score > list[i-1].Score {
			t.Errorf("score %d is %v: want them above zero, best first", i, p.Score)
		}
	}
	if len(got) != 3 || got[2] != "Ana: cats and dogs" {
		t.Errorf("found %q, want both of Miso, then the one of cats", got)
	}
	limited, err := f.Search(t.Context(), "demo", search.ParseQuery("cat miso"), 1, nil)
	if err != nil || len(limited) != 1 || limited[0].ID != list[0].ID {
		t.Errorf("one: %+v, %v; want the best", limited, err)
	}
	wantEqual(t, "by its speaker", f.find(t, "demo", "what did ben say"), []string{"Ben: the deploy failed again"})
	wantEqual(t, "by its day", len(f.find(t, "demo", "on Monday, March 3")), 4)
	wantEqual(t, "nothing", f.find(t, "demo", "zebra"), []string{})
}

func testSearchWords(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	tests := []struct {
		text    string
		queries []string
	}{
		{"私は東京に住んでいます", []string{"東京", "東京に住む", "どこに住んでいますか"}},
		{"黒い猫が好き", []string{"猫", "黒い猫"}},
		{"我喜欢喝绿茶", []string{"绿茶", "喝绿茶吗"}},
		{"서울에서 일합니다", []string{"서울", "서울에"}},
		{"ฉันชอบกินข้าวผัด", []string{"ข้าวผัด"}},
		{"मुझे हिंदी पसंद है", []string{"हिंदी"}},
		{"Jörg wohnt in der Straße nach Köln", []string{"jorg", "JÖRG", "koln", "strasse"}},
		{"Ёлка стоит в Москве", []string{"елка", "москве"}},
		{"call getUserByID on the client", []string{"getUserByID", "getuserbyid", "user id"}},
		{"set MAX_RETRY_COUNT to five", []string{"max_retry_count", "retry"}},
		{"the billing-api broke", []string{"billing-api", "billing", "billingapi"}},
		{"edit src/cmd/main.go please", []string{"src/cmd/main.go", "main.go", "cmd"}},
		{`saved to C:\Data\notes.txt`, []string{`c:\data\notes.txt`, "notes.txt"}},
		{"pinned sqlite v1.62.0 today", []string{"1.62.0", "v1.62.0", "1.62", "v1.62"}},
		{"reverted 4f9d2c7ab31e in the morning", []string{"4f9d2c7", "4f9d2c7ab31e", "4f9d2c7ab3"}},
		{"write to ana.lima@example.com", []string{"ana.lima@example.com", "example.com", "lima"}},
		{"knows C++ and F# well", []string{"c++", "F#"}},
		{"running shoes", []string{"run", "runs"}},
		{"Ines's guitar lessons", []string{"ines", "Ines’s lesson"}},
		{"ｆｕｌｌｗｉｄｔｈ words", []string{"fullwidth"}},
	}
	for _, tt := range tests {
		f.remember(t, "demo", tt.text)
	}
	for _, tt := range tests {
		for _, query := range tt.queries {
			if found := f.find(t, "demo", query); !slices.Contains(found, tt.text) {
				t.Errorf("%q finds %q, want %q among them", query, found, tt.text)
			}
		}
	}
	for query, absent := range map[string]string{"16.20": "pinned sqlite v1.62.0 today", "大阪": "私は東京に住んでいます"} {
		if found := f.find(t, "demo", query); slices.Contains(found, absent) {
			t.Errorf("%q finds %q", query, absent)
		}
	}
}

func testSearchHostile(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.remember(t, "demo", "alpha beta", "NEAR the AND gate OR NOT", "text: a column")
	hostile := []string{
		"", " ", `"`, `""`, `"alpha`, "*", "alpha*", "-alpha", "NEAR(alpha beta)", "NEAR(", "text:", "text : alpha", "{text}:x",
		"alpha AND", "AND", "OR", "NOT", "^alpha", "(", ")", "alpha)", "a\x00b", "\x00", "😀", "😀😀 🗼", "\u0301", "\u0301\u0302",
		"\u202Ealpha", "\xff\xfe", "alpha\xff", "'; DROP TABLE passages; --", "%", "_", "\\", "+", "a+b", "a NOT b", "1e9", "-1",
		strings.Repeat("a", 4096), strings.Repeat(`" OR `, 800), strings.Repeat("x ", 2000), strings.Repeat("(", 4096),
		strings.Repeat("\u0301", 2000), strings.Repeat("東", 1300), "\ue000's", "'s", "''", "x'", "ﷺ", "İ", "ǅ", "½", "²",
	}
	for _, query := range hostile {
		list, err := f.Search(t.Context(), "demo", search.ParseQuery(query), 10, nil)
		if err != nil || list == nil {
			t.Errorf("searching %.40q: %v, %v; want a list", query, list, err)
		}
	}
	wantEqual(t, "a word among syntax", f.find(t, "demo", `NEAR("alpha*`)[0], "alpha beta")
	for _, limit := range []int{0, -1} {
		list, err := f.Search(t.Context(), "demo", search.ParseQuery("alpha"), limit, nil)
		if err != nil || len(list) != 0 {
			t.Errorf("at most %d: %v, %v; want nothing", limit, list, err)
		}
	}
	raw := search.Query{Terms: []string{`x" OR "alpha`, "\x00", "", "*"}}
	if _, err := f.Search(t.Context(), "demo", raw, 10, nil); err != nil {
		t.Errorf("terms that no analysis makes: %v", err)
	}
}

func testSearchAsOf(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.remember(t, "demo", "garden one")
	at := f.now
	f.remember(t, "demo", "garden two")
	for asOf, want := range map[time.Time]int{at.Add(-time.Hour): 0, at: 1, f.now: 2} {
		list, err := f.Search(t.Context(), "demo", search.ParseQuery("garden"), 10, &asOf)
		if err != nil || len(list) != want {
			t.Errorf("as of %v: %+v, %v; want %d", asOf, list, err, want)
		}
	}
}

// testSearchTies has more equal passages than a store takes from its index.
func testSearchTies(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, ids := f.remember(t, "demo", numbered(search.MaxCandidates+20)...)
	list, err := f.Search(t.Context(), "demo", search.ParseQuery("number"), 3, nil)
	wantErr(t, "searching", err, nil)
	slices.Reverse(ids)
	// The last one has no neighbour after it, so it stands apart from the others.
	for i, p := range list {
		if !slices.Contains(ids[:6], p.ID) {
			t.Errorf("place %d is %q, want one of the newest", i, p.Text)
		}
	}
}

// testSearchStatements finds a passage by what is asserted on its evidence, also after its neighbour was forgotten.
func testSearchStatements(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	const said = "I moved to Ghent"
	_, ids := f.form(t, "demo", memory.Outcome{
		Entities:   []api.Entity{entity("Ana"), entity("Ghent")},
		Assertions: []api.Assertion{assertion("as_1", f.now, "Ana", "resides in", "Ghent", said)},
	}, "the weather turned", said)
	wantEqual(t, "by the statement", f.find(t, "demo", "where does she reside"), []string{said})
	if _, err := f.Forget(t.Context(), "demo", ids[0], f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "indexed anew", f.find(t, "demo", "where does she reside"), []string{said})
	if _, err := f.Forget(t.Context(), "demo", ids[1], f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "forgotten", f.find(t, "demo", "where does she reside"), []string{})
}

func testSearchSuperseded(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	_, old := f.form(t, "demo", movesOutcome(f), "I live in Utrecht")
	const said = "I live in Ghentum"
	o := memory.Outcome{Closures: []memory.Closure{
		{Assertion: "as_1", ExpiredAt: f.now, PassageSupersededBy: memory.PassageID("user", said)},
	}}
	f.form(t, "demo", o, said)
	for _, text := range []string{"more to say", "and more"} {
		f.remember(t, "demo", text)
	}
	list, err := f.Search(t.Context(), "demo", search.ParseQuery("where do I live"), 10, nil)
	if err != nil || len(list) < 2 || list[0].Text != said || list[1].ID != old[0] || list[1].SupersededBy != list[0].ID {
		t.Errorf("found %+v, %v; want the replaced one second, saying by what", list, err)
	}
	wantEqual(t, "by words of the replaced one alone", f.find(t, "demo", "utrecht"), []string{said, "I live in Utrecht"})
	before := list[1].SaidAt
	then, err := f.Search(t.Context(), "demo", search.ParseQuery("utrecht"), 10, &before)
	if err != nil || len(then) != 1 || then[0].ID != old[0] {
		t.Errorf("as of then: %+v, %v; want the replaced one alone", then, err)
	}
}

// testSearchSupersededInPart replaces one thing of two that a passage tells.
func testSearchSupersededInPart(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	const before, after = "I live in Berlin with my cat.", "I moved to Hamburg."
	lives := func(id, city, evidence string) api.Assertion {
		a := assertion(id, f.now, "user", "lives in", city, evidence)
		a.Statement = "user lives in " + city
		return a
	}
	f.form(t, "demo", memory.Outcome{
		Entities: []api.Entity{entity("user"), entity("Berlin")}, Assertions: []api.Assertion{lives("as_1", "Berlin", before)},
	}, before)
	f.form(t, "demo", memory.Outcome{
		Entities: []api.Entity{entity("Hamburg")}, Assertions: []api.Assertion{lives("as_2", "Hamburg", after)},
		Closures: []memory.Closure{{
			Assertion: "as_1", ExpiredAt: f.now, SupersededBy: "as_2", PassageSupersededBy: memory.PassageID("user", after),
		}},
	}, after)
	for range 3 {
		f.remember(t, "demo", fmt.Sprint("nothing of the kind, at ", f.tick()))
	}
	for query, want := range map[string][]string{
		"cat": {before, after}, "what is my cat called?": {before, after},
		"which city do I live in": {after, before}, "Berlin": {after, before}, "Hamburg": {after},
	} {
		wantEqual(t, query, f.find(t, "demo", query), want)
	}
}

// testIsolation fills two workspaces with the same ids.
func testIsolation(t *testing.T, f *fixture) {
	for _, ws := range []string{"a", "b"} {
		f.workspace(t, ws)
		f.form(t, ws, movesOutcome(f), "I live in Utrecht", "it rains")
	}
	f.remember(t, "b", "only Bertha knows")
	wantEqual(t, "found of another", f.find(t, "a", "bertha"), []string{})
	id := memory.PassageID("user", "I live in Utrecht")
	if _, err := f.Forget(t.Context(), "a", id, f.tick()); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "counts of a", f.counts(t, "a"), api.WorkspaceCounts{Passages: 1, Formations: 1})
	wantEqual(t, "counts of b", f.counts(t, "b"), api.WorkspaceCounts{Passages: 3, Entities: 2, Assertions: 1, Formations: 2})
	wantEqual(t, "found in a", f.find(t, "a", "utrecht"), []string{})
	wantEqual(t, "found in b", f.find(t, "b", "utrecht"), []string{"I live in Utrecht", "it rains"})
	detail, err := f.Passage(t.Context(), "b", id)
	if err != nil || len(detail.Assertions) != 1 {
		t.Errorf("the other's passage: %+v, %v", detail, err)
	}
	for ws, want := range map[string]int{"a": 0, "b": 1} {
		g, err := f.Graph(t.Context(), ws, f.now, memory.Page{Size: 10})
		if err != nil || len(g.Assertions) != want {
			t.Errorf("graph of %s: %+v, %v; want %d assertions", ws, g, err, want)
		}
	}
	list, _, err := f.Passages(t.Context(), "a", memory.Page{Size: 10})
	if err != nil || fmt.Sprint(len(list)) != "1" {
		t.Errorf("passages of a: %+v, %v; want one", list, err)
	}
}
