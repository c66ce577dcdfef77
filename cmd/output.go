package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// writeJSON writes one document, indented, with the API's own field names.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// result writes v as JSON when that is the output, else whatever text writes.
func (a *app) result(s settings, v any, text func(w io.Writer)) error {
	if s.Output.Value == outputJSON {
		return writeJSON(a.Out, v)
	}
	var b strings.Builder
	text(&b)
	if _, err := io.WriteString(a.Out, b.String()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// table writes aligned columns; cells are other people's text.
func table(w io.Writer, rows ...[]string) {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	tw.Flush() // a strings.Builder is behind it: it can't fail
}

// plain drops what a terminal would obey: remembered text is other people's, and may hold escape sequences. Bidirectional
// controls go too, because they make text read otherwise than it is.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
}

// oneLine is plain without line ends and tabs.
func oneLine(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// day formats a time for people.
func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// plural is "1 passage" or "2 passages".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
