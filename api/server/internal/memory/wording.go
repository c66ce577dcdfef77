package memory

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWording is how many bytes a text has at most that is compared by its wording rather than letter by letter.
const maxWording = 600

// Wording is the form by which passages are compared: two texts that say the same in the same words have one, whatever
// their white space, the case of their ordinary words, the punctuation at the end of their sentences, and words such as
// "btw" and "so yeah" at their ends. Numbers, negations, names, identifiers and question marks all count, and code,
// lists and long texts are compared as they are.
func Wording(text string) string {
	text = norm.NFC.String(strings.TrimSpace(text))
	plain := strings.Join(strings.Fields(text), " ")
	if len(plain) > maxWording || strings.ContainsAny(text, "`{}<>=|\\$") || isListed(text) {
		return plain
	}
	words := withoutFillers(wordsOf(plain))
	if len(words) == 0 {
		return plain
	}
	return strings.Join(words, " ")
}

// isListed says whether a text has lines that are more than those of a paragraph: of a list, or indented.
func isListed(text string) bool {
	for i, r := range text {
		if r != '\n' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[i+1:]); !unicode.IsLetter(next) {
			return true
		}
	}
	return false
}

// wordsOf returns the words of a text in their common form. A full stop within stays as a word of its own, and so does
// a comma before a capital or a digit: "Mary, Ann" are two.
func wordsOf(text string) []string {
	fields := strings.Fields(strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(text))
	var words []string
	for i, f := range fields {
		f = strings.TrimFunc(f, isDecoration)
		word := strings.TrimRight(f, ".,;:!…")
		if emoticons()[f] || f == "" {
			continue
		}
		if word != "" {
			words = append(words, commonForm(word)...)
		}
		tail := f[len(word):]
		switch {
		case i == len(fields)-1 || len(words) == 0 || words[len(words)-1] == ".":
		case strings.ContainsAny(tail, ".;:!…"):
			words = append(words, ".")
		case tail != "" && startsName(fields[i+1]):
			words = append(words, ",")
		}
	}
	for len(words) > 0 && words[len(words)-1] == "." {
		words = words[:len(words)-1]
	}
	return words
}

func startsName(word string) bool {
	r := []rune(word)[0]
	return (unicode.IsUpper(r) || unicode.IsDigit(r)) && word != "I" && !strings.HasPrefix(word, "I'")
}

// isDecoration says whether a rune is a picture that only shows a mood.
func isDecoration(r rune) bool {
	switch {
	case r >= 0x1F600 && r <= 0x1F644, r >= 0x1F910 && r <= 0x1F91D, r >= 0x1F920 && r <= 0x1F92F:
		return true
	}
	return r == 0x1F64F || r == 0x1F389 || r == 0x1F38A || r == 0x2728 || r == 0xFE0F
}

var emoticons = wordSet(`:) :-) ;) ;-) :D :-D :( :-( xD XD :P :p ^^`)

// commonForm returns a word in lower case when its case tells nothing, and what a contraction stands for. What has
// digits, signs or capitals within is an identifier, and stays.
func commonForm(word string) []string {
	low := strings.ToLower(word)
	if full, ok := contractions()[low]; ok {
		return strings.Fields(full)
	}
	for i, r := range word {
		switch {
		case !unicode.IsLetter(r) && r != '\'' && r != '-' && r != '?':
			return []string{word}
		case i > 0 && unicode.IsUpper(r) && !usualCapitals()[low]:
			return []string{word}
		}
	}
	for _, c := range [][2]string{{"n't", "not"}, {"'m", "am"}, {"'re", "are"}, {"'ve", "have"}, {"'ll", "will"}} {
		if head, ok := strings.CutSuffix(low, c[0]); ok && head != "" {
			return []string{head, c[1]}
		}
	}
	return []string{low}
}

var contractions = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not", "dont": "do not", "doesnt": "does not",
		"didnt": "did not", "isnt": "is not", "im": "i am", "ive": "i have", "it's": "it is", "that's": "that is", "there's": "there is",
	}
})

// usualCapitals are written in capitals or not without a difference.
var usualCapitals = wordSet(`api apis db dbs ci cd ui ux url urls http https sql html css json yaml xml os pc tv pr prs vm vms cpu gpu ram ssd vpn dns
ssh ip qa faq pdf usb sdk cli ide aws gcp sso jwt cto ceo cfo uk usa eu nyc`)

func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}

// withoutFillers takes off the ends what adds nothing, but leaves a statement of three words at least.
func withoutFillers(words []string) []string {
	const least = 3
	for again := true; again; {
		again = false
		for _, f := range openers() {
			rest, ok := cutFront(words, f)
			if ok && len(rest) >= least {
				words, again = rest, true
			}
		}
		for _, f := range closers() {
			n := len(words) - len(f)
			if n >= least && slices.Equal(words[n:], f) {
				words, again = words[:n], true
				for len(words) > least && (words[len(words)-1] == "," || words[len(words)-1] == ".") {
					words = words[:len(words)-1]
				}
			}
		}
	}
	return words
}

func cutFront(words, front []string) ([]string, bool) {
	if len(words) < len(front) || !slices.Equal(words[:len(front)], front) {
		return nil, false
	}
	rest := words[len(front):]
	if len(rest) > 0 && (rest[0] == "," || rest[0] == ".") {
		rest = rest[1:]
	}
	return rest, true
}

var openers = phrases(`so yeah, yeah so, ok so, okay so, so, well, btw, by the way, fyi, for your information, hey, hi, hello, oh, ah, um, uh, hmm,
like i said, as i said, as i mentioned, anyway, anyways, also, and, just so you know, for the record, note that, please note that,
remember that, please remember that, keep in mind that, as you know`)

var closers = phrases(`btw, by the way, fyi, lol, haha, hahaha, tho, though, thanks, thx, ty, thank you, ok, okay, of course, obviously, as you know,
just so you know, anyway, just fyi`)

func phrases(list string) func() [][]string {
	return sync.OnceValue(func() [][]string {
		var all [][]string
		for p := range strings.SplitSeq(list, ",") {
			all = append(all, strings.Fields(p))
		}
		return all
	})
}
