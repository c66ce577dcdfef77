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
	Key        int64   // the store's own key; of two alike the higher one is newer
	Score      float64 // by the index; higher is better
	Text       string
	Role       string
	SaidAt     time.Time
	Superseded bool // something newer replaces it
}

// supersededShare is what a passage keeps of its score once a newer one replaces it: enough to be found when nothing
// else is, less than the one that replaces it.
const supersededShare = 0.85

// Rank orders candidates, best first, and returns at most limit of them with their final scores. Equal ones come
// newest first.
func Rank(q Query, candidates []Candidate, limit int) []Candidate {
	ranked := slices.Clone(candidates)
	for i := range ranked {
		if ranked[i].Superseded {
			ranked[i].Score *= supersededShare
		}
	}
	slices.SortStableFunc(ranked, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Key, a.Key))
	})
	return ranked[:min(len(ranked), max(limit, 0))]
}
