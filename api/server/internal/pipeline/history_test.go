package pipeline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/pipeline"
)

// chat is a conversation of n turns of which each says something of its own, and every other one states a fact.
func chat(n int) []api.Turn {
	turns := make([]api.Turn, n)
	for i := range turns {
		turns[i] = api.Turn{Role: "user", Content: fmt.Sprintf("I use tool-%d for step %d of the import.", i, i)}
		if i%2 == 1 {
			turns[i] = api.Turn{Role: "assistant", Content: fmt.Sprintf("Step %d then reads batch-%d.", i, i)}
		}
	}
	return turns
}

// An agent sends its transcript again and again as it grows, and every time as of now.
func TestAGrowingTranscriptStoresEachStatementOnce(t *testing.T) {
	w := newWorkspace(t)
	all := chat(200)
	begun := *at("2025-06-01T10:00:00Z")
	for n := 10; n <= len(all); n += 10 {
		now := begun.Add(time.Duration(n) * time.Minute)
		out, _ := w.say(all[:n], &now, nil)
		if got := out.Writes(); got.Passages != 10 || got.Assertions != 5 || got.Supersessions != 0 {
			t.Errorf("%d turns: %+v is written", n, got)
		}
	}
	if len(w.passages) != 200 || len(w.assertions) != 100 {
		t.Errorf("%d passages and %d assertions are held, want 200 and 100", len(w.passages), len(w.assertions))
	}
}

// A window that slides over a transcript overlaps with what was sent before.
func TestOverlappingTranscriptsStoreEachStatementOnce(t *testing.T) {
	w := newWorkspace(t)
	all := chat(60)
	for from := 0; from+20 <= len(all); from += 5 {
		now := at("2025-06-01T10:00:00Z").Add(time.Duration(from) * time.Minute)
		w.say(all[from:from+20], &now, nil)
	}
	if len(w.passages) != 60 || len(w.assertions) != 30 {
		t.Errorf("%d passages and %d assertions are held, want 60 and 30", len(w.passages), len(w.assertions))
	}
}

// wordings are ways to say where one lives: as it is, as a change, as a past, as an end, as a guess.
var wordings = []string{
	"I live in %s.", "I'm based in %s now", "I moved to %s last month", "I've lived in %s since %d", "I moved back to %s in March %d",
	"I lived in %s from %d to %d", "I don't live in %s anymore", "I left, I no longer live in %s", "I think I live in %s", "I'm moving to %s next month",
	"Anna says I live in %s", "no wait, I live in %s",
}

func homes(r *rand.Rand) string {
	wording := wordings[r.IntN(len(wordings))]
	place := []string{"Oslo", "Ghent", "Porto", "Turin", "Lyon"}[r.IntN(5)]
	year := 2016 + r.IntN(9)
	args := []any{place, year, year + 1 + r.IntN(3)}
	return fmt.Sprintf(wording, args[:strings.Count(wording, "%")]...)
}

// Whatever is told in whatever order, what is held of a relation that has one target at a time is a line: its windows
// don't overlap, at most one is open, and nothing that was held goes away or changes but in its end.
func TestHistoryIsALine(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorkspace(t)
		var told []string
		for range 12 {
			observed := time.Date(2016+r.IntN(10), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), 0, 0, 0, time.UTC)
			var source *api.Source
			if r.IntN(6) == 0 {
				source = &api.Source{Via: "import"}
			}
			when := &observed
			if r.IntN(8) == 0 {
				when = nil
			}
			text := homes(r)
			told = append(told, fmt.Sprintf("%s %s", observed.Format(time.DateOnly), text))
			before := append([]api.Assertion(nil), w.assertions...)
			w.say(said(text), when, source)
			unchanged(t, before, w.assertions)
			if wrong := crooked(w); wrong != "" {
				t.Fatalf("seed %d: %s\ntold:\n%s\nheld:\n%s", seed, wrong, strings.Join(told, "\n"), w.show())
			}
		}
	}
}

