package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
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
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
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

// appendQuoted appends s as a JSON string. Only what must be is escaped; s is UTF-8.
func appendQuoted[T []byte | string](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// quotedLen is the length that appendQuoted adds for s.
func quotedLen(s string) int {
	n := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

func endsScalar(c byte) bool {
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\t' || c == '\r'
}
