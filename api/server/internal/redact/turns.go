package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/plain"
)

// maxPasses bounds how often a text is looked at again after something was taken out of it.
const maxPasses = 8

// Turns returns the turns with every secret replaced by "[redacted:KIND]", and what was replaced, by turn and kind.
// Terminal escapes and control characters are left out first ([plain.Text]): a colour code must not hide a key. A
// secret that was found anywhere is taken out of every turn, whatever surrounds it there. The turns given stay as they
// are. It is deterministic, and leaves its own result alone.
func Turns(turns []api.Turn) (clean []api.Turn, found []api.Redaction) {
	clean = slices.Clone(turns)
	counts := map[api.Redaction]int{} // Count is zero in the keys
	known := newRepeats()
	for i := range clean {
		clean[i].Content = plain.Text(clean[i].Content)
	}
	for range maxPasses {
		if !pass(clean, counts, known) {
			break
		}
	}
	return clean, tally(counts)
}

// pass replaces what is found in each turn, then what was found anywhere. It reports whether it changed anything.
func pass(turns []api.Turn, counts map[api.Redaction]int, known *repeats) bool {
	changed := false
	for _, find := range []func(string) []span{find, known.find} {
		for i := range turns {
			spans := find(turns[i].Content)
			if len(spans) == 0 {
				continue
			}
			changed = true
			for _, s := range spans {
				known.add(turns[i].Content[s.start:s.end], s.kind)
				counts[api.Redaction{Turn: i, Kind: s.kind}]++
			}
			turns[i].Content = replace(turns[i].Content, spans)
		}
	}
	return changed
}

func tally(counts map[api.Redaction]int) []api.Redaction {
	found := make([]api.Redaction, 0, len(counts))
	for r, n := range counts {
		r.Count = n
		found = append(found, r)
	}
	slices.SortFunc(found, func(a, b api.Redaction) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Kind, b.Kind))
	})
	return found
}

// span is a secret in a text: bytes start to end.
type span struct {
	start, end int
	kind       string
}

// disjoint sorts spans and drops each that overlaps one before it; of those that start together the longest stays. One
// that reaches further than the one it overlaps keeps the part that is its own.
func disjoint(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	kept := spans[:0]
	end := 0
	for _, s := range spans {
		if s.end <= end {
			continue
		}
		if s.start < end {
			kept[len(kept)-1].end, end = s.end, s.end
			continue
		}
		kept, end = append(kept, s), s.end
	}
	return kept
}

func replace(text string, spans []span) string {
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.start] + "[redacted:" + s.kind + "]")
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
