// Package search turns text into the words that are indexed, queries into the words that are looked up, and candidates
// into an order. It knows nothing of any database: a store keeps the words of [Document] in a full-text index, fetches
// what shares a word with a [Query], and lets [Rank] have the last say.
//
// Words are plain letters and digits, so that no index takes them for syntax and none cuts them further. Identifiers,
// paths and versions are found whole and by their parts; text without spaces between words (Chinese, Japanese, Thai
// and others) by pairs of characters.
//
//	f := search.Document(search.Entry{
//		Text: "Ana: we moved billing-api to Go 1.26", Role: "user", SaidAt: saidAt, Prev: before, Next: after,
//	})
//	index(f.Text, f.Context, f.Neighbours)
//
//	q := search.ParseQuery(`where does "billing" run?`) // Terms: where, billing, run
//	found := candidates(q.Terms)                         // those that share a word, each with the index's score
//	best := search.Rank(q, found, 10)
package search
