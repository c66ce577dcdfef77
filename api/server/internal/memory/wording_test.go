package memory_test

import (
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func TestTheSameInOtherWords(t *testing.T) {
	for _, same := range [][]string{
		{"Our staging DB is called heron-2.", "our staging db is called heron-2!!", "Our  staging DB\tis called heron-2", "so, our staging db is called heron-2 btw 😀"},
		{"I live in Leeds.", "i live in Leeds", "so yeah, I live in Leeds btw 😀", "Hey! I live in leeds :)", "I live in Leeds, by the way"},
		{"I don't use Docker", "I don’t use docker.", "i dont use Docker lol", "Also, I do not use Docker"},
		{"We can't merge on Fridays", "we cannot merge on fridays…"},
		{"It's on the API", "it is on the api"},
		{"x = `A`", "x =  `A`"},
	} {
		for _, other := range same[1:] {
			if memory.PassageID("user", other) != memory.PassageID("user", same[0]) {
				t.Errorf("%q is %q, and %q is %q", same[0], memory.Wording(same[0]), other, memory.Wording(other))
			}
		}
	}
}

func TestWhatDiffersStaysApart(t *testing.T) {
	for _, pair := range [][2]string{
		{"the limit is 500 MB", "the limit is 50 MB"},
		{"the offset is -5", "the offset is 5"},
		{"we are on 2.14", "we are on 2.15"},
		{"it costs 1,5", "it costs 15"},
		{"the api does support batching", "the api doesn't support batching"},
		{"you can merge", "you can't merge"},
		{"I use Docker", "I do not use Docker"},
		{"the key is userId", "the key is userid"},
		{"the key is user_id", "the key is userid"},
		{"set DEBUG to on", "set debug to on"},
		{"use `FOO`", "use `foo`"},
		{"FOO=bar is set", "foo=bar is set"},
		{"we write it in C", "we write it in C++"},
		{"ask Jan about it", "ask Jana about it"},
		{"ask Mary Ann", "ask Mary, Ann"},
		{"I work in IT", "I work in it"},
		{"we use Kafka", "we use Kafka?"},
		{"yes, in Porto", "no, in Porto"},
		{"I said no. More tests", "I said no more tests"},
		{"now I live in Leeds", "I live in Leeds"},
		{"I never use it", "I use it"},
		{"👍 on that", "👎 on that"},
		{"at 10:30 we meet", "at 10:20 we meet"},
		{"a\n  b", "A\n  b"},
		{strings.Repeat("word ", 130) + "A", strings.Repeat("word ", 130) + "a"},
	} {
		if memory.PassageID("user", pair[0]) == memory.PassageID("user", pair[1]) {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], memory.Wording(pair[0]))
		}
	}
	if memory.PassageID("user", "I live in Leeds") == memory.PassageID("assistant", "I live in Leeds") {
		t.Error("who said it does not count")
	}
}

func TestWordingIsNeverEmpty(t *testing.T) {
	for _, text := range []string{"so", "btw", "...", "😀", "?", "hi, hey, so, btw", "。", "日本語。", "'", "n't"} {
		if memory.Wording(text) == "" {
			t.Errorf("the wording of %q is empty", text)
		}
	}
	if w := memory.Wording(""); w != "" {
		t.Errorf("the wording of nothing is %q", w)
	}
}

func FuzzWording(f *testing.F) {
	for _, s := range []string{"I live in Leeds, btw.", "so yeah :)", "can't", "'re", "A, B", "\xff", "I' m", ". . .", "x😀y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if w := memory.Wording(s); w == "" && strings.TrimSpace(s) != "" {
			t.Errorf("the wording of %q is empty", s)
		}
	})
}
