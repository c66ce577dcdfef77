package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/plain"
	"github.com/lukasa-dev/lukasa/api/server/internal/reconcile"
	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
)

// viaImport is the source of conversations that did not take place when they were submitted.
const viaImport = "import"

// Former writes what a formation decided, see [memory.FormationStore].
type Former interface {
	Form(ctx context.Context, job *memory.Job, now time.Time, decide memory.Decide) error
}

// Consultant shows what a workspace holds, see [memory.FormationStore].
type Consultant interface {
	Consult(ctx context.Context, workspace string, decide memory.Decide) (memory.Outcome, error)
}

// Pipeline makes memories out of conversations. It is safe for concurrent use.
type Pipeline struct {
	extractor extract.Extractor
}

// New returns a pipeline that finds claims with an extractor.
func New(extractor extract.Extractor) *Pipeline { return &Pipeline{extractor: extractor} }

// Extractor names what finds the claims.
func (p *Pipeline) Extractor() api.Extractor { return extract.Info(p.extractor) }

// Form makes memories out of a leased formation and commits them with its outcome. What can be found without looking
// at the store is found before the transaction begins.
func (p *Pipeline) Form(ctx context.Context, store Former, job *memory.Job, now time.Time) error {
	input, err := p.read(ctx, job.Submission, now)
	if err != nil {
		return err
	}
	return store.Form(ctx, job, now, decide(input))
}

// Plan returns what Form would write of a submission.
func (p *Pipeline) Plan(ctx context.Context, store Consultant, workspace string, s memory.Submission) (memory.Outcome, error) {
	input, err := p.read(ctx, s, s.SubmittedAt)
	if err != nil {
		return memory.Outcome{}, err
	}
	return store.Consult(ctx, workspace, decide(input))
}

func decide(input reconcile.Input) memory.Decide {
	return func(ctx context.Context, held memory.Held) (out memory.Outcome, err error) {
		defer recovered("reconciling", &err)
		out, err = reconcile.Decide(ctx, held, input)
		if err != nil {
			return memory.Outcome{}, fmt.Errorf("reconciling: %w", err)
		}
		return out, nil
	}
}

// read finds passages and claims.
func (p *Pipeline) read(ctx context.Context, s memory.Submission, now time.Time) (in reconcile.Input, err error) {
	defer recovered("reading the conversation", &err)
	turns := slices.Clone(s.Turns)
	for i := range turns {
		turns[i].Content = plain.Text(turns[i].Content)
	}
	observed, dated := observedAt(s)
	claims, err := p.extractor.Extract(ctx, extract.Conversation{Turns: turns, ObservedAt: observed})
	if err != nil {
		return in, fmt.Errorf("extracting claims: %w", err)
	}
	return reconcile.Input{
		Handle: s.Handle, ObservedAt: observed, Dated: dated, Now: now,
		Segments: segment.Turns(turns), Claims: claims, Extractor: p.Extractor(),
	}, ctx.Err()
}

// observedAt says when a conversation took place, and whether that is known: one that was imported without a date took
// place at some time before.
func observedAt(s memory.Submission) (at time.Time, dated bool) {
	if s.ObservedAt != nil {
		return *s.ObservedAt, true
	}
	return s.SubmittedAt.UTC(), s.Source == nil || s.Source.Via != viaImport
}

// panicError is a panic in a rule: the conversation fails, not the process.
type panicError struct {
	doing string
	value any
	stack []byte
}

// Error has the stack for the log, and the value only when the runtime made it: another might hold content.
func (e *panicError) Error() string {
	if err, ok := e.value.(runtime.Error); ok {
		return fmt.Sprintf("%s: panic: %v\n%s", e.doing, err, e.stack)
	}
	return fmt.Sprintf("%s: panic: a %T\n%s", e.doing, e.value, e.stack)
}

// Reason tells people what happened, without content.
func (e *panicError) Reason() string { return "a fault in the server while " + e.doing }

func recovered(doing string, err *error) {
	if v := recover(); v != nil {
		*err = &panicError{doing, v, debug.Stack()}
	}
}
