package search_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

func TestDocumentText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"blank", " \n\t", ""},
		{"words", "Hello, big World!", "hello big world"},
		{"numbers", "room 007 costs 12", "room 7 costs 12"},
		{"possessives", "Ana's dogs' bowl isn't 'new'", "ana dogs bowl isnt new"},
		{"typographic quotes", "Ana’s “own”", "ana own"},
		{"camel case", "getUserByID", "getuserbyid get user by id"},
		{"capitals in a row", "HTTPServer", "httpserver http server"},
		{"one letter before capitals", "iPhone", "iphone phone"},
		{"snake case", "max_retry_count", "maxretrycount max retry count"},
		{"hyphens", "well-known", "wellknown well known"},
		{"hyphens that join nothing", "a - b -- c- -d", "a b c d"},
		{"path", "src/cmd/main.go", "srccmdmaingo maingo src cmd main go"},
		{"windows path", `C:\Data\notes.txt`, "c datanotestxt notestxt data notes txt"},
		{"address", "ana@example.com", "anaexamplecom ana example com"},
		{"version", "v1.62.0", "v1d62d0 1d62d0 v1d62 1d62 v1"},
		{"short version", "go1.26", "go1d26 1d26 go1"},
		{"decimal", "3.50", "3d50"},
		{"end of a sentence", "It is 12. Then", "it is 12 then"},
		{"date", "2025-03-05", "20250305 2025 3 5"},
		{"commit", "4f9d2c7ab31e", "4f9d2c7ab31e 4f9d2c7"},
		{"hexadecimal word without digits", "defaceddeface", "defaceddeface"},
		{"languages", "C++, C# and F#", "cplusplus csharp and fsharp"},
		{"accents", "Jörg à Zürich, Straße", "jorg a zurich strasse"},
		{"accents apart", "Jo\u0308rg", "jorg"},
		{"width", "ｆｕｌｌ", "full"},
		{"greek and cyrillic", "ΟΔΥΣΣΕΥΣ Ёлка", "οδυσσευσ елка"},
		{"chinese", "我喜欢", "我 喜 我喜 欢 喜欢"},
		{"one character", "猫", "猫"},
		{"japanese", "ネコが好き", "ネコ コが 好 が好 好き"},
		{"long vowel", "コーヒー", "コー ーヒ ヒー"},
		{"korean", "서울", "서 울 서울"},
		{"mixed scripts", "iPhone15を買う", "iphone15 phone15 買 を買 買う"},
		{"thai with its marks", "ที่", "ทx0e35x0e48"},
		{"hindi with its marks", "हिंदी", "हx093fx0902दx0940"},
		{"emoji", "😀 ok 🗼", "ok"},
		{"marks alone", "\u0301\u0302", ""},
		{"invalid UTF-8", "a\xffb\x00c", "a b c"},
		{"soft hyphens and joiners", "co\u00adoperate a\u200db", "cooperate ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := search.Document(search.Entry{Text: tt.text}).Text
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("words of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestDocumentLongWords(t *testing.T) {
	blob := strings.Repeat("aB3", 1000)
	for _, word := range strings.Fields(search.Document(search.Entry{Text: blob + " " + strings.Repeat("x/", 500)}).Text) {
		if n := utf8.RuneCountInString(word); n > 64 {
			t.Errorf("a word of %d characters", n)
		}
	}
}

func TestDocumentContext(t *testing.T) {
	day := time.Date(2023, time.May, 8, 13, 56, 0, 0, time.UTC)
	const date = "monday 8 may 2023 20230508 2023 5 8"
	tests := map[string]search.Entry{
		"user ana lima " + date:    {Text: "Ana Lima: hello", Role: "user", SaidAt: day},
		"user jorg " + date:        {Text: "Jörg:\nhello", Role: "user", SaidAt: day},
		"assistant " + date:        {Text: "no, no name: hello", Role: "assistant", SaidAt: day},
		"tool " + date:             {Text: "12:30 it is", Role: "tool", SaidAt: day},
		"user c " + date:           {Text: "c: hello", Role: "user", SaidAt: day},
		"user":                     {Text: "http://example.com/", Role: "user"},
		"user dr. o'neil" + "":     {Text: ": hello", Role: "user dr. o'neil"},
		"assistant o neil " + date: {Text: "O Neil: x", Role: "assistant", SaidAt: day},
	}
	for want, entry := range tests {
		want = strings.NewReplacer("dr. o'neil", "dr oneil").Replace(want)
		if got := search.Document(entry).Context; got != want {
			t.Errorf("context of %q is %q, want %q", entry.Text, got, want)
		}
	}
}

func TestDocumentNeighbours(t *testing.T) {
	got := search.Document(search.Entry{Text: "here", Prev: "the one before", Next: "what follows"})
	if got.Text != "here" || got.Neighbours != "the one before what follows" {
		t.Errorf("fields are %+v", got)
	}
	long := "first " + strings.Repeat("é", 3000) + " last"
	near := search.Document(search.Entry{Prev: long, Next: long}).Neighbours
	if !strings.Contains(near, "last") || !strings.Contains(near, "first") || strings.Index(near, "last") > strings.Index(near, "first") {
		t.Errorf("neighbours are %.80q…, want the end of the one before and the beginning of the one after", near)
	}
	if len(near) > 1000 {
		t.Errorf("neighbours are %d bytes", len(near))
	}
}
