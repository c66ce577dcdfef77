package redact

import (
	"net/url"
	"slices"
	"strings"
)

const (
	// repeatPrefix is how many bytes a secret must have at least to be looked for elsewhere: a shorter one may be a word.
	repeatPrefix = 8
	// maxRepeats bounds the secrets of one conversation that are looked for elsewhere.
	maxRepeats = 256
)

// repeats are secrets that were found, to be found again where nothing around them gives them away.
type repeats struct {
	byPrefix map[string][]repeat // the longest first
	count    int
}

type repeat struct{ value, kind string }

func newRepeats() *repeats { return &repeats{byPrefix: map[string][]repeat{}} }

// add remembers a secret, as it was written and with its percent-escapes resolved.
func (r *repeats) add(value, kind string) {
	r.addOne(value, kind)
	if plain, err := url.PathUnescape(value); err == nil && plain != value {
		r.addOne(plain, kind)
	}
}

func (r *repeats) addOne(value, kind string) {
	if len(value) < repeatPrefix || r.count == maxRepeats || !looksRandom(value) {
		return
	}
	prefix := value[:repeatPrefix]
	list := r.byPrefix[prefix]
	if slices.ContainsFunc(list, func(x repeat) bool { return x.value == value }) {
		return
	}
	list = append(list, repeat{value, kind})
	slices.SortStableFunc(list, func(a, b repeat) int { return len(b.value) - len(a.value) })
	r.byPrefix[prefix] = list
	r.count++
}

func (r *repeats) find(text string) []span {
	if r.count == 0 {
		return nil
	}
	var spans []span
	for i := 0; i+repeatPrefix <= len(text); i++ {
		for _, x := range r.byPrefix[text[i:i+repeatPrefix]] {
			if strings.HasPrefix(text[i:], x.value) {
				spans = append(spans, span{i, i + len(x.value), x.kind})
				i += len(x.value) - 1
				break
			}
		}
	}
	return spans
}
