package extract

import (
	"regexp"
	"strings"
	"sync"
)

// clause is a part of a sentence with a subject and a verb of its own, perhaps.
type clause struct {
	text string
	// join is the word or sign that joins it to the clause before: ",", "and", "if".
	join string
	// comma says that a comma stands before the join.
	comma bool
}

var joints = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\s*[;()\[\]]\s*|\s*[-–—]{1,3}\s+|\s*[–—]\s*|\s*/\s+|\s*[\x{1F000}-\x{1FAFF}\x{2600}-\x{27BF}\x{FE0F}\x{200D}]+\s*)|(,?)\s+(and|but|because|cause|cuz|bc|so|although|though|tho|while|whereas|which|who|if|unless|whether|when|whenever|once|until|where|or|then|plus|except|after|before)\s+|(,)\s+`)
})

// clauses splits a sentence. What joins words rather than clauses ("X and Y") splits it only where a subject follows.
func clauses(sentence string) []clause {
	list := []clause{{}}
	at, join, comma := 0, "", false
	add := func(text string, nextJoin string, nextComma bool) {
		list[len(list)-1] = clause{strings.TrimSpace(text), join, comma}
		list = append(list, clause{})
		join, comma = nextJoin, nextComma
	}
	for from := 0; from < len(sentence); {
		m := joints().FindStringSubmatchIndex(sentence[from:])
		if m == nil {
			break
		}
		start, end := max(from+m[0], at), from+m[1]
		rest := sentence[end:]
		switch {
		case m[2] >= 0:
			add(sentence[at:start], strings.TrimSpace(sentence[start:end]), false)
			at = end
		case m[6] >= 0:
			word := strings.ToLower(sentence[from+m[6] : from+m[7]])
			hasComma := m[5] > m[4]
			if !joinsWords(word) || beginsClause(rest) || word == "and" && goesOn(rest) {
				add(sentence[at:start], word, hasComma)
				at = end
			}
		case beginsClause(rest):
			add(sentence[at:start], ",", true)
			at = end
		}
		from = end
		if m[6] >= 0 {
			from-- // its last space may be the first of the next joint
		}
	}
	list[len(list)-1] = clause{strings.TrimSpace(sentence[at:]), join, comma}
	return list
}

// joinsWords says whether a joint may stand between two words of one phrase.
func joinsWords(word string) bool {
	switch word {
	case "and", "or", "plus", "so", "then", "once", "before", "after", "except", "until":
		return true
	}
	return false
}

// beginsClause says whether a text begins with what a clause begins with: a subject, or words before one.
func beginsClause(rest string) bool {
	words := strings.Fields(firstBytes(rest, 80))
	if len(words) == 0 {
		return false
	}
	first := strings.ToLower(strings.Trim(words[0], ",.:;!?\"'"))
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	if starters()[first] {
		return true
	}
	// A name and a verb.
	n := 0
	for n < len(words) && n < maxName && (token{text: words[n]}).isName() {
		n++
	}
	if n == 0 || n == len(words) {
		return false
	}
	next := strings.ToLower(strings.Trim(words[n], ",.:;!?"))
	_, isVerb := verbs()[next]
	return isVerb || isBe(next) || next == "does" || next == "no" || next == "has" || next == "took"
}

// goesOn says whether a text behind "and" is most likely of the subject before: "I live in Oslo and work at Kone".
func goesOn(rest string) bool {
	words := strings.Fields(firstBytes(rest, 80))
	return len(words) > 2 && continuations()[strings.Trim(words[0], ",.")]
}

// continuations are verbs that a clause without its subject begins with.
var continuations = wordSet(`live lives work works speak speaks grew moved joined left started switched graduated studied study studies play
plays`)

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// starters are words that begin a clause rather than go on with a list.
var starters = wordSet(`i im ive we he she they it you my our his her their your this that these those there the what who where why how
which is are am do does did can could would will should let please pls not no yes yeah just maybe perhaps probably possibly also
because but so any if when then though actually anyway btw fyi sorry oops wait apparently according someone everyone nobody whatever
hopefully thanks like as never still fixed written hosted owned deployed maintained pinned released`)

// wordSet makes a set of words when it is first asked for.
func wordSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}
