package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/jobs"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// queue is a queue in memory, so that a test's clock rules it.
type queue struct {
	mu       sync.Mutex
	waiting  []*memory.Job
	at       map[string]time.Time // not before
	leased   map[string]time.Time // until
	ended    map[string]string    // reason, "" when it finished
	renewals int
	released []string
	reasons  []string
	stolen   bool
}

func newQueue(handles ...string) *queue {
	q := &queue{at: map[string]time.Time{}, leased: map[string]time.Time{}, ended: map[string]string{}}
	for _, h := range handles {
		q.waiting = append(q.waiting, &memory.Job{Workspace: "w", Submission: memory.Submission{Handle: h}})
	}
	return q
}

func (q *queue) Lease(_ context.Context, owner string, now, until time.Time) (*memory.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.waiting {
		_, over := q.ended[j.Handle]
		if over || q.at[j.Handle].After(now) || q.leased[j.Handle].After(now) {
			continue
		}
		j.Attempt++
		j.Owner = owner
		q.leased[j.Handle] = until
		leased := *j
		return &leased, nil
	}
	return nil, memory.ErrNoJob
}

func (q *queue) Renew(_ context.Context, job *memory.Job, until time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stolen {
		return memory.ErrLeaseLost
	}
	q.renewals++
	q.leased[job.Handle] = until
	return nil
}

func (q *queue) Release(_ context.Context, owner string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.released = append(q.released, owner)
	clear(q.leased)
	return nil
}

func (q *queue) Postpone(_ context.Context, job *memory.Job, reason string, at time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stolen {
		return memory.ErrLeaseLost
	}
	q.reasons = append(q.reasons, reason)
	q.at[job.Handle] = at
	delete(q.leased, job.Handle)
	return nil
}

func (q *queue) Fail(_ context.Context, job *memory.Job, reason string, _ time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended[job.Handle] = reason
	return nil
}

func (q *queue) finish(handle string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended[handle] = ""
}

type formerFunc func(ctx context.Context, job *memory.Job) error

func (f formerFunc) Form(ctx context.Context, job *memory.Job, _ time.Time) error { return f(ctx, job) }

type told string

func (t told) Error() string  { return "secret internals: " + string(t) }
func (t told) Reason() string { return string(t) }

// run has a worker work for d of the bubble's time.
func run(t *testing.T, q *queue, former formerFunc, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	jobs.NewWorker(q, former, jobs.Options{Owner: "me"}).Run(ctx)
}

func TestWorkerFormsAllInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a", "b", "c")
		var got []string
		run(t, q, func(_ context.Context, job *memory.Job) error {
			got = append(got, job.Handle)
			q.finish(job.Handle)
			return nil
		}, time.Second)
		if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
			t.Errorf("formed %v, want %v", got, want)
		}
		if !slices.Equal(q.released, []string{"me"}) {
			t.Errorf("released %v, want the leases handed back once", q.released)
		}
	})
}

func TestWorkerRenewsWhileForming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("slow")
		run(t, q, func(_ context.Context, job *memory.Job) error {
			time.Sleep(20 * time.Second) // more than three leases
			q.finish(job.Handle)
			return nil
		}, 30*time.Second)
		if q.renewals < 9 || q.waiting[0].Attempt != 1 {
			t.Errorf("%d renewals, %d attempts; want the lease kept alive and one attempt", q.renewals, q.waiting[0].Attempt)
		}
	})
}

func TestWorkerLeavesALostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a")
		q.stolen = true
		run(t, q, func(ctx context.Context, _ *memory.Job) error {
			<-ctx.Done() // the worker notices at its next renewal
			q.finish("a")
			return ctx.Err()
		}, 10*time.Second)
		if q.ended["a"] != "" || len(q.reasons) != 0 {
			t.Errorf("ended %v, postponed %v; want another's formation left alone", q.ended, q.reasons)
		}
	})
}

