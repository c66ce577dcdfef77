package extract

import "testing"

func TestBorrowedFrom(t *testing.T) {
	for _, tt := range []struct{ name, own, borrowed string }{
		{"plain", "I live in Rome.", ""},
		{"a task on a text", "Please fix the grammar: ", "I live in Rome."},
		{"a task on the next paragraph", "Proofread this paragraph.", "\n\nI live in Rome."},
		{"a translation", "Could you translate this into French: ", "I live in Rome."},
		{"a task on code", "Fix this bug. I use Go 1.22.", ""},
		{"someone's words", "Her bio says: ", "I live in Rome."},
		{"one's own words", "As I said: I live in Rome.", ""},
		{"a part to play", "You are Bob.", " I live in Rome."},
		{"no part to play", "You are right. I live in Rome.", ""},
		{"a mail", "see:\n", "From: Bob\nI live in Rome."},
		{"a letter", "", "I live in Rome.\n\nRegards, Bob"},
		{"a document", "", "# Cover letter\n\nI live in Rome."},
		{"a heading", "# About me\n\nI live in Rome.", ""},
		{"triple quotes", "see ", "\"\"\"I live in Rome\"\"\""},
		{"a question on a text", "Is this sentence correct?", "\n\nI live in Rome."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.own + tt.borrowed
			if got := borrowedFrom(text); got != len(tt.own) {
				t.Errorf("own words: %q, want %q", text[:got], tt.own)
			}
		})
	}
}
