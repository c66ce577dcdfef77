package server

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestParseTurns(t *testing.T) {
	two := []api.Turn{{Role: "user", Content: "a 🗼"}, {Role: "tool", Content: "b"}}
	for name, in := range map[string]string{
		"array":           ` [{"role":"user","content":"a \ud83d\uddfc"},{"role":"tool","content":"b"}] `,
		"lines":           "{\"role\":\"user\",\"content\":\"a 🗼\"}\n{\"role\":\"tool\",\"content\":\"b\"}\n",
		"lines with CRLF": "{\"role\":\"user\",\"content\":\"a 🗼\"}\r\n\r\n{\"role\":\"tool\",\"content\":\"b\"}",
		"long objects":    "{\n\"role\": \"user\",\n\"content\": \"a 🗼\"\n}\n{\n\"role\": \"tool\",\n\"content\": \"b\"\n}",
		"byte order mark": "\ufeff[{\"role\":\"user\",\"content\":\"a 🗼\"},{\"role\":\"tool\",\"content\":\"b\"}]",
	} {
		got, err := ParseTurns([]byte(in))
		if diff := cmp.Diff(two, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	if got, err := ParseTurns([]byte("[]")); err != nil || got == nil || len(got) != 0 {
		t.Errorf("an empty array: %v, %v; the API refuses it", got, err)
	}
}

// What the API refuses in a body is refused in a file, whichever form it has.
func TestParseTurnsRefuses(t *testing.T) {
	const good = `{"role":"user","content":"a"}`
	for in, want := range map[string]string{
		"":                         "the conversation is empty",
		"\ufeff \n":                "the conversation is empty",
		"hello":                    "turns[0] is not valid JSON",
		`[{"role":"user"`:          "the conversation is not valid JSON",
		"[] []":                    "the conversation is not valid JSON",
		"[" + good + "] x":         "the conversation is not valid JSON",
		good + "\n{":               "turns[1] is not valid JSON",
		strings.Repeat("[", 10000): "the conversation is not valid JSON",
		"null":                     "the conversation is null",
		"null null":                "turns[0] must be an object, not null",
		"5":                        "turns[0] must be an object, not a number",
		good + "\n" + `"x"`:        "turns[1] must be an object, not a string",
		`[null]`:                   "turns[0] must be an object, not null",
		`[[` + good + `]]`:         "turns[0] must be an object, not an array",
		`{"turns":[` + good + `]}`: "turns[0].turns is not known here",
	} {
		if got, err := ParseTurns([]byte(in)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, %v; want %q", in, got, err, want)
		}
	}
	for turn, want := range map[string]string{
		`{"role":"user","content":"\ud800"}`:                    "content has a lone surrogate escape",
		`{"role":"user","content":"\udc00\ud800"}`:              "content has a lone surrogate escape",
		"{\"role\":\"user\",\"content\":\"\xff\"}":              "content is not valid UTF-8",
		"{\"role\":\"\xc0\x80\",\"content\":\"a\"}":             "role is not valid UTF-8",
		`{"role":"user","content":"a","content":"b"}`:           "content is given twice",
		`{"role":"user","content":"a","conten\u0074":"b"}`:      "content is given twice",
		`{"Role":"user","content":"a"}`:                         "Role is not known here",
		`{"role":"user","CONTENT":"a"}`:                         "CONTENT is not known here",
		`{"role":"user","content":"a","name":"x"}`:              "name is not known here",
		`{"role":"user","content":5}`:                           "content must be a string, not a number",
		`{"role":"user","content":null}`:                        "content must be a string, not null",
		`{"role":"user"}`:                                       "content is missing",
		`{"role":"user","content":[{"type":"text","text":""}]}`: "content must be a string, not an array",
	} {
		for form, in := range map[string]string{"array": "[" + good + "," + turn + "]", "lines": good + "\n" + turn} {
			if got, err := ParseTurns([]byte(in)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "1") {
				t.Errorf("%s of %s: %v, %v; want %q of turn 1", form, turn, got, err, want)
			}
		}
	}
}

func FuzzParseTurns(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"a"}]`))
	f.Add([]byte("{\"role\":\"user\",\"content\":\"\\ud800\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		turns, err := ParseTurns(data)
		if (err == nil) != (turns != nil) {
			t.Errorf("%v and %v", turns, err)
		}
		for _, turn := range turns {
			if strings.ToValidUTF8(turn.Content, "") != turn.Content {
				t.Errorf("content %q", turn.Content)
			}
		}
	})
}
