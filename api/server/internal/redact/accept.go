package redact

import (
	"regexp"
	"strings"
	"sync"
)

func upper(s string) string { return strings.ToUpper(s) }

func notPlaceholder(value string) bool { return !placeholder(value) }

// looksKey tells a key after "sk-" from words joined by hyphens.
func looksKey(value string) bool {
	c := classify(value)
	return c.digit > 0 && (c.upper > 0 || longestRun(value) >= 16)
}

// longestRun is the length of the longest run of letters and digits.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '-' || s[i] == '_' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// looksToken is for what follows "Bearer", which may be a word of a sentence too.
func looksToken(value string) bool { return looksRandom(value) && !placeholder(value) }

// looksSecret is for the values of names that say token or key. Names, paths and what a program would compute there
// have words in them; a random value changes its kind of character more often.
func looksSecret(value string) bool {
	if len(value) < 16 || !literal(value) || !looksRandom(value) {
		return false
	}
	return switches(value) >= 3 || longestRun(value) >= 20 && entropy(value) > 3.5
}

// looksPassword is for the values of names that say password: at least three kinds of character, a digit among them.
func looksPassword(value string) bool {
	c := classify(value)
	return literal(value) && looksRandom(value) && c.digit > 0 && (c.kinds() >= 3 || switches(value) >= 3)
}

// envPassword is for assignments in the notation of an environment, where any value is meant as it stands.
func envPassword(value string) bool {
	return literal(value) && strings.Trim(value, "0123456789") != ""
}

// literal says whether a value can stand for itself, unlike a placeholder, an address or an expression.
func literal(value string) bool {
	return !placeholder(value) && !strings.ContainsAny(value, "(){}<>| \t") && !isAddress(value)
}

// switches counts how often letters and digits follow each other.
func switches(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			n++
		}
	}
	return n
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// isAddress says whether a value is a URL or a path; other rules know where those hold secrets.
func isAddress(s string) bool {
	return strings.Contains(s, "://") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "~/")
}

// connectionPassword tells a password from a port with a query behind it.
func connectionPassword(value string) bool {
	behind := strings.TrimLeft(value, "0123456789")
	if len(behind) < len(value) && (strings.HasPrefix(behind, "?") || strings.HasPrefix(behind, "#")) && strings.Contains(behind, "=") {
		return false
	}
	return !placeholder(value)
}

// query cuts a value where the next parameter of a URL's query begins.
func query(value string) string {
	if m := nextParameter().FindStringIndex(value); m != nil {
		return value[:m[0]]
	}
	return value
}

var nextParameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&[A-Za-z_][\w.-]*=`) })

// sentence cuts the punctuation that ends a sentence.
func sentence(value string) string { return strings.TrimRight(value, ".,;:?)") }
