package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/formation"
)

func TestDecodeRecall(t *testing.T) {
	for _, tt := range []struct {
		raw   string
		want  recallArguments
		wrong string // part of the error
	}{
		{raw: `{"query":"x"}`, want: recallArguments{"x", 10}},
		{raw: `{"query":"x","limit":50}`, want: recallArguments{"x", 50}},
		{raw: `{"query":"x","limit":3.0}`, want: recallArguments{"x", 3}},
		{raw: `{"query":"[\"a\"]"}`, want: recallArguments{`["a"]`, 10}},
		{raw: `{"qu\u0065ry":"x"}`, want: recallArguments{"x", 10}},
		{raw: `"{\"query\":\"x\",\"limit\":2}"`, want: recallArguments{"x", 2}},
		{raw: ``, wrong: `"query" must be`},
		{raw: `null`, wrong: `"query" must be`},
		{raw: `"nonsense"`, wrong: "must be an object"},
		{raw: `5`, wrong: "must be an object"},
		{raw: `{"query":"\ud800"}`, wrong: "surrogate"},
		{raw: `{"query":"` + strings.Repeat("é", 2049) + `"}`, wrong: "4098 bytes"},
		{raw: `{"query":"x","limit":null}`, wrong: `"limit"`},
		{raw: `{"query":"x","":1}`, wrong: `no argument ""`},
		{raw: `{"query":"x","endpoint":1}`, wrong: `no argument "endpoint"`},
		{raw: `{"` + strings.Repeat("k", 500) + `":1}`, wrong: "…"},
	} {
		got, err := decodeRecall(json.RawMessage(tt.raw))
		switch {
		case tt.wrong == "" && (err != nil || got != tt.want):
			t.Errorf("%s: %v, %v", clip(tt.raw, 80), got, err)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
			t.Errorf("%s: the error is %v, want one with %q", clip(tt.raw, 80), err, tt.wrong)
		}
	}
}

func TestDecodeTurns(t *testing.T) {
	want := []formation.Turn{{Role: "user", Content: "a"}, {Role: "tool", Content: `{"b":1}`}}
	for _, raw := range []string{
		`{"turns":[{"role":"user","content":"a"},{"content":"{\"b\":1}","role":"tool"}]}`,
		`{"turns":"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"content\":\"{\\\"b\\\":1}\"}]"}`,
		`{"turns":[{"role":"user","content":"a"},"{\"role\":\"tool\",\"content\":\"{\\\"b\\\":1}\"}"]}`,
	} {
		got, err := decodeTurns(json.RawMessage(raw))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", raw, err, diff)
		}
	}
	big := fmt.Sprintf(`{"role":"user","content":%q}`, strings.Repeat("y", 60_000))
	for raw, wrong := range map[string]string{
		`{"turns":[{"role":"user","content":"a"},5]}`:                                "turns[1] must be an object",
		`{"turns":[{"role":"user","content":"a"},{"role":"user"}]}`:                  "turns[1].content must be a string",
		`{"turns":[{"role":"user","content":"\u0000"}]}`:                             "NUL",
		`{"turns":"[{\"role\":\"user\",\"content\":\"\\ud800\"}]"}`:                  "surrogate",
		`{"turns":[{"role":"\ud800","content":"a"}]}`:                                "turns[0].role",
		`{"turns":[` + strings.Repeat(`{"role":"user","content":"a"},`, 600) + `1]}`: "turns",
		`{"turns":[` + strings.Repeat(big+",", 20) + big + `]}`:                      "1 MiB",
	} {
		if _, err := decodeTurns(json.RawMessage(raw)); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: the error is %v, want one with %q", clip(raw, 100), err, wrong)
		}
	}
}

// FuzzArguments wants no panic, and nothing taken that a schema refuses.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"query":"x"}`, `{"query":"x","limit":3}`, `"{\"query\":\"x\"}"`, `{"turns":[{"role":"user","content":"x"}]}`, `{"turns":"[]"}`,
		`{"handle":"fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"}`, `{"query":"x","query":5}`, `{"limit":1e1,"query":"\u0061"}`, `null`, `[]`, `""`,
	} {
		f.Add([]byte(seed))
	}
	recall, turns := resolved(f, "recall_memory.input"), resolved(f, "remember_conversation.input")
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, recallErr := decodeRecall(raw)
		taken, turnsErr := decodeTurns(raw)
		_, _ = decodeHandle(raw)
		if !validJSON(raw) {
			return
		}
		if recallErr == nil {
			if err := valid(t, recall, unwrap(raw, '{')); err != nil {
				t.Errorf("recall_memory takes %s: %v", raw, err)
			}
		}
		if turnsErr == nil {
			doc, err := json.Marshal(map[string]any{"turns": taken})
			if err != nil || valid(t, turns, doc) != nil {
				t.Errorf("remember_conversation takes %s as %s", raw, doc)
			}
		}
	})
}
