package redact

import (
	"math"
	"strings"
	"unicode"
)

// classes counts the kinds of character in a value.
type classes struct{ lower, upper, digit, other int }

func classify(s string) classes {
	var c classes
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			c.digit++
		case unicode.IsUpper(r):
			c.upper++
		case unicode.IsLetter(r):
			c.lower++
		default:
			c.other++
		}
	}
	return c
}

// kinds says how many different kinds of character there are.
func (c classes) kinds() int {
	n := 0
	for _, k := range []int{c.lower, c.upper, c.digit, c.other} {
		if k > 0 {
			n++
		}
	}
	return n
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// looksRandom says whether a value is unlike a word, a name or a number: letters with digits or in odd case, and few
// repetitions.
func looksRandom(s string) bool {
	c := classify(s)
	if len(s) < repeatPrefix || c.lower+c.upper == 0 || entropy(s) < 2.75 {
		return false
	}
	return c.digit > 0 || c.upper > 1 && c.lower > 1 && len(s) >= 20
}

// placeholder says whether a value stands for one that is filled in elsewhere.
func placeholder(s string) bool {
	if strings.Trim(s, "*xX.•-_?") == "" || variable(s) {
		return true
	}
	if classify(s).digit > 0 {
		return false
	}
	lower := strings.ToLower(s)
	for _, word := range []string{"your", "example", "changeme", "change_me", "change-me", "placeholder", "redacted", "dummy"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}

// variable says whether a value is a reference in the notation of a shell, a template or a program.
func variable(s string) bool {
	const upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_", "abcdefghijklmnopqrstuvwxyz_"
	for _, prefix := range []string{"${", "$(", "<", "{", "[", "process.env", "os.", "env.", "secrets.", "config.", "%s", "%v"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	if name, ok := strings.CutPrefix(s, "$"); ok {
		return strings.Trim(name, upper+"0123456789") == "" || strings.Trim(name, lower) == ""
	}
	name, ok := strings.CutPrefix(s, "%")
	return ok && strings.HasSuffix(name, "%") && strings.Trim(name, "%0123456789"+upper+strings.TrimSuffix(lower, "_")) == ""
}
