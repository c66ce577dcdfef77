package search

import (
	"strings"
	"time"
	"unicode"
)

// maxNeighbour is how many bytes of a neighbour are indexed beside a passage: its end before, its beginning after.
const maxNeighbour = 2000

// Entry is a passage to index, with what stands around it.
type Entry struct {
	Text   string
	Role   string // user, assistant or tool
	SaidAt time.Time
	// Prev and Next are the texts before and after it in its conversation, "" at the ends.
	Prev, Next string
	// Statements are what is asserted on its evidence, in other words than its own: "I moved to Ghent" is found by
	// who asks where the user lives.
	Statements []string
}

// Fields are the words of a passage, separated by spaces, for the three columns of a full-text index.
type Fields struct {
	Text       string // what was said
	Context    string // who said it and when, and what it states
	Neighbours string // what was said before and after
}

// Document analyses a passage for the index.
func Document(e Entry) Fields {
	return Fields{
		Text:       words(e.Text),
		Context:    words(e.Role + " " + speaker(e.Text) + " " + dateWords(e.SaidAt) + " " + strings.Join(e.Statements, " ")),
		Neighbours: words(tail(e.Prev, maxNeighbour) + "\n" + head(e.Next, maxNeighbour)),
	}
}

func words(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	analyse(text, forIndex, func(word string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	})
	return b.String()
}

// speaker returns the name that opens a text such as "Ana Lima: hello", or "".
func speaker(text string) string {
	const longestName = 40
	name, rest, ok := strings.Cut(head(text, longestName+2), ":")
	if !ok || name == "" || !startsWithSpace(rest) {
		return ""
	}
	for i, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsMark(r)
		if !letter && (i == 0 || !strings.ContainsRune(" .'’-", r)) {
			return ""
		}
	}
	return name
}

func startsWithSpace(s string) bool { return s == "" || unicode.IsSpace(rune(s[0])) }

// dateWords spells a day in the words that questions about it use.
func dateWords(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Monday 2 January 2006 2006-01-02")
}

// head returns at most n bytes from the start of s, cut between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !startsRune(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns at most n bytes from the end of s, cut between characters.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !startsRune(s[at]) {
		at++
	}
	return s[at:]
}

func startsRune(b byte) bool { return b&0xC0 != 0x80 }
