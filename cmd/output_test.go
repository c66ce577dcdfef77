package cmd

import (
	"strings"
	"syscall"
	"testing"
)

func TestPlainObeysNobody(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                          "plain",
		"a\n\tb":                         "a\n\tb",
		"\x1b[31mred\x1b[0m":             "[31mred[0m",
		"\x1b]0;title\x07":               "]0;title",
		"over\rwritten":                  "overwritten",
		"\u202eevil\u202c \u2066x\u2069": "evil x",
		"c1 \u009b31m":                   "c1 31m",
		"東京 🗼":                           "東京 🗼",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTableCellsStayInTheirRow(t *testing.T) {
	var b strings.Builder
	table(&b, []string{"NAME", "TITLE"}, []string{"a", "two\nlines\tand a tab"})
	if want := "NAME  TITLE\na     two lines and a tab\n"; b.String() != want {
		t.Errorf("table = %q, want %q", b.String(), want)
	}
}

func TestShortenCutsAtCharacters(t *testing.T) {
	if got := shorten("東京にも行きたい", 5); got != "東京にも…" {
		t.Errorf("shorten = %q", got)
	}
	if got := shorten("short", 5); got != "short" {
		t.Errorf("shorten = %q", got)
	}
}

func TestPrefixedIndents(t *testing.T) {
	if got, want := prefixed("hint: ", "one;\ntwo\n"), "hint: one;\n      two\n"; got != want {
		t.Errorf("prefixed = %q, want %q", got, want)
	}
}

// full is an output that takes nothing, as a full disk does.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullOutput wants the fault told of the output, and nothing said of the endpoint, which did its part.
func TestFullOutput(t *testing.T) {
	dir := t.TempDir()
	getenv := func(name string) string {
		return map[string]string{envDataDir: dir, envConfigDir: dir}[name]
	}
	for _, args := range [][]string{{"workspace", "list"}, {"whoami"}, {"version"}, {"key", "list", "-o", "json"}} {
		var errs strings.Builder
		code := Run(t.Context(), args, Streams{In: strings.NewReader(""), Out: full{}, Err: &errs, Getenv: getenv})
		if code != exitFailed || !strings.HasPrefix(errs.String(), "error: writing the result: ") || strings.Contains(errs.String(), "hint:") {
			t.Errorf("%v: exit code %d, %q", args, code, errs.String())
		}
	}
}
