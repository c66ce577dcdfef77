package api_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestValidWorkspaceName(t *testing.T) {
	names := []string{
		"a", "0", "team.app", "a_b-c.d", "a..b", strings.Repeat("a", 128),
		"", strings.Repeat("a", 129), ".a", "a.", "-a", "a-", "_", "A", "ä", "a b", "a/b", "..", "a\n", "\n", "a\x00",
		"*", "team.*", "a%2f", "ａ", "a\u200b",
	}
	rule := regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,126}[a-z0-9])?$`)
	for _, name := range names {
		if got, want := api.ValidWorkspaceName(name), rule.MatchString(name); got != want {
			t.Errorf("ValidWorkspaceName(%q) = %v, and the rule says %v", name, got, want)
		}
	}
}

func FuzzValidWorkspaceName(f *testing.F) {
	rule := regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,126}[a-z0-9])?$`)
	f.Add("team.app")
	f.Add("team.")
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := api.ValidWorkspaceName(name), rule.MatchString(name); got != want {
			t.Errorf("ValidWorkspaceName(%q) = %v, and the rule says %v", name, got, want)
		}
	})
}
