package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// together runs do n times at once and reports every error.
func together(t *testing.T, n int, do func(i int) error) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if err := do(i); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// testConcurrentSubmissions submits the same conversations from several sides: each is accepted once.
func testConcurrentSubmissions(t *testing.T, f *fixture) {
	const sides, conversations = 6, 15
	f.workspace(t, "demo")
	var mu sync.Mutex
	accepted := make(map[string]int)
	together(t, sides, func(side int) error {
		for i := range conversations {
			s := conversation(start, fmt.Sprintf("text %d", (i+side)%conversations))
			_, ok, err := f.Submit(t.Context(), "demo", s)
			if err != nil {
				return err
			}
			mu.Lock()
			if ok {
				accepted[s.Handle]++
			}
			mu.Unlock()
		}
		return nil
	})
	if len(accepted) != conversations {
		t.Errorf("%d conversations were accepted, want %d", len(accepted), conversations)
	}
	for handle, n := range accepted {
		if n != 1 {
			t.Errorf("%s was accepted %d times", handle, n)
		}
	}
	depth, _, err := f.QueueDepth(t.Context())
	if depth != conversations || err != nil {
		t.Errorf("queue: %d, %v; want %d", depth, err, conversations)
	}
}

// testConcurrentWorkers forms two workspaces with several workers while more comes in: each conversation once, and
// never two of a workspace at a time.
func testConcurrentWorkers(t *testing.T, f *fixture) {
	const workers, each = 5, 12
	spaces := []string{"a", "b"}
	for _, ws := range spaces {
		f.workspace(t, ws)
	}
	at := f.now
	var mu sync.Mutex
	formed, busy, left := make(map[string]int), make(map[string]int), len(spaces)*each
	take := func(me string) (done bool, err error) {
		job, err := f.Lease(t.Context(), me, at, at.Add(term))
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			return left == 0, ignore(err, memory.ErrNoJob)
		}
		mu.Lock()
		if busy[job.Workspace]++; busy[job.Workspace] > 1 {
			t.Errorf("two formations of %s run at a time", job.Workspace)
		}
		mu.Unlock()
		return false, f.Form(t.Context(), job, at, func(ctx context.Context, held memory.Held) (memory.Outcome, error) {
			mu.Lock()
			defer mu.Unlock()
			formed[job.Workspace+job.Handle]++
			busy[job.Workspace]--
			left--
			return passagesOf(job.Submission, at), nil
		})
	}
	together(t, workers+len(spaces), func(i int) error {
		if i < len(spaces) {
			for n := range each {
				if _, _, err := f.Submit(t.Context(), spaces[i], conversation(at, fmt.Sprintf("text %d", n))); err != nil {
					return err
				}
			}
			return nil
		}
		for {
			if done, err := take(fmt.Sprintf("worker %d", i)); done || err != nil {
				return err
			}
		}
	})
	for key, n := range formed {
		if n != 1 {
			t.Errorf("%s was formed %d times", key, n)
		}
	}
	for _, ws := range spaces {
		wantEqual(t, "counts of "+ws, f.counts(t, ws), api.WorkspaceCounts{Passages: each, Formations: each})
	}
}

func ignore(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// testCancelled calls with a context that has ended: an error, and nothing written.
func testCancelled(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := f.Submit(ended, "demo", conversation(start, "x"))
	wantErr(t, "submitting", err, context.Canceled)
	_, err = f.Workspace(ended, "demo")
	wantErr(t, "reading", err, context.Canceled)
	s := f.submit(t, "demo", "y")
	job := f.lease(t)
	during, cancel := context.WithCancel(t.Context())
	err = f.Form(during, job, f.now, func(context.Context, memory.Held) (memory.Outcome, error) {
		cancel()
		return passagesOf(s, f.now), nil
	})
	wantErr(t, "forming", err, context.Canceled)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Formations: 1})
	wantErr(t, "forming afterwards", f.Form(t.Context(), job, f.now, always(passagesOf(s, f.now))), nil)
}
