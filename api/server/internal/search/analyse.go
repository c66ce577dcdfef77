package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// purpose tells words that are indexed from words that are looked up: an index holds a few more, so that a part of
// what was written finds it.
type purpose bool

const (
	forIndex purpose = false
	forQuery purpose = true
)

// kind is what a character is to the analysis.
type kind uint8

const (
	kindBreak  kind = iota // ends a word
	kindWord               // letter, digit or mark
	kindJoin               // joins words to an identifier, path, version, address
	kindQuote              // apostrophe
	kindDense              // of a script that is written without spaces between words
	kindIgnore             // format characters: as if they were not there
)

// analyse passes every word of text to emit.
func analyse(text string, p purpose, emit func(word string)) {
	a := analyser{purpose: p, emit: emit}
	text = norm.NFKC.String(strings.ToValidUTF8(text, " "))
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		a.next(r, text[at+size:])
		at += size
	}
	a.flush()
}

// analyser collects the characters of one compound word, such as "billing-api" or "src/main.go", or of one run of a
// dense script.
type analyser struct {
	purpose purpose
	emit    func(word string)

	word  []rune   // the part that is being read
	parts []string // the parts before it
	joins []rune   // what stands between them
	dense []rune
	fold  folder
}

func (a *analyser) next(r rune, rest string) {
	switch kindOf(r) {
	case kindDense:
		a.flushCompound()
		a.dense = append(a.dense, r)
	case kindWord:
		if len(a.dense) > 0 && unicode.IsMark(r) {
			a.dense = append(a.dense, r) // a vowel or tone of the character before it
			return
		}
		a.flushDense()
		a.word = append(a.word, r)
	case kindJoin:
		a.flushDense()
		a.join(r, rest)
	case kindQuote:
		if len(a.word) == 0 || !wordFollows(rest) {
			a.flush()
		}
		a.quote(rest)
	case kindIgnore:
	case kindBreak:
		a.flush()
	}
}

// join ends a part. The compound goes on only when a word follows at once.
func (a *analyser) join(r rune, rest string) {
	if len(a.word) == 0 {
		a.flush()
		return
	}
	if name := languageSuffix(r, rest); name != "" {
		a.word = append(a.word, []rune(name)...)
		a.flush()
		return
	}
	if !wordFollows(rest) {
		a.flush()
		return
	}
	a.parts = append(a.parts, string(a.word))
	a.joins = append(a.joins, r)
	a.word = a.word[:0]
}

// quote leaves out an apostrophe, and with it the s of a possessive.
func (a *analyser) quote(rest string) {
	if len(a.word) == 0 {
		return
	}
	r, size := utf8.DecodeRuneInString(rest)
	if (r == 's' || r == 'S') && !wordFollows(rest[size:]) {
		a.word = append(a.word, possessive)
	}
}

// possessive marks a word whose next character, an s, is not part of it. It is no letter of any script.
const possessive = '\uE000'

// languageSuffix spells the ends of names such as C++ and C#, which would be nothing but a letter otherwise.
func languageSuffix(r rune, rest string) string {
	switch {
	case r == '+' && strings.HasPrefix(rest, "+") && !wordFollows(rest[1:]):
		return "plusplus"
	case r == '#' && !wordFollows(rest):
		return "sharp"
	}
	return ""
}

func (a *analyser) flush() {
	a.flushCompound()
	a.flushDense()
}

func wordFollows(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && kindOf(r) == kindWord
}

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		return kindOfASCII(r)
	}
	switch {
	case r == '’':
		return kindQuote
	case isDense(r):
		return kindDense
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
		return kindWord
	case unicode.Is(unicode.Cf, r):
		return kindIgnore
	case r == '‐' || r == '‑':
		return kindJoin
	}
	return kindBreak
}

func kindOfASCII(r rune) kind {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return kindWord
	case r == '\'':
		return kindQuote
	case strings.ContainsRune(`_-./\:@#+~`, r):
		return kindJoin
	}
	return kindBreak
}

// isDense reports whether r is of a script that is written without spaces between words, or whose words carry so many
// endings that pairs of characters find more (Korean).
func isDense(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Bopomofo, unicode.Yi)
}
