package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The sizes beyond which a word is no word: a blob of base64, a very long path.
const (
	maxWord  = 64 // characters that are kept of one word
	maxParts = 8  // parts of a compound that is still indexed as a whole
)

// shortHash is how many characters of a commit hash people write at the least.
const shortHash = 7

// flushCompound emits the words of what was collected: a plain word, or a compound with its parts.
func (a *analyser) flushCompound() {
	if len(a.word) > 0 {
		a.parts = append(a.parts, string(a.word))
	}
	if len(a.parts) > 1 {
		a.emitCompound()
	}
	number := isVersion(a.parts, a.joins)
	for _, part := range a.parts {
		if !number || !isDigits(part) { // the numbers of a version say nothing apart from each other
			a.emitPart(part)
		}
	}
	a.word, a.parts, a.joins = a.word[:0], a.parts[:0], a.joins[:0]
}

func (a *analyser) emitCompound() {
	if len(a.parts) > maxParts {
		return
	}
	whole := joined(a.parts, a.joins)
	a.emitWord(whole)
	if isVersion(a.parts, a.joins) {
		a.emitVersion(whole)
	}
	if a.purpose == forIndex {
		if from := lastSegment(a.joins); from > 0 && from < len(a.parts)-1 {
			a.emitWord(joined(a.parts[from:], a.joins[from:]))
		}
	}
}

// emitVersion makes v1.62.0 findable as 1.62.0, and in an index as v1.62 and 1.62.
func (a *analyser) emitVersion(whole string) {
	bare := strings.TrimLeftFunc(whole, func(r rune) bool { return !unicode.IsDigit(r) })
	if bare != whole {
		a.emitWord(bare)
	}
	if a.purpose == forQuery || len(a.parts) < 3 {
		return
	}
	short := joined(a.parts[:2], a.joins[:1])
	a.emitWord(short)
	if bare != whole {
		a.emitWord(strings.TrimLeftFunc(short, func(r rune) bool { return !unicode.IsDigit(r) }))
	}
}

// emitPart emits a word, the words that its capitals divide it into, and the short form of a commit hash.
func (a *analyser) emitPart(part string) {
	if before, _, ok := strings.Cut(part, string(possessive)); ok {
		part = before
	}
	a.emitWord(part)
	if isHash(part) {
		a.emitWord(part[:shortHash])
	}
	words := splitCapitals(part)
	if len(words) < 2 || len(words) > maxParts {
		return
	}
	for _, word := range words {
		if utf8.RuneCountInString(word) > 1 {
			a.emitWord(word)
		}
	}
}

func (a *analyser) emitWord(word string) {
	if word = a.fold.fold(word); word != "" {
		a.emit(cut(word, maxWord))
	}
}

// cut returns at most n characters of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for at := range s {
		if n == 0 {
			return s[:at]
		}
		n--
	}
	return s
}

// joined spells a compound as one word. A point between digits counts, or 1.62 and 16.2 would be the same.
func joined(parts []string, joins []rune) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 && joins[i-1] == '.' && endsInDigit(parts[i-1]) && startsWithDigit(part) {
			b.WriteByte('d')
		}
		before, _, _ := strings.Cut(part, string(possessive))
		b.WriteString(before)
	}
	return b.String()
}

// isVersion reports whether a compound is numbers with points between them, such as 1.2, v1.62.0 or go1.26rc1.
func isVersion(parts []string, joins []rune) bool {
	if len(parts) < 2 || !endsInDigit(parts[0]) {
		return false
	}
	for i, part := range parts[1:] {
		if joins[i] == '.' && !startsWithDigit(part) || joins[i] != '.' && i == 0 {
			return false
		}
	}
	return true
}

// lastSegment returns the index of the part after the last slash, 0 when there is none.
func lastSegment(joins []rune) int {
	for i := len(joins) - 1; i >= 0; i-- {
		if joins[i] == '/' || joins[i] == '\\' {
			return i + 1
		}
	}
	return 0
}

// splitCapitals divides getUserID into get, User and ID, and HTTPServer into HTTP and Server.
func splitCapitals(word string) []string {
	runes := []rune(word)
	var words []string
	from := 0
	for i := 1; i < len(runes); i++ {
		up := unicode.IsUpper(runes[i])
		starts := up && !unicode.IsUpper(runes[i-1])
		last := up && i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if starts || last {
			words = append(words, string(runes[from:i]))
			from = i
		}
	}
	return append(words, string(runes[from:]))
}

// isHash reports whether s looks like a commit hash that is longer than people write: hexadecimal, digits and letters.
func isHash(s string) bool {
	if len(s) <= shortHash || len(s) > maxWord {
		return false
	}
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && letters > 0
}

func isDigits(s string) bool {
	return strings.TrimLeftFunc(s, unicode.IsDigit) == ""
}

func startsWithDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

func endsInDigit(s string) bool { return s != "" && '0' <= s[len(s)-1] && s[len(s)-1] <= '9' }
