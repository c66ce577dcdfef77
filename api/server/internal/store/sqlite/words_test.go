package sqlite_test

import (
	"database/sql"
	"testing"
	"time"
	"unicode"

	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

// FuzzWords puts a text in a full-text index and looks every one of its own words up: each is found, whatever it is
// made of, and nothing in it is syntax.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		"", "hello world", `"`, "NEAR(a b)", "a*b", "-x", "col:x", "getUserByID v1.62.0 src/main.go", "C++ F# 4f9d2c7ab31e",
		"東京に住む 猫", "ฉันชอบกินข้าวผัด", "हिंदी", "서울에서", "\u0301\u0302", "e\u0301\u0323\u0308", "😀🗼", "\x00\xff", "İıſß",
		"ﬁ ½ ² ⅷ", "it's Ana's dogs' 'quoted'", "a\u200db\u00adc", "ÀÉÎ ø ł đ", "ʼn ǅ", "\u1100\u1161", "𝒜𝓑", "৷ ০১", "ᾳ ὈΔΥΣΣΕΎΣ",
		"1.2.3-rc1 00 007 2025-03-05", "x\ue000s", "ـكتاب كِتَاب", "שָׁלוֹם",
	} {
		f.Add(seed)
	}
	db := wordIndex(f)
	f.Fuzz(func(t *testing.T, text string) {
		doc := search.Document(search.Entry{Text: text, Role: "user", SaidAt: time.Now(), Prev: text, Next: text})
		if _, err := db.Exec(`DELETE FROM words`); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(`INSERT INTO words (rowid, text) VALUES (1, ?)`, doc.Text); err != nil {
			t.Fatalf("indexing %q: %v", doc.Text, err)
		}
		q := search.ParseQuery(text)
		if len(q.Terms) > search.MaxTerms {
			t.Errorf("%d terms", len(q.Terms))
		}
		for _, term := range q.Terms {
			for _, r := range term {
				if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
					t.Fatalf("term %q of %q has %q in it", term, text, r)
				}
			}
			var n int
			err := db.QueryRow(`SELECT count(*) FROM words WHERE words MATCH ?`, `"`+term+`"`).Scan(&n)
			if err != nil || n != 1 {
				t.Fatalf("term %q of %q is found %d times in %q, %v", term, text, n, doc.Text, err)
			}
		}
	})
}

// wordIndex is an empty index with the tokenizer of the store.
func wordIndex(f *testing.F) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')`)
	if err != nil {
		f.Fatal(err)
	}
	return db
}
