package search_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

func keys(list []search.Candidate) (keys []int64) {
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return keys
}

func TestRank(t *testing.T) {
	candidates := []search.Candidate{
		{Key: 1, ID: "a", Score: 2}, {Key: 2, ID: "b", Score: 5}, {Key: 3, ID: "c", Score: 2},
		{Key: 4, ID: "d", Score: 9, SupersededBy: "e"}, {Key: 5, ID: "e", Score: 1, SupersededBy: "f"},
		{Key: 6, ID: "f"}, {Key: 7, ID: "g", Score: 4, SupersededBy: "forgotten"},
	}
	tests := map[int][]int64{
		10: {6, 4, 2, 7, 3, 1, 5}, // what replaces takes the place; what nothing replaces any more stays; ties newest first
		2:  {6, 4},
		0:  nil,
		-1: nil,
	}
	for limit, want := range tests {
		got := search.Rank(search.Query{}, candidates, limit)
		if diff := cmp.Diff(want, keys(got)); diff != "" {
			t.Errorf("at most %d (-want +got):\n%s", limit, diff)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Score > got[i-1].Score {
				t.Errorf("score %d is higher than the one before it", i)
			}
		}
	}
	if candidates[0].Key != 1 || candidates[3].Score != 9 {
		t.Error("the candidates that were passed are changed")
	}
	if got := search.Rank(search.Query{}, nil, 5); len(got) != 0 {
		t.Errorf("no candidates rank as %v", got)
	}
}

func TestRankEndsOnCircles(t *testing.T) {
	circle := []search.Candidate{
		{Key: 1, ID: "a", Score: 2, SupersededBy: "b"}, {Key: 2, ID: "b", Score: 1, SupersededBy: "a"}, {Key: 3, ID: "c", SupersededBy: "c"},
	}
	if got := search.Rank(search.Query{}, circle, 10); len(got) != 3 {
		t.Errorf("ranked %v, want all three", got)
	}
}

// What replaces a passage gets its place for what it replaces of it, and comes right after it for the rest.
func TestRankSuccessors(t *testing.T) {
	const berlin, hamburg = "I live in Berlin with my cat.", "I moved to Hamburg."
	cities := []string{"user lives in Berlin"}
	tests := []struct {
		query, old, new string
		closed          []string
		score           float64 // of the new one, the old one has 2
		oldFirst        bool
	}{
		{"which city do I live in", "I live in Utrecht.", "I moved to Ghent.", []string{"user lives in Utrecht"}, 1.5, false},
		{"living in which cities", "I live in Utrecht.", "I moved to Ghent.", []string{"user lives in Utrecht"}, 0, false},
		{"Utrecht", "I live in Utrecht.", "I moved to Ghent.", []string{"user lives in Utrecht"}, 0, false},
		{"where do I live?", berlin, hamburg, cities, 0, false},
		{"cat", berlin, hamburg, cities, 0, true},
		{"what are my cats called", berlin, hamburg, cities, 1.9, true},
		{"does the cat live in Berlin", berlin, hamburg, cities, 0, true},
		{"cat", berlin, "My cat and I moved to Hamburg.", cities, 1, false},
		{"my favourite colour", "my favourite colour is blue", "my favourite colour is green now", nil, 1, false},
		{"what is blue", "my favourite colour is blue", "my favourite colour is green now", nil, 0, true},
		{"who plays it", "She plays the harp.", "She sold the harp, she won't play any more.", nil, 0, false},
		{"zebra", berlin, hamburg, cities, 0, false}, // the old one is found by what stands around it
		{"東京", "私は東京に住んでいます", "大阪に引っ越しました", []string{"東京に住む"}, 0, false},
	}
	for _, tt := range tests {
		ranked := search.Rank(search.ParseQuery(tt.query), []search.Candidate{
			{Key: 1, ID: "old", Score: 2, Text: tt.old, SupersededBy: "new", Closed: tt.closed},
			{Key: 2, ID: "new", Score: tt.score, Text: tt.new}, {Key: 3, ID: "other", Score: 1.65},
		}, 10)
		want := []int64{2, 1, 3}
		if tt.oldFirst {
			want = []int64{1, 2, 3}
		}
		if diff := cmp.Diff(want, keys(ranked)); diff != "" {
			t.Errorf("%q after %q, then %q (-want +got):\n%s", tt.query, tt.old, tt.new, diff)
		}
	}
}

func ExampleParseQuery() {
	fmt.Println(search.ParseQuery("Where does getUserID live?").Terms)
	// Output: [getuserid get user id live]
}

func ExampleDocument() {
	f := search.Document(search.Entry{Text: "Ana: v1.2 is out", Role: "user", Prev: "any news?"})
	fmt.Println(f.Text)
	fmt.Println(f.Context)
	fmt.Println(f.Neighbours)
	// Output:
	// ana v1d2 1d2 v1 is out
	// user ana
	// any news
}
