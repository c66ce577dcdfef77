package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
)

// rememberIn forms one conversation with a passage for each text.
func rememberIn(t *testing.T, store *sqlite.Store, ws string, texts ...string) (ids []string) {
	t.Helper()
	s := submission(strings.Join(texts, "\n"))
	if _, _, err := store.Submit(t.Context(), ws, s); err != nil {
		t.Fatal(err)
	}
	job, err := store.Lease(t.Context(), "me", time.Now(), time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	var o memory.Outcome
	for i, text := range texts {
		id := memory.PassageID("user", text)
		ids = append(ids, id)
		o.Passages = append(o.Passages, memory.NewPassage{Passage: api.Passage{
			ID: id, Text: text, Role: "user", Turn: i, Formation: s.Handle, SaidAt: time.Now(),
		}})
		o.Candidates = append(o.Candidates, api.Candidate{ID: id, Kind: api.KindFact, Text: text, Turns: []int{i}})
		if i > 0 {
			o.Passages[i].Prev, o.Passages[i-1].Next = ids[i-1], id
		}
	}
	err = store.Form(t.Context(), job, time.Now(), func(context.Context, memory.Held) (memory.Outcome, error) { return o, nil })
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// wantOnDisk looks for words in the bytes of the file and of its log.
func wantOnDisk(t *testing.T, path string, want bool, words ...string) {
	t.Helper()
	var all []byte
	for _, name := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bytes.ToLower(b)...)
	}
	for _, word := range words {
		if bytes.Contains(all, []byte(word)) != want {
			t.Errorf("%q is on disk: %v, want %v", word, !want, want)
		}
	}
}

func TestForgottenWordsLeaveTheDisk(t *testing.T) {
	path, store := demo(t)
	for i := range 30 {
		rememberIn(t, store, "demo", fmt.Sprintf("ordinary talk %d", i), fmt.Sprintf("about matters %d", i))
	}
	ids := rememberIn(t, store, "demo", "before it", "the xylophone of Quetzalcoatl", "after it")
	wantOnDisk(t, path, true, "quetzalcoatl", "xylophon")
	if _, err := store.Forget(t.Context(), "demo", ids[1], time.Now()); err != nil {
		t.Fatal(err)
	}
	wantOnDisk(t, path, false, "quetzalcoatl", "xylophon")
	wantOnDisk(t, path, true, "ordinary", "before it", "after it")
}

func TestErasedWorkspaceLeavesTheDisk(t *testing.T) {
	path, store := demo(t)
	if _, err := store.CreateWorkspace(t.Context(), "other", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		rememberIn(t, store, "demo", fmt.Sprintf("the xylophone %d of Quetzalcoatl", i), "that is all")
		rememberIn(t, store, "other", fmt.Sprintf("ordinary talk %d", i))
	}
	if _, _, err := store.Submit(t.Context(), "demo", submission("a queued piccolo")); err != nil {
		t.Fatal(err)
	}
	wantOnDisk(t, path, true, "quetzalcoatl", "xylophon", "piccolo")
	if _, err := store.DeleteWorkspace(t.Context(), "demo", time.Now()); err != nil {
		t.Fatal(err)
	}
	wantOnDisk(t, path, false, "quetzalcoatl", "xylophon", "piccolo")
	wantOnDisk(t, path, true, "ordinary")
	if _, err := raw(t, path).Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`); err != nil {
		t.Errorf("the index: %v", err)
	}
}

func TestFormedTurnsLeaveTheDisk(t *testing.T) {
	path, store := demo(t)
	s := submission("only steering, piccolo")
	if _, _, err := store.Submit(t.Context(), "demo", s); err != nil {
		t.Fatal(err)
	}
	job, err := store.Lease(t.Context(), "me", time.Now(), time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, memory.Held) (memory.Outcome, error) { return memory.Outcome{}, nil }
	if err := store.Form(t.Context(), job, time.Now(), nothing); err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, path).Exec(`PRAGMA wal_checkpoint(truncate)`); err != nil {
		t.Fatal(err)
	}
	wantOnDisk(t, path, false, "piccolo")
}
