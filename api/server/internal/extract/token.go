package extract

import (
	"strings"
	"unicode"
)

// token is a word of a clause.
type token struct {
	text string // as written, without the punctuation around it
	low  string // in lower case
	stop bool   // punctuation or a picture follows that a phrase does not reach across
	list bool   // a comma follows
}

// tokenize splits a clause into words. Contractions become the words that they stand for ("I'm": I, am).
func tokenize(clause string) []token {
	clause = strings.ReplaceAll(clause, "’", "'")
	var tokens []token
	for _, field := range strings.Fields(clause) {
		word, tail := trimWord(field)
		if word == "" {
			if len(tokens) > 0 {
				tokens[len(tokens)-1].stop = true
			}
			continue
		}
		parts := expand(word)
		for i, p := range parts {
			t := token{text: p, low: strings.ToLower(p)}
			if i == len(parts)-1 {
				t.list = strings.HasPrefix(tail, ",")
				t.stop = tail != "" && !t.list && !(tail == "." && abbreviations()[t.low])
			}
			tokens = append(tokens, t)
		}
	}
	return perfects(tokens)
}

// trimWord takes punctuation and pictures off a word, but not what belongs to a name: ".NET", "C++", "C#".
func trimWord(field string) (word, tail string) {
	const mask = "\x01"
	if strings.Contains(field, mask) {
		return mask, ""
	}
	belongs := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	start := strings.IndexFunc(field, func(r rune) bool { return belongs(r) || strings.ContainsRune(".#@/~_$", r) })
	if start < 0 {
		return "", field
	}
	field = field[start:]
	end := strings.LastIndexFunc(field, func(r rune) bool { return belongs(r) || strings.ContainsRune("+#/_%'", r) })
	if end < 0 {
		return "", field
	}
	for end++; end < len(field) && field[end]&0xc0 == 0x80; end++ { // the rest of the last rune
	}
	word = strings.TrimRight(field[:end], "'")
	if strings.IndexFunc(word, belongs) < 0 {
		return "", field
	}
	// Letters after a picture are of another word; a word ends where a picture begins.
	if i := strings.IndexFunc(word, isPicture); i >= 0 {
		return word[:i], word[i:]
	}
	return word, field[end:]
}

// isPicture says whether a rune is an emoji or another symbol that no name has.
func isPicture(r rune) bool { return unicode.Is(unicode.So, r) || r == 0x200d || r == 0xfe0f }

// whole returns what contractions stand for that are written without an apostrophe, or change the word.
func whole(low string) string {
	switch low {
	case "im":
		return "I am"
	case "ive":
		return "I have"
	case "youre":
		return "you are"
	case "theyre":
		return "they are"
	case "dont":
		return "do not"
	case "doesnt":
		return "does not"
	case "didnt":
		return "did not"
	case "isnt", "ain't":
		return "is not"
	case "arent":
		return "are not"
	case "wasnt":
		return "was not"
	case "wont", "won't":
		return "will not"
	case "cant", "can't", "cannot":
		return "can not"
	case "gonna":
		return "going to"
	case "wanna":
		return "want to"
	case "let's", "lets":
		return "let us"
	}
	return ""
}

// expand returns the words that a contraction stands for.
func expand(word string) []string {
	low := strings.ToLower(word)
	if full := whole(low); full != "" {
		return strings.Fields(full)
	}
	i := strings.LastIndexByte(low, '\'')
	if i <= 0 {
		return []string{word}
	}
	head := word[:i]
	switch low[i:] {
	case "'m":
		return []string{head, "am"}
	case "'re":
		return []string{head, "are"}
	case "'ve":
		return []string{head, "have"}
	case "'ll":
		return []string{head, "will"}
	case "'d":
		return []string{head, "would"}
	case "'t":
		if strings.HasSuffix(low, "n't") {
			return []string{word[:len(word)-3], "not"}
		}
	case "'s":
		if pronouns()[strings.ToLower(head)] {
			return []string{head, "is"}
		}
	}
	return []string{word}
}

// pronouns are the words after which "'s" is a verb.
var pronouns = wordSet(`name he she it that this there here what who where how when`)

// perfects reads "is" as "has" where a participle follows: "she's moved".
func perfects(tokens []token) []token {
	for i := 1; i+1 < len(tokens); i++ {
		if tokens[i].low == "is" && (tokens[i-1].low == "he" || tokens[i-1].low == "she") {
			switch tokens[i+1].low {
			case "been", "lived", "worked", "moved", "joined", "left", "switched", "started", "used", "relocated", "quit":
				tokens[i].text, tokens[i].low = "has", "has"
			}
		}
	}
	return tokens
}

// text joins tokens as they were written.
func text(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// isName says whether a token is written as a name: with a capital, or with digits or signs within letters.
func (t token) isName() bool {
	first := []rune(t.text)[0]
	if unicode.IsUpper(first) || unicode.IsTitle(first) {
		return true
	}
	return strings.HasPrefix(t.text, ".") && len(t.text) > 1
}
