package search

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folder makes words that are the same to a reader the same to an index. It is not safe for concurrent use.
type folder struct {
	caser *cases.Caser
}

// fold lowers case, takes accents off, and leaves nothing but letters and digits.
func (f *folder) fold(word string) string {
	if isASCII(word) {
		return trimZeros(strings.ToLower(word))
	}
	if f.caser == nil {
		c := cases.Fold()
		f.caser = &c
	}
	folded := norm.NFKD.String(f.caser.String(word))
	var b strings.Builder
	base := rune(0)
	for _, r := range folded {
		switch {
		case unicode.IsMark(r):
			if base != 0 && !losesMarks(base) {
				writeMark(&b, r)
			}
		case unicode.IsLetter(r), unicode.IsNumber(r):
			base = r
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// losesMarks reports whether a script is read without its accents or points.
func losesMarks(base rune) bool {
	return unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Nd)
}

// writeMark spells a mark that carries meaning (a vowel of Hindi or Thai) in letters and digits: an index would cut the
// word at it.
func writeMark(b *strings.Builder, r rune) { fmt.Fprintf(b, "x%04x", r) }

// trimZeros makes 05 of a date the same as 5.
func trimZeros(word string) string {
	trimmed := strings.TrimLeft(word, "0")
	if len(trimmed) == len(word) || !isDigits(word) {
		return word
	}
	if trimmed == "" {
		return "0"
	}
	return trimmed
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
