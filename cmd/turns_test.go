package cmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestParseTurns(t *testing.T) {
	two := []api.Turn{{Role: "user", Content: "a"}, {Role: "tool", Content: "b"}}
	for name, in := range map[string]string{
		"array":           ` [{"role":"user","content":"a"},{"role":"tool","content":"b"}] `,
		"lines":           "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"tool\",\"content\":\"b\"}\n",
		"lines with CRLF": "{\"role\":\"user\",\"content\":\"a\"}\r\n\r\n{\"role\":\"tool\",\"content\":\"b\"}",
		"byte order mark": "\ufeff[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"content\":\"b\"}]",
	} {
		got, err := parseTurns([]byte(in))
		if err != nil || !cmp.Equal(got, two) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, in := range map[string]string{
		"nothing": "", "blank": " \n", "a scalar": "5", "a string": `"x"`, "half": `[{"role":"user"`, "two arrays": "[] []",
		"an unknown field": `{"role":"user","content":"a","name":"x"}`, "text": "hello", "wrong type": `{"role":"user","content":5}`,
		"line after array": `[{"role":"user","content":"a"}] x`,
	} {
		if got, err := parseTurns([]byte(in)); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

func FuzzParseTurns(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"a"}]`))
	f.Add([]byte("{\"role\":\"user\",\"content\":\"\\ud800\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		turns, err := parseTurns(data)
		if err == nil && turns == nil {
			t.Error("neither turns nor an error")
		}
	})
}
