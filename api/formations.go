package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/lukasa-dev/lukasa/formation"
)

// MaxWait is the longest time for which the API holds a request for a formation's outcome.
const MaxWait = 30 * time.Second

// The pauses of [FormationsService.Wait] after an answer that was not held, as that of an API that ignores the wish.
const (
	minPoll = 200 * time.Millisecond
	maxPoll = 5 * time.Second
)

// FormationsService submits conversations and tells what became of them.
type FormationsService struct{ c *Client }

// FormationListOptions chooses a page of formations.
type FormationListOptions struct {
	State     FormationState // "" means any
	PageSize  int            // 1–200; 0 leaves it to the API
	PageToken string
}

// Submit sends a conversation under the handle that its turns have. When it returns without an error, the conversation
// is durable. Sending the same again makes nothing twice. Turns that can't be a conversation are refused before
// anything is sent, with an error that wraps [ErrInvalidTurns] or [ErrTooLarge] and a [formation.TurnError].
func (s *FormationsService) Submit(ctx context.Context, workspace string, f SubmitFormation) (*Formation, error) {
	if err := checkTurns(f.Turns); err != nil {
		return nil, err
	}
	path, err := route("workspaces", workspace, "formations", formation.Handle(f.Turns, f.ObservedAt))
	if err != nil {
		return nil, err
	}
	return send[Formation](ctx, s.c, call{method: http.MethodPut, path: path, body: f})
}

// Plan returns what a submission would decide, and writes nothing. It is never repeated by itself.
func (s *FormationsService) Plan(ctx context.Context, workspace string, f SubmitFormation) (*Plan, error) {
	if err := checkTurns(f.Turns); err != nil {
		return nil, err
	}
	path, err := route("workspaces", workspace, "formations:plan")
	if err != nil {
		return nil, err
	}
	return send[Plan](ctx, s.c, call{method: http.MethodPost, path: path, body: f})
}

func checkTurns(turns []Turn) error {
	err := formation.CheckTurns(turns)
	if err == nil {
		return nil
	}
	if t, ok := errors.AsType[*formation.TurnError](err); ok && t.TooLarge {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return fmt.Errorf("%w: %w", ErrInvalidTurns, err)
}

// Get returns a formation as it is now.
func (s *FormationsService) Get(ctx context.Context, workspace, handle string) (*Formation, error) {
	return s.GetWait(ctx, workspace, handle, 0)
}

// GetWait returns a formation when it has ended, or as it is after wait. The API counts in whole seconds, up to
// [MaxWait]: wait is rounded up, and cut to that.
func (s *FormationsService) GetWait(ctx context.Context, workspace, handle string, wait time.Duration) (*Formation, error) {
	path, err := route("workspaces", workspace, "formations", handle)
	if err != nil {
		return nil, err
	}
	k := call{method: http.MethodGet, path: path}
	if wait > 0 {
		seconds := (min(wait, MaxWait) + time.Second - 1) / time.Second
		k.prefer = "wait=" + strconv.Itoa(int(seconds))
	}
	return send[Formation](ctx, s.c, k)
}

// Wait returns a formation when it has ended, finished or failed. A formation that failed is no error. Wait ends early
// with ctx, or with an error that repeating the request did not mend.
func (s *FormationsService) Wait(ctx context.Context, workspace, handle string) (*Formation, error) {
	pause := minPoll
	for {
		asked := time.Now()
		f, err := s.GetWait(ctx, workspace, handle, MaxWait)
		if err != nil || f.State.Ended() {
			return f, err
		}
		if time.Since(asked) >= maxPoll { // it was held
			pause = minPoll
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for formation %s: %w", handle, ctx.Err())
		case <-time.After(pause):
		}
		pause = min(2*pause, maxPoll)
	}
}

// List returns a page of a workspace's formations, newest first.
func (s *FormationsService) List(ctx context.Context, workspace string, opts FormationListOptions) (*FormationPage, error) {
	path, err := route("workspaces", workspace, "formations")
	if err != nil {
		return nil, err
	}
	return send[FormationPage](ctx, s.c, call{method: http.MethodGet, path: path, query: opts.query()})
}

// All iterates over a workspace's formations, newest first, and ends with the first error.
func (s *FormationsService) All(ctx context.Context, workspace string, opts FormationListOptions) iter.Seq2[Formation, error] {
	list := func(o ListOptions) (*FormationPage, error) {
		return s.List(ctx, workspace, FormationListOptions{State: opts.State, PageSize: o.PageSize, PageToken: o.PageToken})
	}
	seq := pages(opts.page(), list, func(p *FormationPage) string { return p.NextPageToken })
	return items(seq, func(p *FormationPage) []Formation { return p.Formations })
}

func (o FormationListOptions) page() ListOptions {
	return ListOptions{PageSize: o.PageSize, PageToken: o.PageToken}
}

func (o FormationListOptions) query() url.Values {
	q := o.page().query()
	if o.State != "" {
		q.Set("state", string(o.State))
	}
	return q
}
