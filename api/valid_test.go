package api

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValid compares with encoding/json.
func FuzzValid(f *testing.F) {
	for _, s := range []string{
		``, ` `, `{}`, ` { } `, `[]`, `[ ]`, `[1,]`, `[,]`, `{,}`, `{"a":}`, `{"a" : 1 , "b":[true,false,null]}`, `{"a":1,}`, `{a:1}`,
		`"`, `"x`, `"\u12`, `"\u12ax"`, `"\ud800"`, `"\x"`, `"\\\"\/\b\f\n\r\t"`, "\"\x1f\"", "\"\x7f\xff\"", "\ufeff{}", `{}{}`, `{}x`,
		`0`, `-`, `-0`, `00`, `01`, `1.`, `.5`, `1.5e`, `1.5e+`, `-1.5E-07`, `1e5`, `+1`, `tru`, `true`, `truex`, `nulll`, `fals`,
		`{"a":1 "b":2}`, `[1 2]`, `[1`, `{"a"`, `{"a":1`, `{"a":1,"b"}`, `}`, `]`,
		strings.Repeat("[", 9999) + strings.Repeat("]", 9999),
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
		strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := valid(b), json.Valid(b); got != want {
			t.Errorf("valid(%.200q) = %t, want %t", b, got, want)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	doc := []byte("[" + strings.Repeat(`{"text":"I said \"hello\" and that I like tea.","turn":10,"score":0.5,"kind":null},`, 700) + "0]")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if !valid(doc) {
			b.Fatal("not valid")
		}
	}
}
