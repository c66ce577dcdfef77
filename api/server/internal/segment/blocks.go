package segment

import "strings"

// block is a paragraph with the blank lines after it, or a code fence or table, which stay whole.
type block struct {
	piece
	whole bool
}

// blocks returns the blocks of a text; together they are the text.
func blocks(text string) []block {
	var list []block
	for at := 0; at < len(text); {
		end, whole := fenceEnd(text, at)
		if !whole {
			end, whole = tableEnd(text, at)
		}
		if !whole {
			end = paragraphEnd(text, at)
		}
		list = append(list, block{piece{at, end}, whole})
		at = end
	}
	return list
}

// line returns the line that begins at a byte, and where the next one begins.
func line(text string, at int) (string, int) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return text[at : at+i], at + i + 1
	}
	return text[at:], len(text)
}

// fenceOf returns the marker of a line that opens a code fence (CommonMark 4.5), "" when it opens none.
func fenceOf(l string) string {
	l = strings.TrimLeft(l, " \t")
	for _, c := range []string{"`", "~"} {
		if n := len(l) - len(strings.TrimLeft(l, c)); n >= 3 && (c == "~" || !strings.Contains(l[n:], "`")) {
			return l[:n]
		}
	}
	return ""
}

// fenceEnd returns where the fence that begins at a byte ends. One that is never closed is the rest of the text.
func fenceEnd(text string, at int) (end int, ok bool) {
	l, next := line(text, at)
	marker := fenceOf(l)
	if marker == "" {
		return at, false
	}
	for next < len(text) {
		l, next = line(text, next)
		closing := strings.TrimSpace(l)
		if len(closing) >= len(marker) && strings.Trim(closing, marker[:1]) == "" {
			return next, true
		}
	}
	return len(text), true
}

// tableEnd returns where the table that begins at a byte ends: two lines or more with a bar, the second of dashes, or
// lines that begin with a bar.
func tableEnd(text string, at int) (end int, ok bool) {
	first, next := line(text, at)
	if !strings.Contains(first, "|") || next >= len(text) {
		return at, false
	}
	second, after := line(text, next)
	if !(isRuler(second) || barred(first) && barred(second)) {
		return at, false
	}
	end = after
	for end < len(text) {
		l, n := line(text, end)
		if !strings.Contains(l, "|") {
			break
		}
		end = n
	}
	return end, true
}

func barred(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "|") }

func isRuler(l string) bool {
	return strings.Contains(l, "-") && strings.Contains(l, "|") && strings.Trim(l, "|-: \t") == ""
}

// paragraphEnd returns where the paragraph that begins at a byte ends: behind the blank lines after it, or where a
// fence or a table begins.
func paragraphEnd(text string, at int) int {
	l, end := line(text, at)
	blank := strings.TrimSpace(l) == ""
	for end < len(text) {
		l, next := line(text, end)
		empty := strings.TrimSpace(l) == ""
		if blank && !empty {
			return end
		}
		blank = blank || empty
		if !empty && (fenceOf(l) != "" || beginsTable(text, end)) {
			return end
		}
		end = next
	}
	return end
}

func beginsTable(text string, at int) bool {
	first, next := line(text, at)
	if !strings.Contains(first, "|") || next >= len(text) {
		return false
	}
	second, _ := line(text, next)
	return isRuler(second) || barred(first) && barred(second)
}
