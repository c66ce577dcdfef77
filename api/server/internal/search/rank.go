package search

import (
	"cmp"
	"slices"
	"time"
)

// MaxCandidates is how many candidates a store fetches from its index for [Rank] to order.
const MaxCandidates = 200

// Candidate is a passage that shares a word with a query.
type Candidate struct {
	Key    int64 // the store's own key; of two alike the higher one is newer
	ID     string
	Score  float64 // by the index; higher is better, 0 for one that is there only because it replaces another
	Text   string
	Role   string
	SaidAt time.Time
	// SupersededBy is the id of the passage that replaces it. One that isn't among the candidates replaces nothing:
	// it was forgotten, or was said later than what was asked for.
	SupersededBy string
	// Closed are the statements that were made on its evidence and hold no longer.
	Closed []string
}

// supersededShare is what of a score the lesser of two passages gets of which one replaces the other: enough to be
// found right after the other.
const supersededShare = 0.85

// Rank orders candidates, best first, and returns at most limit of them with their final scores. Equal ones come
// newest first.
func Rank(q Query, candidates []Candidate, limit int) []Candidate {
	ranked := promoteSuccessors(q, candidates)
	slices.SortStableFunc(ranked, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Key, a.Key))
	})
	return ranked[:min(len(ranked), max(limit, 0))]
}

// promoteSuccessors gives what replaces a candidate the candidate's place: who asks in the words of what was said first
// wants to know what holds now. Who asks for what only the candidate tells gets the candidate, and then what replaces
// the rest of it.
func promoteSuccessors(q Query, candidates []Candidate) []Candidate {
	ranked := slices.Clone(candidates)
	at := make(map[string]int, len(ranked))
	for i, c := range ranked {
		at[c.ID] = i
	}
	for i, c := range candidates {
		last := i
		// Bounded by the number of candidates: records that replace each other in a circle must not hang a query.
		for range candidates {
			next, ok := at[candidates[last].SupersededBy]
			if !ok || candidates[last].SupersededBy == "" {
				break
			}
			last = next
		}
		if last == i {
			continue
		}
		if !replaces(q.Terms, c, candidates[last]) {
			ranked[last].Score = max(ranked[last].Score, c.Score*supersededShare)
			continue
		}
		ranked[last].Score = max(ranked[last].Score, c.Score)
		ranked[i].Score = min(ranked[i].Score, c.Score*supersededShare)
	}
	return ranked
}
