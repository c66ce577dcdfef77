package segment

import (
	"strings"
	"unicode/utf8"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// MaxBytes is how long a segment gets before the text is cut; a code fence or a table may be longer.
const MaxBytes = 1500

// Segment is a part of a turn that is remembered as one passage.
type Segment struct {
	Turn       int    // index of the turn
	Role       string // who spoke
	Start, End int    // bytes of the turn's content
	Text       string // those bytes
	// Chatter says that the turn only greets, acknowledges or steers.
	Chatter bool
	// AddressesReader says that the text gives orders to whoever reads it, as prompt injections do.
	AddressesReader bool
}

// Turns returns the segments of all turns but those of the system, in order. The turns' content must be plain text (as
// package plain has it) and UTF-8. Together the segments hold every character of a turn that is not white space.
func Turns(turns []api.Turn) []Segment {
	var all []Segment
	asked := false // the turn before is an assistant's, and asks something
	for i, t := range turns {
		if t.Role == formation.RoleSystem {
			continue
		}
		chatter := IsChatter(t.Content)
		switch t.Role {
		case formation.RoleAssistant:
			asked = !chatter && strings.Contains(t.Content, "?")
		case formation.RoleUser:
			// "Go." is steering, but not when the question was which language.
			chatter, asked = isChatter(t.Content, asked), false
		case formation.RoleSystem, formation.RoleTool:
		}
		for _, p := range cut(t.Content) {
			text := t.Content[p.start:p.end]
			all = append(all, Segment{
				Turn: i, Role: string(t.Role), Start: p.start, End: p.end, Text: text,
				Chatter: chatter, AddressesReader: AddressesReader(string(t.Role), text),
			})
		}
	}
	return all
}

// piece is a run of bytes of a text.
type piece struct{ start, end int }

// cut returns the pieces of a text, each without white space at its ends.
func cut(text string) []piece {
	if len(text) <= MaxBytes {
		return trimmed(text, []piece{{0, len(text)}})
	}
	var pieces []piece
	for _, b := range blocks(text) {
		parts := []piece{b.piece}
		if !b.whole {
			parts = divide(text, b.piece)
		}
		for _, p := range parts {
			// What fits together stays together, so that an introduction keeps what it introduces.
			if n := len(pieces); n > 0 && p.end-pieces[n-1].start <= MaxBytes {
				pieces[n-1].end = p.end
				continue
			}
			pieces = append(pieces, p)
		}
	}
	return trimmed(text, pieces)
}

func trimmed(text string, pieces []piece) []piece {
	kept := pieces[:0]
	for _, p := range pieces {
		s := text[p.start:p.end]
		// Indentation belongs to the text: only whole blank lines go.
		lead := len(s) - len(strings.TrimLeft(s, " \t\n"))
		lead = strings.LastIndexByte(s[:lead], '\n') + 1
		p.start += lead
		p.end -= len(s) - len(strings.TrimRight(s, " \t\n"))
		if p.end > p.start {
			kept = append(kept, p)
		}
	}
	return kept
}

// divide cuts a long piece at the best place before MaxBytes: the end of a line, of a sentence, of a word.
func divide(text string, p piece) []piece {
	var parts []piece
	for p.end-p.start > MaxBytes {
		window := text[p.start : p.start+MaxBytes]
		n := bestCut(window)
		parts = append(parts, piece{p.start, p.start + n})
		p.start += n
	}
	return append(parts, p)
}

// bestCut returns how many bytes of window come before the cut. It is more than zero.
func bestCut(window string) int {
	const least = MaxBytes / 3 // a piece should not get too small only to end well
	if i := strings.LastIndexByte(window, '\n'); i >= least {
		return i + 1
	}
	if i := lastSentenceEnd(window); i >= least {
		return i
	}
	if i := strings.LastIndexAny(window, " \t\n"); i >= least {
		return i + 1
	}
	n := len(window)
	for n > 1 && !utf8.RuneStart(window[n-1]) {
		n--
	}
	return n - 1
}

// lastSentenceEnd returns where the last sentence of window ends, behind the space after it, or -1.
func lastSentenceEnd(window string) int {
	best := -1
	for _, end := range []string{". ", "! ", "? ", "; ", "。", "！", "？", "؟ ", "۔ ", "। "} {
		if i := strings.LastIndex(window, end); i >= 0 {
			best = max(best, i+len(end))
		}
	}
	return best
}
