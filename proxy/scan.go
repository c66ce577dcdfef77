package proxy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// The functions of this file walk JSON that was found valid before, without copying it: replies pass through as the
// API's own bytes. On anything else they stop early, and never panic.

// errSurrogate is for a string with half a surrogate pair: it stands for no character, and decoding it would silently
// put another one in its place.
var errSurrogate = errors.New("has half a surrogate pair (such as \\ud800), which is not a character")

var bom = []byte("\xef\xbb\xbf")

// trim takes off what may surround a message on its line: a byte order mark, blanks, a carriage return.
func trim(line []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(line, bom), " \t\r\n")
}

// validJSON reports whether b is one whole JSON value in UTF-8.
func validJSON(b []byte) bool { return utf8.Valid(b) && json.Valid(b) }

// members calls f with every member of the object in raw until f returns false. It reports whether raw is an object.
func members(raw []byte, f func(key, value []byte) bool) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return false
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] == '"'; {
		end := skipString(raw, i)
		key := memberKey(raw[i:end])
		start := skipSpace(raw, skipSpace(raw, end)+1) // past the colon
		end = skipValue(raw, start)
		if end <= start || !f(key, raw[start:end]) {
			return true
		}
		if i = skipSpace(raw, end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return true
}

func memberKey(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) >= 2 {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return nil
	}
	return []byte(s)
}

// elements calls f with every element of the array in raw until f returns false. It reports whether raw is an array.
func elements(raw []byte, f func(value []byte) bool) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return false
	}
	for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; {
		end := skipValue(raw, i)
		if end <= i || !f(raw[i:end]) {
			return true
		}
		if i = skipSpace(raw, end); i < len(raw) && raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
	}
	return true
}

// member returns the value of one member of the object in raw, the last one when there are several, or nil.
func member(raw []byte, name string) (value []byte) {
	members(raw, func(k, v []byte) bool {
		if string(k) == name {
			value = v
		}
		return true
	})
	return value
}

// kind returns the first character of a value: '{', '[', '"', 't', 'f', 'n', or a digit or '-'; 0 when there is none.
func kind(raw []byte) byte {
	i := skipSpace(raw, 0)
	if i >= len(raw) {
		return 0
	}
	return raw[i]
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i.
func skipString(b []byte, i int) int {
	for from := i + 1; ; {
		n := bytes.IndexByte(b[min(from, len(b)):], '"')
		if n < 0 {
			return len(b)
		}
		end := from + n
		backslashes := 0
		for b[end-1-backslashes] == '\\' { // the opening quote ends it
			backslashes++
		}
		if from = end + 1; backslashes%2 == 0 {
			return from
		}
	}
}

// skipValue returns the index after the value that begins at i.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) && !endsScalar(b[i]) {
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			return i
		}
	}
	return len(b)
}

// unquote decodes a JSON string, and refuses half a surrogate pair.
func unquote(quoted []byte) (string, error) {
	if bytes.IndexByte(quoted, '\\') < 0 && len(quoted) >= 2 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	if halfSurrogate(quoted) {
		return "", errSurrogate
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return "", err
	}
	return s, nil
}

// halfSurrogate reports whether a JSON string escapes a surrogate without its other half.
func halfSurrogate(quoted []byte) bool {
	for i := 0; i < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		r, ok := escaped(quoted[i:])
		switch {
		case ok && isLow(r):
			return true
		case ok && isHigh(r):
			low, ok := escaped(quoted[i+6:])
			if !ok || !isLow(low) {
				return true
			}
			i += 11
		default:
			i++ // past the character that is escaped, which may be a backslash
		}
	}
	return false
}

func isHigh(r rune) bool { return r >= 0xd800 && r < 0xdc00 }
func isLow(r rune) bool  { return r >= 0xdc00 && r < 0xe000 }

// escaped decodes a \uXXXX at the start of b.
func escaped(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a JSON string. Only what must be is escaped; s is UTF-8. It looks at eight bytes at a time,
// for whole replies go through it.
func appendQuoted[T []byte | string](dst []byte, s T) []byte {
	const step = 8
	src := []byte(s)
	dst = append(slices.Grow(dst, len(src)+len(src)/8+2*step), '"')
	for len(src) >= step {
		word := binary.LittleEndian.Uint64(src)
		plain := bits.TrailingZeros64(specials(word)) / 8 // bytes before the first that is escaped, or all eight
		dst = binary.LittleEndian.AppendUint64(dst, word)
		if plain == step {
			src = src[step:]
			continue
		}
		dst = append(dst[:len(dst)-step+plain], escape(src[plain])...)
		src = src[plain+1:]
	}
	for _, c := range src {
		if isSpecial(c) {
			dst = append(dst, escape(c)...)
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// specials sets the top bit of the first byte of word, counted from the low end, that [isSpecial]; what is set beyond
// that has no meaning. 0 means that there is none.
func specials(word uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, backslash := word^ones*'"', word^ones*'\\'
	return ((word-ones*' ')&^word | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
}

// isSpecial reports whether a character can't be in a JSON string as it is.
func isSpecial(c byte) bool { return c < ' ' || c == '"' || c == '\\' }

// escape is how a character is written in a JSON string that can't be there as it is.
func escape(c byte) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return string([]byte{'\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15]})
}

// quotedLen is the length that appendQuoted adds for s.
func quotedLen(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		if c := s[i]; isSpecial(c) {
			n += len(escape(c)) - 1
		}
	}
	return n
}

func endsScalar(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\t' || c == '\r'
}
