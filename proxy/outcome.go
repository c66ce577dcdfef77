package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

const (
	statusRunning = "running"
	statusUnknown = "unknown_handle"

	unknownNote = "This server did not submit that conversation since it was started, so it does not track it. The formation may well have completed: " +
		"look with recall_memory, or send the conversation again with remember_conversation, which resumes tracking and stores nothing twice."
	runningNote = "Memories are still being formed; ask again in a moment."
)

// outcome is what is kept of a formation that ended.
type outcome struct {
	Decisions  api.Decisions
	Candidates []api.Candidate
	Writes     api.Writes
	Error      string
}

// outcomeReply is the document of formation_outcome.
type outcomeReply struct {
	Handle     string          `json:"handle"`
	Status     string          `json:"status"`
	Decisions  api.Decisions   `json:"decisions"`
	Candidates []api.Candidate `json:"candidates"`
	Writes     api.Writes      `json:"writes"`
	Note       string          `json:"note,omitempty"`
	Truncated  bool            `json:"truncated,omitempty"`
}

// outcome is formation_outcome. A handle that this process did not submit costs no request.
func (t *tools) outcome(ctx context.Context, host peer, arguments json.RawMessage) (*toolReply, error) {
	handle, err := decodeHandle(arguments)
	if err != nil {
		return failed("formation_outcome was refused: " + sentence(err.Error())), nil
	}
	room := t.o.budgetFor(host.name)
	state, known, ok := t.tracker.Get(handle)
	switch {
	case !ok:
		return outcomeDocument(outcomeReply{Handle: handle, Status: statusUnknown, Note: unknownNote}, room)
	case state == formation.StateSubmitting && t.sending.has(handle):
		return outcomeDocument(outcomeReply{Handle: handle, Status: statusRunning, Note: runningNote}, room)
	case !state.Final():
		if state, known, err = t.ask(ctx, handle); err != nil {
			return t.askFailed(handle, state, err)
		}
	}
	return known.reply(handle, state, room)
}

// ask gets the formation from the API, and keeps its outcome when it has one.
func (t *tools) ask(ctx context.Context, handle string) (formation.State, outcome, error) {
	state, _, _ := t.tracker.Get(handle)
	release, ok := t.acquire(ctx)
	if !ok {
		return state, outcome{}, ctx.Err()
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, t.o.CallTimeout)
	defer cancel()
	f, err := t.o.API.Formation(ctx, t.o.Workspace, handle)
	switch {
	case err != nil:
		return state, outcome{}, err
	case f == nil || f.Handle != handle:
		return state, outcome{}, errUnreadable
	}
	t.tracker.Accepted(handle)
	known := outcome{Decisions: f.Decisions, Candidates: f.Candidates, Writes: f.Writes, Error: f.Error}
	final := finalState(f)
	if final.Final() {
		t.tracker.End(handle, final, known)
	}
	return final, known, nil
}

func finalState(f *api.Formation) formation.State {
	switch {
	case f.State == api.FormationFailed:
		return formation.StateFailed
	case f.State != api.FormationFinished:
		return formation.StateRunning
	case f.Writes.Total() == 0:
		return formation.StateNothingWritten
	}
	return formation.StateFinished
}

// askFailed answers when the API had nothing to say. A submission of which it was not known whether it arrived did not,
// when the API has no such formation.
func (t *tools) askFailed(handle string, state formation.State, err error) (*toolReply, error) {
	if state == formation.StateSubmitting && errors.Is(err, api.ErrNotFound) {
		t.tracker.Refused(handle)
		return failed("The conversation did not reach the memory API; nothing was stored." + sendAgain), nil
	}
	return failed("The outcome is not known: " + describe(err) + " The formation goes on by itself; ask again later."), nil
}

// reply puts an outcome into words.
func (k outcome) reply(handle string, state formation.State, room int) (*toolReply, error) {
	if state == formation.StateFailed {
		reason := clip(k.Error, 1000)
		if reason == "" {
			reason = "no reason was given"
		}
		return failed(fmt.Sprintf("The formation %s failed for good: %s. Written before that: %s. Sending the same turns again starts it anew, and stores nothing twice.",
			handle, reason, written(k.Writes))), nil
	}
	r := outcomeReply{Handle: handle, Status: string(state), Decisions: k.Decisions, Candidates: k.Candidates, Writes: k.Writes}
	if state == formation.StateRunning {
		r.Status, r.Note = statusRunning, runningNote
	}
	return outcomeDocument(r, room)
}

func written(w api.Writes) string {
	if w.Total() == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%d passages, %d entities, %d assertions, %d supersessions", w.Passages, w.Entities, w.Assertions, w.Supersessions)
}

const shortCandidate = 300 // bytes of a candidate's text in a reply that must be cut

// outcomeDocument encodes a reply in at most room bytes: long texts are cut first, then candidates left out at the end.
func outcomeDocument(r outcomeReply, room int) (*toolReply, error) {
	all := r.Candidates
	if r.Candidates == nil {
		r.Candidates = []api.Candidate{}
	}
	doc, err := encode(r)
	if err != nil || len(doc) <= room {
		return document(doc), err
	}
	r.Truncated = true
	r.Candidates = make([]api.Candidate, len(all))
	for i, c := range all {
		c.Text, c.Reason = clip(c.Text, shortCandidate), clip(c.Reason, shortCandidate)
		c.Source, c.Target, c.Relation = clip(c.Source, shortCandidate), clip(c.Target, shortCandidate), clip(c.Relation, shortCandidate)
		r.Candidates[i] = c
	}
	low, high := 0, len(all) // the first low fit; the first high+1 don't
	for low < high {
		n := (low + high + 1) / 2
		if doc, err = encode(r.first(n)); err != nil {
			return nil, err
		}
		if len(doc) <= room {
			low = n
		} else {
			high = n - 1
		}
	}
	doc, err = encode(r.first(low))
	return document(doc), err
}

// first returns the reply with its first n candidates.
func (r outcomeReply) first(n int) outcomeReply {
	total := len(r.Candidates)
	r.Candidates = r.Candidates[:n]
	r.Note = fmt.Sprintf("%d of %d candidates are shown, to fit the reply; the counts are of all.", n, total)
	return r
}

// encode is json.Marshal without escapes for HTML, which would lengthen what a model reads.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a reply: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
