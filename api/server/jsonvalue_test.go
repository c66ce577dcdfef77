package server

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseJSONRefuses(t *testing.T) {
	tests := []struct {
		name, body, path, message string
	}{
		{"nothing", "", "", "is empty"},
		{"blank", " \r\n\t", "", "is empty"},
		{"no JSON", "hello", "", "not valid JSON"},
		{"cut", `{"a": [1, 2`, "", "not valid JSON"},
		{"trailing object", `{} {}`, "", "at byte 4"},
		{"trailing text", `{}x`, "", "not valid JSON"},
		{"comment", `{} // x`, "", "not valid JSON"},
		{"byte order mark", "\ufeff{}", "", "not valid JSON"},
		{"NaN", `{"a": NaN}`, "", "not valid JSON"},
		{"single quotes", `{'a': 1}`, "", "not valid JSON"},
		{"trailing comma", `{"a": 1,}`, "", "not valid JSON"},
		{"raw control character", "{\"a\": \"x\ny\"}", "", "not valid JSON"},
		{"a field twice", `{"a": 1, "b": {"c": 1, "c": 2}}`, "b.c", "is given twice"},
		{"a field twice, escaped", `{"a": 1, "\u0061": 2}`, "a", "is given twice"},
		{"a field whose name is not UTF-8", "{\"a\xff\": 1}", "", "is not valid UTF-8"},
		{"a field whose name has half a pair", `{"x": {"\ud800": 1}}`, "x", "lone surrogate"},
		{"nested deeply", strings.Repeat("[", 40) + strings.Repeat("]", 40), "[0]", "nested too deeply"},
		{"nested very deeply", strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), "", "not valid JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseJSON([]byte(test.body))
			var fault *jsonFault
			if !errors.As(err, &fault) {
				t.Fatalf("error %v, want a fault", err)
			}
			if !strings.HasPrefix(fault.path, test.path) || test.path == "" && fault.path != "" {
				t.Errorf("path %q, want %q", fault.path, test.path)
			}
			if !strings.Contains(fault.Error(), test.message) {
				t.Errorf("%q doesn't say %q", fault, test.message)
			}
		})
	}
}

func TestParseJSONKeepsWhatWasSent(t *testing.T) {
	v, err := parseJSON([]byte(`{"Name": "a", "name": "b", "n": 10.50, "list": [true, null, {}], "s": "\u00e9\ud83d\uddfc\u0000"}`))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(v.fields))
	for i, f := range v.fields {
		names[i] = f.name
	}
	if got := strings.Join(names, " "); got != "Name name n list s" {
		t.Errorf("fields %s", got)
	}
	if got := v.fields[2].value; got.kind != jsonNumber || got.text != "10.50" {
		t.Errorf("number %+v", got)
	}
	list := v.fields[3].value
	if len(list.items) != 3 || list.items[0].kind != jsonBool || list.items[1].kind != jsonNull || list.items[2].kind != jsonObject {
		t.Errorf("list %+v", list)
	}
	if got := v.fields[4].value; got.text != "é🗼\x00" || got.flaw != "" {
		t.Errorf("string %+v", got)
	}
}

func TestTextFlaw(t *testing.T) {
	tests := []struct {
		raw, want string // raw is JSON, with its quotes
	}{
		{`"plain"`, ""},
		{`"\ud83d\uddfc"`, ""},
		{`"\uD83D\uDDFC and \ud83d\uddfc"`, ""},
		{`"\\ud800"`, ""},
		{`"\\\\ud800"`, ""},
		{`"\"\/\b\f\n\r\t\u0041"`, ""},
		{`"\ud7ff\ue000"`, ""},
		{`"\ud800"`, "lone surrogate"},
		{`"\udc00"`, "lone surrogate"},
		{`"\uD800"`, "lone surrogate"},
		{`"x\ud83d y"`, "lone surrogate"},
		{`"\ud83d\ud83d\uddfc"`, "lone surrogate"},
		{`"\ud83d\uddfc\uddfc"`, "lone surrogate"},
		{`"\uddfc\ud83d"`, "lone surrogate"},
		{`"\ud83d\n"`, "lone surrogate"},
		{`"\ud83d\u0041"`, "lone surrogate"},
		{`"\\\ud800"`, "lone surrogate"},
		{"\"\xff\"", "UTF-8"},
		{"\"\xed\xa0\x80\"", "UTF-8"}, // a surrogate in WTF-8
		{"\"\xc0\x80\"", "UTF-8"},     // an overlong NUL
	}
	for _, test := range tests {
		got := textFlaw([]byte(test.raw))
		if got == "" && test.want != "" || test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.raw, got, test.want)
		}
	}
}

// Whatever the standard library takes as a string without loss is a string without a flaw, and the other way round.
func FuzzTextFlaw(f *testing.F) {
	for _, seed := range []string{`"\ud800"`, `"\\ud800"`, `"\ud83d\uddfc"`, "\"\xff\"", `"\uFFFD"`, `"\ud800\u0041"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s string
		if json.Unmarshal(raw, &s) != nil || s == "" && string(raw) == "null" {
			return
		}
		replaced := strings.Count(s, string(utf8.RuneError))
		written := strings.Count(string(raw), string(utf8.RuneError)) + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
		if flaw := textFlaw(raw); flaw == "" && replaced > written {
			t.Errorf("%q lost something, and no flaw was seen", raw)
		} else if flaw != "" && replaced == 0 {
			t.Errorf("%q lost nothing, and was said to be flawed: %s", raw, flaw)
		}
	})
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": "\ud800"}]}`, `{"a":1,"a":2}`, "[[[[[[[[[[[[[[[[[[[[", "{\"\xff\": 1}", `1e999`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := parseJSON(body)
		var fault *jsonFault
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("error %v is not a fault", err)
		}
		if err == nil && !json.Valid(body) {
			t.Errorf("%q was taken", body)
		}
	})
}
