package pipeline_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Conversations, and what a careful person says must come of them: testdata/formation.json, and with other wordings
// testdata/everyday.json. What needs a search or a server is left to the server's own tests.
type formationCase struct {
	Name  string
	Kind  string
	Why   string
	Steps []struct {
		Turns      []api.Turn
		ObservedAt *time.Time `json:"observed_at"`
		Expect     expectation
	}
	Then struct {
		Assertions   []assertionPattern
		NoAssertions []assertionPattern `json:"no_assertions"`
		Absent       []string
	}
}

type expectation struct {
	State      string
	Has        []candidatePattern
	HasNot     []candidatePattern `json:"has_not"`
	Redactions *struct {
		Min   int
		Max   *int
		Turns []int
	}
	MaxWritten any `json:"max_written"` // of all, or of each kind
	Unchanged  bool
}

type candidatePattern struct {
	Decision any
	Kind     string
	Text     string `json:"text_matches"`
	Reason   string `json:"reason_matches"`
	Source   string `json:"source_matches"`
	Relation string `json:"relation_matches"`
	Target   string `json:"target_matches"`
	Tags     []string
}

type assertionPattern struct {
	Source      string `json:"source_matches"`
	Relation    string `json:"relation_matches"`
	Target      string `json:"target_matches"`
	Statement   string `json:"statement_matches"`
	Unqualified string `json:"unqualified_reason_matches"`
	Current     *bool
	Qualified   *bool
	ValidAt     json.RawMessage `json:"valid_at"`
	InvalidAt   json.RawMessage `json:"invalid_at"`
	MaxCount    int             `json:"max_count"`
	EitherWay   bool            `json:"either_way"`
	Tags        []string
}

func TestCases(t *testing.T) {
	for _, file := range []string{"formation", "everyday"} {
		t.Run(file, func(t *testing.T) { playAll(t, readCases(t, "testdata/"+file+".json")) })
	}
}

func readCases(t *testing.T, file string) []formationCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A secret is written in pieces, so that scanners leave the file alone.
	joined := regexp.MustCompile(`\{\{join:([^{}]*)\}\}`).ReplaceAllFunc(data, func(b []byte) []byte {
		return []byte(strings.ReplaceAll(string(b[len("{{join:"):len(b)-2]), "|", ""))
	})
	var cases []formationCase
	if err := json.Unmarshal(joined, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func playAll(t *testing.T, cases []formationCase) {
	held, of := 0, 0
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			p := player{T: t, w: newWorkspace(t)}
			p.play(c)
			held, of = held+p.held, of+p.of
		})
	}
	t.Logf("optional expectations: %d of %d", held, of)
}

type player struct {
	*testing.T
	w        *workspace
	held, of int
}

// need reports what does not hold, or only counts it when it is optional.
func (p *player) need(ok bool, tags []string, format string, args ...any) {
	p.Helper()
	if len(tags) > 0 {
		p.of++
		if ok {
			p.held++
		} else {
			p.Logf("optional: "+format, args...)
		}
		return
	}
	if !ok {
		p.Errorf(format, args...)
	}
}

func (p *player) play(c formationCase) {
	for i, s := range c.Steps {
		before := p.w.show()
		out, found := p.w.say(s.Turns, s.ObservedAt, nil)
		p.step(fmt.Sprintf("step %d", i+1), s.Expect, out, found)
		if s.Expect.Unchanged && before != p.w.show() {
			p.Errorf("step %d changed what is held:\n%s\n%s", i+1, before, p.w.show())
		}
	}
	for _, a := range c.Then.Assertions {
		p.need(len(p.w.matching(a)) > 0, a.Tags, "no assertion %+v; held:\n%s", a, p.w.show())
	}
	for _, a := range c.Then.NoAssertions {
		found := p.w.matching(a)
		p.need(len(found) <= a.MaxCount, a.Tags, "an assertion %+v; held:\n%s", a, p.w.show())
	}
	everything, _ := json.Marshal([]any{p.w.passages, p.w.entities, p.w.assertions, p.w.formed})
	for _, pattern := range c.Then.Absent {
		if hit(pattern, string(everything)) {
			p.Errorf("%q appears", pattern)
		}
	}
}

