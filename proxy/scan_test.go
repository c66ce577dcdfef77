package proxy

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMembersAndElements(t *testing.T) {
	raw := []byte(" {\"a\" : 1 , \"b\\u0063\":\"x\\\"}\",\"d\":{\"e\":[1,{\"f\":\"]\"}]},\"g\":null}\n")
	got := map[string]string{}
	if !members(raw, func(k, v []byte) bool { got[string(k)] = string(v); return true }) {
		t.Fatal("not an object")
	}
	want := map[string]string{"a": "1", "bc": `"x\"}"`, "d": `{"e":[1,{"f":"]"}]}`, "g": "null"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	var list []string
	if !elements([]byte(`[ 1 ,"a,b",[2,3] , {} ]`), func(v []byte) bool { list = append(list, string(v)); return true }) {
		t.Fatal("not an array")
	}
	if diff := cmp.Diff([]string{"1", `"a,b"`, "[2,3]", "{}"}, list); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	for _, other := range []string{"", "1", `"{}"`, "null", "[]"} {
		if members([]byte(other), func(_, _ []byte) bool { return true }) {
			t.Errorf("%q passes for an object", other)
		}
	}
}

func TestMembersStopsWhenAsked(t *testing.T) {
	n := 0
	members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) bool { n++; return false })
	elements([]byte(`[1,2]`), func([]byte) bool { n++; return false })
	if n != 2 {
		t.Errorf("called %d times, want once each", n)
	}
}

func TestUnquoteRefusesHalfASurrogatePair(t *testing.T) {
	for quoted, ok := range map[string]bool{
		`"plain"`: true, `"\u00e9"`: true, `"\ud83d\ude00"`: true, `"\uD83D\uDE00x"`: true, `"\\ud800"`: true, `"\\\\ud800"`: true,
		`"\ud800"`: false, `"\udc00"`: false, `"\ud800x"`: false, `"\ud800\u0041"`: false, `"\ud800\ud800"`: false, `"\\\ud800"`: false,
		`"a\n\udfff"`: false, `"\ude00\ud83d"`: false,
	} {
		if _, err := unquote([]byte(quoted)); (err == nil) != ok {
			t.Errorf("unquote(%s): %v, want ok %t", quoted, err, ok)
		}
	}
}

func TestQuotedLenIsTheLengthOfTheString(t *testing.T) {
	for _, s := range []string{"", "plain", "é日😀", "\x00\x1f\x7f", "a\"b\\c\n\r\t", "\u2028"} {
		quoted := appendQuoted(nil, s)
		if len(quoted) != quotedLen(s) {
			t.Errorf("quotedLen(%q) = %d, but it is %s", s, quotedLen(s), quoted)
		}
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != s {
			t.Errorf("%q came back as %q: %v", s, back, err)
		}
	}
}

// FuzzScan compares the scanner with encoding/json on valid input, and wants no panic on any.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[1,2,{"c":"d"}],"e":null}`, `[]`, `[[],{},"",0,-1.5e3,true]`, `{"\u0061":"\ud83d\ude00"}`, ` { "a" : [ 1 , 2 ] } `,
		`{"a"`, `{"a":`, `[1,`, `"`, `"\`, `{"a":"\`, `{`, `[{`, `{"":{"":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		seen := map[string]json.RawMessage{}
		isObject := members(raw, func(k, v []byte) bool { seen[string(k)] = bytes.Clone(v); return true })
		var list []json.RawMessage
		isArray := elements(raw, func(v []byte) bool { list = append(list, bytes.Clone(v)); return true })
		if !validJSON(raw) {
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) == nil && object != nil != isObject {
			t.Fatalf("%s: isObject is %t", raw, isObject)
		}
		if isObject {
			if diff := cmp.Diff(object, seen); diff != "" {
				t.Errorf("%s (-want +got):\n%s", raw, diff)
			}
		}
		if isArray {
			var want []json.RawMessage
			if err := json.Unmarshal(raw, &want); err != nil || len(want) != len(list) {
				t.Fatalf("%s: %d elements, want %d (%v)", raw, len(list), len(want), err)
			}
		}
	})
}

// FuzzQuote wants every text to come back from its JSON string.
func FuzzQuote(f *testing.F) {
	f.Add("plain")
	f.Add("\x00\"\\\n\u2028é😀")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		back, err := unquote(appendQuoted(nil, s))
		if err != nil || back != s {
			t.Errorf("%q came back as %q: %v", s, back, err)
		}
	})
}

// FuzzDecode wants no panic, and an id in an error only when it is one.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		ping, `{"jsonrpc":"2.0","id":null,"method":"x"}`, `{"jsonrpc":"1.0","id":1.5,"method":"x"}`, `{}`, `[1]`, `{"jsonrpc":"2.0","result":{}}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"\u0061","params":[]}`, `{"jsonrpc":"2.0","method":"a","id":1,"error":{}}`, strings.Repeat(`{"id":`, 50),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, fault := decode(raw)
		if !validJSON(raw) {
			return
		}
		at := m.id
		if fault != nil {
			at = fault.id
			if frame := appendError(nil, fault.id, fault.err); !validJSON(frame) {
				t.Errorf("%s is answered with %s", raw, frame)
			}
		}
		if c := kind(at.raw); at.raw != nil && c != '"' && c != '-' && (c < '0' || c > '9') {
			t.Errorf("%s has the id %s", raw, at.raw)
		}
		if m.params != nil && kind(m.params) != '{' {
			t.Errorf("%s has the params %s", raw, m.params)
		}
	})
}
