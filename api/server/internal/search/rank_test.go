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
		{Key: 1, Score: 2}, {Key: 2, Score: 5}, {Key: 3, Score: 2}, {Key: 4, Score: 5.2, Superseded: true}, {Key: 5, Score: 9, Superseded: true},
	}
	tests := map[int][]int64{
		10: {5, 2, 4, 3, 1}, // a far better match stays first, a near one falls behind what replaced it; ties newest first
		2:  {5, 2},
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
	if candidates[0].Key != 1 || candidates[4].Score != 9 {
		t.Error("the candidates that were passed are changed")
	}
	if got := search.Rank(search.Query{}, nil, 5); len(got) != 0 {
		t.Errorf("no candidates rank as %v", got)
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
