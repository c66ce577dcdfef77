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
