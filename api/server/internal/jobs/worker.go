package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Queue is the part of a store that a worker drives.
type Queue interface {
	Lease(ctx context.Context, owner string, now, until time.Time) (*memory.Job, error)
	Renew(ctx context.Context, job *memory.Job, until time.Time) error
	Release(ctx context.Context, owner string) error
	Postpone(ctx context.Context, job *memory.Job, reason string, at time.Time) error
	Fail(ctx context.Context, job *memory.Job, reason string, now time.Time) error
}

// Former makes memories out of a leased formation and commits them with its outcome. An error that has a method
// Reason() string tells people why in those words; any other is logged and shown as an internal error.
type Former interface {
	Form(ctx context.Context, job *memory.Job, now time.Time) error
}

// Options says how a [Worker] works. The zero value of a duration or count means its default.
type Options struct {
	Owner  string       // names the worker in leases; unique among all processes
	Board  *Board       // news of this process
	Logger *slog.Logger // never gets content
	// LeaseTime is how long another worker waits before it takes over from one that died; 6 s.
	LeaseTime time.Duration
	// Poll is how often an idle worker looks for what other processes left; 1 s.
	Poll time.Duration
	// MaxAttempts is how often a formation is tried before it fails for good; 5.
	MaxAttempts int
	// MaxLeases is how often a formation is leased at all, counting those whose worker died; 50. A conversation that
	// kills whoever touches it must not do so for ever.
	MaxLeases int
	// Backoff is the wait after the first failed attempt, doubled after each; 2 s.
	Backoff time.Duration
}

func (o Options) withDefaults() Options {
	defaultTo(&o.LeaseTime, 6*time.Second)
	defaultTo(&o.Poll, time.Second)
	defaultTo(&o.MaxAttempts, 5)
	defaultTo(&o.MaxLeases, 50)
	defaultTo(&o.Backoff, 2*time.Second)
	if o.Board == nil {
		o.Board = NewBoard()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func defaultTo[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Worker forms what waits in a queue, one formation at a time.
type Worker struct {
	queue  Queue
	former Former
	opts   Options
}

// NewWorker returns a worker that takes formations from queue and has former make them.
func NewWorker(queue Queue, former Former, opts Options) *Worker {
	return &Worker{queue: queue, former: former, opts: opts.withDefaults()}
}

// Run works until ctx ends, then hands back its lease.
func (w *Worker) Run(ctx context.Context) {
	defer w.release(ctx)
	for ctx.Err() == nil {
		worked, err := w.next(ctx)
		if err != nil && ctx.Err() == nil {
			w.opts.Logger.ErrorContext(ctx, "leasing a formation", "error", err)
		}
		if !worked {
			w.idle(ctx)
		}
	}
}

// Drain works until nothing waits that can be formed now. It returns the first error of the queue.
func (w *Worker) Drain(ctx context.Context) error {
	for {
		worked, err := w.next(ctx)
		if err != nil || !worked {
			return err
		}
	}
}

func (w *Worker) idle(ctx context.Context) {
	// Jitter keeps the processes that share a store from asking in step.
	timer := time.NewTimer(w.opts.Poll/2 + rand.N(w.opts.Poll))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-w.opts.Board.submitted:
	case <-timer.C:
	}
}

func (w *Worker) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := w.queue.Release(ctx, w.opts.Owner); err != nil {
		w.opts.Logger.ErrorContext(ctx, "handing back leases", "error", err)
	}
}

func (w *Worker) next(ctx context.Context) (worked bool, err error) {
	now := time.Now().UTC()
	job, err := w.queue.Lease(ctx, w.opts.Owner, now, now.Add(w.opts.LeaseTime))
	if errors.Is(err, memory.ErrNoJob) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.work(ctx, job)
	return true, nil
}

func (w *Worker) work(ctx context.Context, job *memory.Job) {
	log := w.opts.Logger.With("workspace", job.Workspace, "formation", job.Handle, "attempt", job.Attempt)
	if job.Attempt > w.opts.MaxLeases {
		w.settle(ctx, log, job, gaveUp(job.Attempt-1))
		return
	}
	forming, cancel := context.WithCancel(ctx)
	beat := make(chan struct{})
	go func() {
		defer close(beat)
		w.keep(forming, cancel, job)
	}()
	err := w.form(forming, job)
	cancel()
	<-beat
	switch {
	case err == nil:
		log.InfoContext(ctx, "formation finished")
		w.opts.Board.Ended(job.Workspace, job.Handle)
	case ctx.Err() != nil:
		log.InfoContext(ctx, "formation handed back")
	case errors.Is(err, memory.ErrLeaseLost), errors.Is(err, memory.ErrNotFound):
		// Another worker has it, or the workspace is gone: either way it isn't ours to end.
		log.InfoContext(ctx, "formation left alone", "reason", err)
		w.opts.Board.Ended(job.Workspace, job.Handle)
	default:
		w.settle(ctx, log, job, err)
	}
}

// form turns a panic into an error: one conversation must not end the process that serves all of them.
func (w *Worker) form(ctx context.Context, job *memory.Job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("forming: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return w.former.Form(ctx, job, time.Now().UTC())
}

// keep renews the lease until ctx ends, and cancels the work when the lease is lost.
func (w *Worker) keep(ctx context.Context, cancel context.CancelFunc, job *memory.Job) {
	ticker := time.NewTicker(w.opts.LeaseTime / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			err := w.queue.Renew(ctx, job, now.UTC().Add(w.opts.LeaseTime))
			if errors.Is(err, memory.ErrLeaseLost) || errors.Is(err, memory.ErrNotFound) {
				cancel()
				return
			}
		}
	}
}

// gaveUp is the error of a formation whose workers died this often.
type gaveUp int

func (n gaveUp) Error() string  { return fmt.Sprintf("given up after its worker died %d times", int(n)) }
func (n gaveUp) Reason() string { return n.Error() }

// reason is what people are told of err: its own words when it has a Reason method, else nothing of the internals.
func reason(err error) string {
	var r interface{ Reason() string }
	if errors.As(err, &r) {
		return r.Reason()
	}
	return "internal error"
}

// settle records a failed attempt: the formation waits for the next one, or has failed for good.
func (w *Worker) settle(ctx context.Context, log *slog.Logger, job *memory.Job, cause error) {
	var err error
	if job.Attempt < w.opts.MaxAttempts {
		wait := w.opts.Backoff << (job.Attempt - 1)
		log.WarnContext(ctx, "formation postponed", "error", cause, "wait", wait)
		err = w.queue.Postpone(ctx, job, reason(cause), time.Now().UTC().Add(wait))
	} else {
		log.ErrorContext(ctx, "formation failed", "error", cause)
		err = w.queue.Fail(ctx, job, reason(cause), time.Now().UTC())
		w.opts.Board.Ended(job.Workspace, job.Handle)
	}
	if err != nil && !errors.Is(err, memory.ErrLeaseLost) {
		log.ErrorContext(ctx, "recording a failed attempt", "error", err)
	}
}