// unchanged makes sure that what was held is held still, and that what had ended has the same end.
func unchanged(t *testing.T, before, after []api.Assertion) {
	t.Helper()
	for i, b := range before {
		a := after[i]
		if b.ExpiredAt != nil && (a.ExpiredAt == nil || !a.ExpiredAt.Equal(*b.ExpiredAt) || !a.InvalidAt.Equal(*b.InvalidAt)) {
			t.Fatalf("the end of %q changed", b.Statement)
		}
		if a.ID != b.ID || a.Statement != b.Statement || a.Passage != b.Passage || a.ValidAt != b.ValidAt || !a.AssertedAt.Equal(b.AssertedAt) {
			t.Fatalf("%+v became %+v", b, a)
		}
	}
}

// crooked says what is wrong with the line of the user's homes, as far as they are facts, or "".
func crooked(w *workspace) string {
	facts := w.where(func(a api.Assertion) bool {
		return a.Relation == "lives_in" && a.UnqualifiedReason == "" && a.ValidAt != nil
	})
	open := 0
	for i, a := range facts {
		if a.InvalidAt == nil {
			open++
		}
		for _, b := range facts[:i] {
			if overlap(a, b) {
				return fmt.Sprintf("%q and %q overlap", a.Statement, b.Statement)
			}
		}
	}
	if open > 1 {
		return fmt.Sprintf("%d are open", open)
	}
	return ""
}

func overlap(a, b api.Assertion) bool {
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	endOf := func(x api.Assertion) time.Time {
		if x.InvalidAt == nil {
			return far
		}
		return *x.InvalidAt
	}
	if !a.ValidAt.Before(endOf(a)) || !b.ValidAt.Before(endOf(b)) {
		return false // it never held
	}
	return a.ValidAt.Before(endOf(b)) && b.ValidAt.Before(endOf(a))
}

// BenchmarkForm forms a conversation of 500 turns in a workspace that holds another one.
func BenchmarkForm(b *testing.B) {
	turns := make([]api.Turn, 500)
	for i := range turns {
		turns[i] = api.Turn{Role: "user", Content: fmt.Sprintf("I use tool-%d for step %d. We moved the job-%d deadline to May %d, "+
			"since the cluster in eu-west-%d was slow again, and Priya owns service-%d now.\nany idea why it fails?", i, i, i, i%28+1, i%4, i)}
		if i%2 == 1 {
			turns[i] = api.Turn{Role: "assistant", Content: strings.Repeat(fmt.Sprintf("You could look at the log of step %d. ", i), 12)}
		}
	}
	p := pipeline.New(extract.NewRules())
	held := newWorkspace(nil)
	first := &memory.Job{Submission: memory.Submission{Handle: "fm_a", Turns: chat(500), SubmittedAt: held.now}}
	if err := p.Form(b.Context(), held, first, held.now); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w := *held
		job := &memory.Job{Submission: memory.Submission{Handle: "fm_b", Turns: turns, SubmittedAt: held.now}}
		if _, err := p.Plan(b.Context(), &w, "w", job.Submission); err != nil {
			b.Fatal(err)
		}
	}
}

// What ends or replaces what is held, and what only looks like it: testdata/changes.txt.
func TestWhatIsAChange(t *testing.T) {
	data, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		part := strings.Split(strings.TrimSpace(line), " | ")
		if len(part) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		w := newWorkspace(t)
		w.say(said(part[0]), at("2025-02-01T10:00:00Z"), nil)
		if len(w.assertions) == 0 {
			t.Errorf("nothing is held of %q", part[0])
		}
		out, _ := w.say(said(part[1]), at("2025-06-04T10:00:00Z"), nil)
		if closes := len(out.Closures) > 0; closes != (part[2] == "yes") {
			t.Errorf("%q, then %q: closes something: %v; held:\n%s", part[0], part[1], closes, w.show())
		}
	}
}