func (p *player) step(where string, e expectation, out memory.Outcome, found []api.Redaction) {
	state := "finished"
	if out.Writes().Total() == 0 {
		state = "nothing_written"
	}
	if e.State != "" && e.State != "any" && e.State != state {
		p.Errorf("%s: the outcome is %s, not %s (%+v)", where, state, e.State, out.Writes())
	}
	for _, want := range e.Has {
		p.need(want.in(out.Candidates), want.Tags, "%s: no candidate %+v; candidates: %s", where, want, shown(out.Candidates))
	}
	for _, want := range e.HasNot {
		p.need(!want.in(out.Candidates), want.Tags, "%s: a candidate %+v; candidates: %s", where, want, shown(out.Candidates))
	}
	if !sparing(e.MaxWritten, out.Writes()) {
		p.Errorf("%s: %+v is written, at most %v was to be", where, out.Writes(), e.MaxWritten)
	}
	if e.Redactions == nil {
		return
	}
	count, turns := 0, map[int]bool{}
	for _, r := range found {
		count += r.Count
		turns[r.Turn] = true
	}
	if count < e.Redactions.Min || e.Redactions.Max != nil && count > *e.Redactions.Max {
		p.Errorf("%s: %d redactions: %v", where, count, found)
	}
	for _, turn := range e.Redactions.Turns {
		if !turns[turn] {
			p.Errorf("%s: no redaction in turn %d", where, turn)
		}
	}
}

// sparing says whether no more is written than allowed.
func sparing(most any, w api.Writes) bool {
	switch m := most.(type) {
	case float64:
		return w.Total() <= int(m)
	case map[string]any:
		of := map[string]int{"passages": w.Passages, "entities": w.Entities, "assertions": w.Assertions, "supersessions": w.Supersessions}
		for kind, n := range m {
			if f, ok := n.(float64); !ok || of[kind] > int(f) {
				return false
			}
		}
	}
	return true
}

func (want candidatePattern) in(candidates []api.Candidate) bool {
	for _, c := range candidates {
		if want.matches(c) {
			return true
		}
	}
	return false
}

func (want candidatePattern) matches(c api.Candidate) bool {
	switch d := want.Decision.(type) {
	case string:
		if d != string(c.Decision) {
			return false
		}
	case []any:
		if !strings.Contains(fmt.Sprint(d...), string(c.Decision)) {
			return false
		}
	}
	return (want.Kind == "" || want.Kind == string(c.Kind)) &&
		hit(want.Text, strings.Join([]string{c.Text, c.Source, c.Relation, c.Target}, " ")) &&
		hit(want.Reason, c.Reason) && hit(want.Source, c.Source) && hit(want.Relation, c.Relation) && hit(want.Target, c.Target)
}

func (w *workspace) matching(want assertionPattern) []api.Assertion {
	return w.where(func(a api.Assertion) bool {
		memory.Qualify(&a, w.now)
		source, target := w.entities[a.Source].Name, w.entities[a.Target].Name
		ends := hit(want.Source, source) && hit(want.Target, target) || want.EitherWay && hit(want.Source, target) && hit(want.Target, source)
		current := a.ExpiredAt == nil && (a.InvalidAt == nil || a.InvalidAt.After(w.now)) && (a.ValidAt == nil || !a.ValidAt.After(w.now))
		return ends && hit(want.Relation, a.Relation) && hit(want.Statement, a.Statement) && hit(want.Unqualified, a.UnqualifiedReason) &&
			(want.Current == nil || *want.Current == current) && (want.Qualified == nil || *want.Qualified == a.Qualified) &&
			within(want.ValidAt, a.ValidAt) && within(want.InvalidAt, a.InvalidAt)
	})
}

func within(want json.RawMessage, at *time.Time) bool {
	if want == nil {
		return true
	}
	var window *struct{ From, To time.Time }
	if err := json.Unmarshal(want, &window); err != nil {
		return false
	}
	if window == nil || at == nil {
		return window == nil && at == nil
	}
	return !at.Before(window.From) && !at.After(window.To)
}

// hit matches a pattern of the cases, which are written for a dialect that knows "not followed by".
func hit(pattern, text string) bool {
	if not, ok := strings.CutPrefix(pattern, "^(?!.*("); ok {
		not, _, _ = strings.Cut(not, ")).*$")
		return !regexp.MustCompile("(?is)" + not).MatchString(text)
	}
	if strings.HasPrefix(pattern, `\u001b`) {
		pattern = `\x1b` + pattern[len(`\u001b`):]
	}
	return pattern == "" || regexp.MustCompile("(?is)"+pattern).MatchString(text)
}

func (w *workspace) show() string {
	var b strings.Builder
	for _, a := range w.assertions {
		memory.Qualify(&a, w.now)
		fmt.Fprintf(&b, "(%s | %s | %s) from %v to %v, expired %v, %q\n", w.entities[a.Source].Name, a.Relation, w.entities[a.Target].Name,
			a.ValidAt, a.InvalidAt, a.ExpiredAt, a.UnqualifiedReason)
	}
	return fmt.Sprintf("%d passages\n%s", len(w.passages), b.String())
}

func shown(candidates []api.Candidate) string {
	var b strings.Builder
	for _, c := range candidates {
		fmt.Fprintf(&b, "\n  %s %s %.90q %s", c.Kind, c.Decision, c.Text, c.Reason)
	}
	return b.String()
}