func TestWorkerTriesAgainThenFails(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"an error with a reason": {fmt.Errorf("extracting: %w", told("the model is away")), "the model is away"},
		"an internal error":      {errors.New("SELECT secret FROM table"), "internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue("a")
				var at []time.Duration
				start := time.Now()
				run(t, q, func(context.Context, *memory.Job) error {
					at = append(at, time.Since(start))
					return tt.err
				}, 5*time.Minute)
				if q.ended["a"] != tt.want || len(at) != 5 || len(q.reasons) != 4 {
					t.Fatalf("ended %q after %d attempts and %d waits, want %q after 5 and 4", q.ended["a"], len(at), len(q.reasons), tt.want)
				}
				for i, least := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second} {
					if got := at[i+1] - at[i]; got < least {
						t.Errorf("wait %d took %v, want at least %v", i, got, least)
					}
				}
			})
		})
	}
}

func TestWorkerOutlivesAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("bad", "good")
		run(t, q, func(_ context.Context, job *memory.Job) error {
			if job.Handle == "bad" {
				panic("a rule's fault")
			}
			q.finish(job.Handle)
			return nil
		}, 5*time.Minute)
		if reason, ok := q.ended["bad"]; !ok || reason != "internal error" {
			t.Errorf("bad ended %q, %v", reason, ok)
		}
		if reason, ok := q.ended["good"]; !ok || reason != "" {
			t.Errorf("good ended %q, %v", reason, ok)
		}
	})
}

func TestWorkerGivesUpOnAKiller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a")
		q.waiting[0].Attempt = 50 // leased so often, never ended: whoever had it died
		run(t, q, func(context.Context, *memory.Job) error {
			t.Error("formed again")
			return nil
		}, time.Second)
		if !strings.Contains(q.ended["a"], "died 50 times") {
			t.Errorf("ended %q", q.ended["a"])
		}
	})
}

func TestWorkerWakesForNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, board := newQueue(), jobs.NewBoard()
		formed := make(chan time.Time, 1)
		worker := jobs.NewWorker(q, formerFunc(func(_ context.Context, job *memory.Job) error {
			q.finish(job.Handle)
			formed <- time.Now()
			return nil
		}), jobs.Options{Owner: "me", Board: board, Poll: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { worker.Run(ctx); close(done) }()
		synctest.Wait() // it sleeps: there is nothing to do

		start := time.Now()
		q.mu.Lock()
		q.waiting = append(q.waiting, &memory.Job{Workspace: "w", Submission: memory.Submission{Handle: "a"}})
		q.mu.Unlock()
		ended, stop := board.Watch("w", "a")
		defer stop()
		board.Submitted()
		if at := <-formed; !at.Equal(start) {
			t.Errorf("formed after %v, want at once", at.Sub(start))
		}
		<-ended
		cancel()
		<-done
	})
}

func TestDrainStopsWhenNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a", "b")
		n := 0
		err := jobs.NewWorker(q, formerFunc(func(_ context.Context, job *memory.Job) error {
			n++
			q.finish(job.Handle)
			return nil
		}), jobs.Options{Owner: "me"}).Drain(t.Context())
		if err != nil || n != 2 {
			t.Errorf("Drain formed %d (%v), want 2", n, err)
		}
	})
}

func TestBoardForgetsWatchers(t *testing.T) {
	board := jobs.NewBoard()
	first, stopFirst := board.Watch("w", "a")
	second, stopSecond := board.Watch("w", "a")
	other, stopOther := board.Watch("v", "a")
	stopFirst()
	board.Ended("w", "a")
	select {
	case <-second:
	default:
		t.Error("a watcher was not told")
	}
	for name, ch := range map[string]<-chan struct{}{"stopped": first, "another workspace's": other} {
		select {
		case <-ch:
			t.Errorf("the %s watcher was told", name)
		default:
		}
	}
	stopSecond()
	stopOther()
	board.Ended("v", "a") // nobody is there: nothing happens
}
