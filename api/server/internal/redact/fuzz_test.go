package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/plain"
	"github.com/lukasa-dev/lukasa/api/server/internal/redact"
)

func FuzzTurns(f *testing.F) {
	for _, s := range []string{
		"", "hello", "postgres://a:b@c", "redis://:Zk7vQ93x@h", "ghp_" + random[:36], "AKIA" + "Z7QHX2M5TNWB4KDE", "password: tide!Lamp93",
		"-----BEGIN RSA " + "PRIVATE KEY-----\nQUJDREVGR0hJSktM\n", "token=" + random, "Cookie: a=" + random, "[redacted:secret]", "a://b:[redacted:x]@c",
		"\x1b[31mghp_" + random[:36], "sk-ant-" + random + "sk-ant-" + random, "Bearer " + random, "x://:p@ss@h x://:p@ss@h", "key-" + hex(32) + hex(32),
	} {
		f.Add(s, s+s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		turns := []api.Turn{{Role: "user", Content: a}, {Role: "tool", Content: b}}
		clean, found := redact.Turns(turns)
		for i, c := range clean {
			if !utf8.ValidString(c.Content) || plain.Text(c.Content) != c.Content {
				t.Errorf("turn %d is not plain text: %q", i, c.Content)
			}
		}
		total := 0
		for _, r := range found {
			if r.Count < 1 || r.Kind == "" || r.Turn < 0 || r.Turn > 1 {
				t.Errorf("redaction %+v", r)
			}
			total += r.Count
		}
		marks := strings.Count(clean[0].Content+"\n"+clean[1].Content, "[redacted:")
		if given := strings.Count(plain.Text(a)+"\n"+plain.Text(b), "[redacted:"); marks > given+total {
			t.Errorf("%d marks for %d redactions", marks, total)
		}
		again, more := redact.Turns(clean)
		if diff := cmp.Diff(clean, again); diff != "" || len(more) > 0 {
			t.Errorf("redacting again found %v:\n%s", more, diff)
		}
	})
}
