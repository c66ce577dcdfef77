package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

func TestParseQuery(t *testing.T) {
	tests := []struct {
		name, query string
		want        []string
	}{
		{"nothing", "", nil},
		{"no words", `"*()-+^: 😀`, nil},
		{"a question", "When did Ines finish the mural?", []string{"ines", "finish", "mural"}},
		{"only stop words", "who are you", []string{"who", "are", "you"}},
		{"contractions", "I don't know what you'd do", []string{"know"}},
		{"repeats", "tea, Tea and TEA", []string{"tea"}},
		{"the month", "in May", []string{"may"}},
		{"syntax", `NEAR("a* b", 2) OR text:x NOT -y`, []string{"near", "b", "2", "textx", "text", "x", "y"}},
		{"identifier", "where is getUserID", []string{"getuserid", "get", "user", "id"}},
		{"version", "v1.62.0", []string{"v1d62d0", "1d62d0", "v1"}},
		{"path", "cmd/main.go", []string{"cmdmaingo", "cmd", "main", "go"}},
		{"commit", "4f9d2c7ab3", []string{"4f9d2c7ab3", "4f9d2c7"}},
		{"chinese", "我喜欢", []string{"我喜", "喜欢"}},
		{"one character", "猫?", []string{"猫"}},
		{"controls", "a\x00b\x1b[31mred", []string{"b", "31mred"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, search.ParseQuery(tt.query).Terms); diff != "" {
				t.Errorf("terms of %q (-want +got):\n%s", tt.query, diff)
			}
		})
	}
}

func TestParseQueryKeepsTheLongest(t *testing.T) {
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	words = append(words, "extraordinary")
	terms := search.ParseQuery(strings.Join(words, " ")).Terms
	if len(terms) != search.MaxTerms || terms[len(terms)-1] != "extraordinary" {
		t.Errorf("%d terms, the last %q; want %d with the longest word", len(terms), terms[len(terms)-1], search.MaxTerms)
	}
	if slices.Contains(terms, "w1") || !slices.Contains(terms, "w100") {
		t.Errorf("terms are %q, want longer words before shorter ones", terms)
	}
	if !slices.IsSortedFunc(terms[:len(terms)-1], strings.Compare) {
		t.Errorf("terms are %q, want their order kept", terms)
	}
}

// TestQueryFindsItsText looks every word of a query up among the words of the same text.
func TestQueryFindsItsText(t *testing.T) {
	for _, text := range []string{
		"getUserByID v1.62.0-rc1 src/cmd/main.go ana@example.com 4f9d2c7ab31e", "東京タワーに行きました 猫", "서울에서 일합니다",
		"ฉันชอบกินข้าวผัด", "मुझे हिंदी पसंद है", "C++ Straße İstanbul ΟΔΟΣ", "2025-03-05 12:30 3.50 192.168.0.1",
	} {
		indexed := strings.Fields(search.Document(search.Entry{Text: text}).Text)
		for _, term := range search.ParseQuery(text).Terms {
			if !slices.Contains(indexed, term) {
				t.Errorf("%q of %q is not among %q", term, text, indexed)
			}
		}
	}
}
