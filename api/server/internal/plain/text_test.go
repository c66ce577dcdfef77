package plain_test

import (
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/plain"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"as it is\t\n  é 東京 👩‍👧‍👦":                  "as it is\t\n  é 東京 👩‍👧‍👦",
		"\x1b[1m\x1b[32m✓\x1b[0m 214 passed":        "✓ 214 passed",
		"a\r\nb\rc\r":                               "a\nb\nc\n",
		"bell\x07 nul\x00 del\x7f c1\u009b":         "bell nul del c1",
		"\x1b]0;title\x07text":                      "text",
		"\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b]0;never ended":                        "0;never ended",
		"\x1b[12;never":                             "ever",
		"\x1b(Bcharset \x1bM\x1b":                   "charset ",
		"\xff\xfeinvalid\xc3":                       "invalid",
		"\uFFFD stays":                              "\uFFFD stays",
		strings.Repeat("\x1b[", 1000) + "x":         "",
	} {
		got := plain.Text(in)
		if got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		if plain.Text(got) != got {
			t.Errorf("%q is not stable", got)
		}
	}
}
