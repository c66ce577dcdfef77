package search

import (
	"slices"
	"strings"
)

// replaces reports whether what replaces a passage answers a query as well as the passage does: of the query's words
// that the passage itself has, each has to stand in what no longer holds of it, or in its successor. "I moved to
// Hamburg" replaces "I live in Berlin with my cat" for who asks about Berlin or where someone lives, not for who asks
// about the cat.
func replaces(terms []string, old, successor Candidate) bool {
	if len(terms) == 0 {
		return true
	}
	own := stems(old.Text)
	terms = slices.DeleteFunc(stemsOf(terms), func(stem string) bool { return !own[stem] })
	if len(terms) == 0 {
		return true
	}
	covered := stems(strings.Join(append(slices.Clone(old.Closed), successor.Text), "\n"))
	return !slices.ContainsFunc(terms, func(stem string) bool { return !covered[stem] })
}

// stems are the words of a text, as stem has them.
func stems(text string) map[string]bool {
	set := make(map[string]bool)
	analyse(text, forIndex, func(word string) { set[stem(word)] = true })
	return set
}

func stemsOf(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = stem(word)
	}
	return list
}

// stem takes the commonest English endings off a word, so that "lives" and "living" are the same as "live", and
// "cities" as "city". It needs not be that of an index: what it takes for different costs a place in the order, and
// nothing that is found.
func stem(word string) string {
	const shortest = 3 // letters that have to be left
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if left, ok := strings.CutSuffix(word, ending); ok && len(left) >= shortest {
			word = left
			break
		}
	}
	if left, ok := strings.CutSuffix(word, "y"); ok && len(word) >= shortest {
		word = left + "i"
	}
	return word
}
