package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// span is a run of bytes of a turn.
type span struct{ start, end int }

// mask returns a text of the same length in which code, tables and quotations are blanked out: what stands in them is
// not what the speaker says.
func mask(text string) string {
	b := []byte(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' {
				b[i] = 1
			}
		}
	}
	fence := ""
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		l := strings.TrimSpace(text[at:end])
		switch mark := fenceMark(l); {
		case fence != "":
			blank(at, end)
			if strings.HasPrefix(l, fence) && strings.Trim(l, fence[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
			blank(at, end)
		case strings.HasPrefix(l, ">"), strings.HasPrefix(l, "|"), strings.HasPrefix(l, "$ "), strings.HasPrefix(text[at:end], "\t"):
			blank(at, end)
		}
		at = end + 1
	}
	for _, q := range quotation().FindAllIndex(b, -1) {
		// A quoted word is a name; a quoted sentence is someone else's.
		if strings.Count(strings.TrimSpace(string(b[q[0]:q[1]])), " ") >= 2 {
			blank(q[0], q[1])
		}
	}
	return string(b)
}

func fenceMark(l string) string {
	for _, m := range []string{"```", "~~~"} {
		if strings.HasPrefix(l, m) {
			return m
		}
	}
	return ""
}

var quotation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|` + "`[^`\n]*`" + `|(?:^|[\s(])'[^'\n]*'(?:[\s).,;:!?]|$)`)
})

// sentences returns where the sentences of a text are. A line ends a sentence.
func sentences(text string) []span {
	var list []span
	start := 0
	end := func(at int) {
		s := text[start:at]
		lead := len(s) - len(strings.TrimLeft(s, " \t\n"))
		if strings.TrimSpace(s) != "" {
			list = append(list, span{start + lead, start + len(strings.TrimRight(s, " \t\n"))})
		}
		start = at
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == '\n' || r == '。' || r == '！' || r == '？' || r == '…' || r == '؟':
			end(i)
		case r == '!' || r == '?':
			for i < len(text) && (text[i] == '!' || text[i] == '?') {
				i++
			}
			end(i)
		case r == '.' && endsSentence(text, start, i):
			end(i)
		}
	}
	end(len(text))
	return list
}

// endsSentence says whether the full stop before byte i ends the sentence that began at start.
func endsSentence(text string, start, i int) bool {
	if i < len(text) && text[i] == '.' {
		return false // an ellipsis ends with its last dot
	}
	if i < len(text) {
		r, _ := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsSpace(r) && !isPicture(r) && r != ')' && r != '"' && r != '”' {
			return false
		}
	}
	before := text[start : i-1]
	word := before[strings.LastIndexAny(before, " \t(")+1:]
	return !abbreviations()[strings.ToLower(word)] && !isInitial(word)
}

var abbreviations = wordSet(`dr mr mrs ms st prof jr sr inc vs e.g i.e approx fr hr frau`)

func isInitial(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && unicode.IsUpper(r) && r != 'I'
}
