package access_test

import (
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func parse(t *testing.T, text string) access.Selector {
	t.Helper()
	s, err := access.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseSelector(t *testing.T) {
	for _, text := range []string{"*", "a", "team.app", "team.*", "team.app.*"} {
		if s := parse(t, text); s.String() != text {
			t.Errorf("%q became %q", text, s)
		}
	}
	for _, text := range []string{
		"", " ", "**", "*.*", ".*", "team*", "team.", "team..*.", "*.team", "team.**", "team.*.app", "Team.*", " *", "* ",
		"team.*\n", "te?m", strings.Repeat("a", 200),
	} {
		if s, err := access.ParseSelector(text); err == nil {
			t.Errorf("%q was taken as %q", text, s)
		}
	}
}

func TestSelectorCovers(t *testing.T) {
	tests := []struct {
		selector, name string
		want           bool
	}{
		{"*", "demo", true},
		{"*", "team.app", true},
		{"*", "", false},
		{"*", "..", false},
		{"demo", "demo", true},
		{"demo", "demo2", false},
		{"demo", "demo.x", false},
		{"team.*", "team.app", true},
		{"team.*", "team.app.x", true},
		{"team.*", "team", false},
		{"team.*", "teams.app", false},
		{"team.*", "team-app", false},
		{"team.*", "team.", false},
		{"team.*", "TEAM.app", false},
		{"team.*", "team.../x", false},
	}
	for _, test := range tests {
		if got := parse(t, test.selector).Covers(test.name); got != test.want {
			t.Errorf("%s covers %q: %v", test.selector, test.name, got)
		}
	}
	if (access.Selector{}).Covers("demo") || (access.Selector{}).Covers("") {
		t.Error("the zero selector covers something")
	}
}

func TestSelectorIncludes(t *testing.T) {
	tests := []struct {
		selector, other string
		want            bool
	}{
		{"*", "*", true},
		{"*", "team.*", true},
		{"*", "demo", true},
		{"team.*", "*", false},
		{"team.*", "team.*", true},
		{"team.*", "team.app", true},
		{"team.*", "team.app.*", true},
		{"team.*", "team", false},
		{"team.*", "teams.*", false},
		{"team.app.*", "team.*", false},
		{"demo", "demo", true},
		{"demo", "demo.*", false},
		{"demo", "*", false},
		{"demo", "other", false},
	}
	for _, test := range tests {
		if got := parse(t, test.selector).Includes(parse(t, test.other)); got != test.want {
			t.Errorf("%s includes %s: %v", test.selector, test.other, got)
		}
	}
	if parse(t, "demo").Includes(access.Selector{}) {
		t.Error("a name includes the zero selector")
	}
}

// What one selector includes, it covers: whoever may grant a selector reaches all that it reaches.
func FuzzSelectorIncludes(f *testing.F) {
	f.Add("team.*", "team.app.*", "team.app.x")
	f.Add("*", "a", "a")
	f.Fuzz(func(t *testing.T, wide, narrow, name string) {
		w, err := access.ParseSelector(wide)
		if err != nil {
			return
		}
		n, err := access.ParseSelector(narrow)
		if err != nil {
			return
		}
		if w.Includes(n) && n.Covers(name) && !w.Covers(name) {
			t.Errorf("%s includes %s, which covers %q, which %s doesn't", w, n, name, w)
		}
	})
}
