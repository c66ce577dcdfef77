package server

import (
	"fmt"
	"net/http"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/redact"
	"github.com/lukasa-dev/lukasa/formation"
)

func submitFormation(c *call) error {
	submission, err := c.readSubmission()
	if err != nil {
		return err
	}
	if handle := c.r.PathValue("handle"); handle != submission.Handle {
		return newError(api.CodeHandleMismatch, "the handle of these turns is %s, not %s", submission.Handle, quoted(handle))
	}
	f, accepted, err := c.store.Submit(c.ctx(), c.workspace, submission)
	if err != nil {
		return c.missingWorkspace(err)
	}
	if !accepted {
		return c.reply(http.StatusOK, completeFormation(f))
	}
	c.board.Submitted()
	c.w.Header().Set("Location", "/v1/workspaces/"+c.workspace+"/formations/"+f.Handle)
	return c.reply(http.StatusAccepted, completeFormation(f))
}

// readSubmission reads a conversation and takes the secrets out of it, before anything is done with it: neither the
// store's file nor its log ever holds one.
func (c *call) readSubmission() (memory.Submission, error) {
	v, err := c.readBody()
	if err != nil {
		return memory.Submission{}, err
	}
	body, err := decodeFormation(v)
	if err != nil {
		return memory.Submission{}, err
	}
	turns, redactions := redact.Turns(body.Turns)
	return memory.Submission{
		Handle: formation.Handle(body.Turns, body.ObservedAt), Turns: turns, Redactions: redactions,
		ObservedAt: body.ObservedAt, SubmittedAt: now(), Source: body.Source,
	}, nil
}

func planFormation(c *call) error {
	submission, err := c.readSubmission()
	if err != nil {
		return err
	}
	outcome, err := c.former.Plan(c.ctx(), c.workspace, submission)
	if err != nil {
		return c.missingWorkspace(err)
	}
	return c.reply(http.StatusOK, api.Plan{
		Handle: submission.Handle, Extractor: outcome.Extractor, Candidates: completeCandidates(outcome.Candidates),
		Decisions: api.CountDecisions(outcome.Candidates), Writes: outcome.Writes(),
		Redactions: filled(submission.Redactions),
	})
}

func getFormation(c *call) error {
	handle := c.r.PathValue("handle")
	wait, preferred := preferredWait(c.r.Header)
	if !formation.ValidHandle(handle) {
		return c.missing(memory.ErrNotFound, "formation", handle)
	}
	f, err := c.awaitFormation(handle, wait)
	if err != nil {
		return c.missing(err, "formation", handle)
	}
	if preferred {
		c.w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", wait/time.Second))
	}
	return c.reply(http.StatusOK, completeFormation(f))
}

func listFormations(c *call) error {
	state := api.FormationState(c.query.Get("state"))
	switch state {
	case api.FormationQueued, api.FormationRunning, api.FormationFinished, api.FormationFailed:
	default:
		if c.query.Has("state") {
			return badParameter("state", "must be one of queued, running, finished, failed")
		}
	}
	p := newPager("formations", c.workspace, string(state))
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Formations(c.ctx(), c.workspace, state, page)
	if err != nil {
		return c.missingWorkspace(err)
	}
	for i := range list {
		list[i] = completeFormation(list[i])
	}
	return c.reply(http.StatusOK, api.FormationPage{Formations: filled(list), NextPageToken: p.token(next)})
}

func completeFormation(f api.Formation) api.Formation {
	f.Candidates, f.Redactions = completeCandidates(f.Candidates), filled(f.Redactions)
	return f
}

func completeCandidates(list []api.Candidate) []api.Candidate {
	for i := range list {
		list[i].Turns = filled(list[i].Turns)
	}
	return filled(list)
}
