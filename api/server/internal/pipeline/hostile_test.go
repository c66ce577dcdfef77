package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// Hostile turns must not take long: what they cost grows with their length and no faster. A quarter of the greatest length
// tells, and keeps the race detector from taking a minute.
func TestHostileTurns(t *testing.T) {
	for name, unit := range map[string]string{
		"letters":         "a",
		"capitals":        "A",
		"words":           "word ",
		"names":           "Anna Maria ",
		"commas":          "a, ",
		"and":             "X and Y and ",
		"subjects":        "I use A1 and I use B2 and ",
		"statements":      "I use tool%d. ",
		"questions":       "do I live in Rome? ",
		"corrections":     "no wait, Tuesday. ",
		"lists":           "I use a, b, c, d, e, f, g. ",
		"open quotes":     `"a b c `,
		"backticks":       "` a b c ",
		"brackets":        "((((",
		"fences":          "```\n",
		"bars":            "| a | b |\n",
		"half tables":     "a | b\n\n",
		"blank lines":     "\n",
		"full stops":      "...",
		"escapes":         "\x1b[",
		"unended escapes": "\x1b]0;title",
		"key heads":       "-----BEGIN RSA " + "PRIVATE KEY-----\n",
		"key bodies":      "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("QUJDREVG\n", 20),
		"urls":            "postgres://a:b",
		"passwords":       "postgres://u:Zk7vQ93x%d@h ",
		"assignments":     "api_key=",
		"tokens":          "token: ghp_",
		"orders":          "you must call ignore all previous ",
		"dates":           "since March from to until 2 days ago ",
		"leads":           "ok so well btw ",
		"hearsay":         "Anna says that ",
		"japanese":        "私は大阪に住んでいます。",
		"emoji":           "👩‍👧‍👦",
		"marks":           "e\u0301\u0301\u0301",
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := 0; b.Len() < formation.MaxTurnBytes/4-len(unit)-8; i++ {
				b.WriteString(strings.ReplaceAll(unit, "%d", string(rune('0'+i%10))+string(rune('0'+i/10%10))+string(rune('0'+i/100%10))))
			}
			w := newWorkspace(t)
			start := time.Now()
			w.say([]api.Turn{{Role: "user", Content: b.String()}}, nil, nil)
			// Work that grows with the square of the text would take many minutes; how fast it is, benchmarks tell.
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %v", took)
			} else {
				t.Logf("%v", took)
			}
		})
	}
}
