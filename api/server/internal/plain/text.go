package plain

import (
	"strings"
	"unicode/utf8"
)

// Text returns s without terminal escape sequences (ECMA-48) and without control characters other than line feed and
// tab. A carriage return becomes a line feed, so that what a progress bar wrote over itself stays apart. What is not
// UTF-8 is left out. Text of a text that went through it is the same text.
func Text(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == '\r' {
			if i+1 == len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
			i++
			continue
		}
		if n := escape(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if keeps(r, n) {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isPlain(s string) bool {
	for i, r := range s {
		if !keeps(r, 2) || r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD") {
			return false
		}
	}
	return true
}

// keeps says whether a rune of n bytes is text.
func keeps(r rune, n int) bool {
	switch {
	case r == '\n' || r == '\t':
		return true
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return false
	}
	return r != utf8.RuneError || n > 1
}

const (
	esc = 0x1b
	// maxSequence bounds a sequence, so that an unended one does not swallow the text behind it.
	maxSequence = 2048
)

// escape returns how many bytes the escape sequence at the start of s has, 0 when there is none.
func escape(s string) int {
	if len(s) < 2 || s[0] != esc {
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		return control(s)
	case strings.IndexByte("]PX^_", c) >= 0:
		return stringSequence(s)
	case c >= 0x20 && c <= 0x2f && len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7e: // such as ESC ( B
		return 3
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// control measures CSI: parameters, intermediates, one final byte. An unended one is only its parameters.
func control(s string) int {
	i := 2
	for i < len(s) && i < maxSequence && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// stringSequence measures OSC, DCS, SOS, PM and APC, which end with BEL or ESC \. An unended one is only its two bytes.
func stringSequence(s string) int {
	for i := 2; i < len(s) && i < maxSequence && s[i] != '\n'; i++ {
		if s[i] == 0x07 {
			return i + 1
		}
		if s[i] == esc {
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			break
		}
	}
	return 2
}
