package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxTerms is how many terms a query keeps. Of a longer one the longest words stay: they tell most.
const MaxTerms = 64

// Query is what a person asked for, as words to look up.
type Query struct {
	// Terms are the analysed words, stop words dropped, without repeats. Each is plain letters and digits: none of
	// them is syntax to any index.
	Terms []string
}

// ParseQuery analyses what a person typed. It is words, never the syntax of an index, so every text is a query; one
// without a usable word has no terms and matches nothing. English stop words are dropped unless nothing else is left.
func ParseQuery(text string) Query {
	var all, telling []string
	seen := make(map[string]bool)
	stop := stopWords()
	analyse(text, forQuery, func(word string) {
		if seen[word] {
			return
		}
		seen[word] = true
		all = append(all, word)
		if !stop[word] {
			telling = append(telling, word)
		}
	})
	if len(telling) == 0 {
		telling = all
	}
	return Query{Terms: longest(telling, MaxTerms)}
}

// longest returns the n longest words, in the order in which they were.
func longest(words []string, n int) []string {
	if len(words) <= n {
		return words
	}
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(utf8.RuneCountInString(words[b]), utf8.RuneCountInString(words[a]))
	})
	order = order[:n]
	slices.Sort(order)
	kept := make([]string, n)
	for i, at := range order {
		kept[i] = words[at]
	}
	return kept
}

// stopWords are the English words that say nothing about what is asked for. Those that are something else too aren't
// among them: "may", "id", "ill".
var stopWords = sync.OnceValue(func() map[string]bool {
	const list = `a about after again all also am an and any are arent as at be because been before being both but by can
	cant could couldnt did didnt do does doesnt doing dont for from further had hadnt has hasnt have havent
	having he hed her here hers herself hes him himself his how hows i if im in into is isnt it itd itll its
	itself ive just lets me more most my myself no nor not of off on once only or other our ours ourselves
	out over own same shall she shes should shouldnt so some such than that thatll thats the their theirs
	them themselves then there theres these they theyd theyll theyre theyve this those through to too under
	until up us very was wasnt we were werent weve what whats when whens where wheres which while who whom
	whos whose why whys will with wont would wouldnt you youd youll your youre yours yourself yourselves
	youve`
	set := make(map[string]bool)
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
})
