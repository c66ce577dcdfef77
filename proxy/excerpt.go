package proxy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// excerpt returns the part of text around what the query matches that takes at most size bytes as a JSON string, cut
// at rune boundaries and marked where it was cut.
func excerpt(text string, size int, query string) string {
	if quotedLen(text) <= size {
		return text
	}
	room := size - 2 - 2*len(ellipsis)
	at := matchIn(text, query)
	start := at
	for used := 0; start > 0; { // a third of the room before the match
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if used += runeLen(r, n); used > room/3 {
			break
		}
		start -= n
	}
	end, used := start, 0
	for end < len(text) {
		r, n := utf8.DecodeRuneInString(text[end:])
		if used += runeLen(r, n); used > room {
			used -= runeLen(r, n)
			break
		}
		end += n
	}
	for start > 0 && end == len(text) { // room that is left at the end goes to the front
		r, n := utf8.DecodeLastRuneInString(text[:start])
		if used += runeLen(r, n); used > room {
			break
		}
		start -= n
	}
	return mark(text, start, end)
}

func mark(text string, start, end int) string {
	shown := text[start:end]
	if start > 0 {
		shown = ellipsis + shown
	}
	if end < len(text) {
		shown += ellipsis
	}
	return shown
}

// runeLen is how many bytes a rune of n bytes takes in a JSON string.
func runeLen(r rune, n int) int {
	if r < utf8.RuneSelf {
		return quotedLen(string(r)) - 2
	}
	return n
}

// matchIn returns where the longest word of the query that text has begins, or 0.
func matchIn(text, query string) int {
	best, at := 0, 0
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if len(word) <= best || len(word) < 3 {
			continue
		}
		if i := indexFold(text, word); i >= 0 {
			best, at = len(word), i
		}
	}
	return at
}

// indexFold is strings.Index without regard to case. It looks for a word of the same number of bytes.
func indexFold(text, word string) int {
	for i := range text {
		if i+len(word) <= len(text) && strings.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}
