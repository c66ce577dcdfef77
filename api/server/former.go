package server

import (
	"context"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/jobs"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/pipeline"
)

// former makes memories out of conversations, or says what it would make.
type former interface {
	jobs.Former
	// Plan decides like Form, and writes nothing.
	Plan(ctx context.Context, workspace string, s memory.Submission) (memory.Outcome, error)
}

// rulesFormer forms with the rules that are in the binary.
type rulesFormer struct {
	pipeline *pipeline.Pipeline
	store    memory.Store
}

func newFormer(store memory.Store) former {
	return rulesFormer{pipeline: pipeline.New(extract.NewRules()), store: store}
}

// Form implements [jobs.Former].
func (f rulesFormer) Form(ctx context.Context, job *memory.Job, now time.Time) error {
	return f.pipeline.Form(ctx, f.store, job, now)
}

// Plan implements former.
func (f rulesFormer) Plan(ctx context.Context, workspace string, s memory.Submission) (memory.Outcome, error) {
	return f.pipeline.Plan(ctx, f.store, workspace, s)
}
