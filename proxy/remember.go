package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

const sendAgain = " Sending the same turns again is safe: nothing is stored twice."

// remember is remember_conversation. The submission is detached from the call: a host that gives the call up, or that
// times it out, does not stop it.
func (t *tools) remember(ctx context.Context, host peer, arguments json.RawMessage) (*toolReply, error) {
	turns, err := decodeTurns(arguments)
	if err != nil {
		return failed("remember_conversation was refused: " + sentence(err.Error()) + " Nothing was stored."), nil
	}
	handle := formation.Handle(turns, nil)
	t.tracker.Begin(handle)
	select {
	case err := <-t.submit(handle, turns, host):
		if err != nil {
			return failed(submissionFailed(err)), nil
		}
	case <-ctx.Done(): // nobody waits for the answer; the submission goes on
		return failed("The call was given up while the turns were being sent." + sendAgain), nil
	}
	doc := append([]byte(`{"handle":`), appendQuoted(nil, handle)...)
	return document(append(doc, `,"status":"running"}`...)), nil
}

// submit sends the turns in the background, and returns where the result will be.
func (t *tools) submit(handle string, turns []formation.Turn, host peer) <-chan error {
	result := make(chan error, 1)
	t.sending.begin(handle)
	t.work.begin()
	go func() {
		defer t.work.end()
		defer t.sending.end(handle)
		result <- t.send(handle, turns, host)
	}()
	return result
}

// send sends the turns, and records in the tracker what is known afterwards.
func (t *tools) send(handle string, turns []formation.Turn, host peer) (err error) {
	defer func() {
		if r := recover(); r != nil { // a panic in this goroutine would end the process
			err = fmt.Errorf("sending the turns: %v", r)
		}
	}()
	ctx, cancel := context.WithTimeout(t.sending.ctx, t.o.CallTimeout)
	defer cancel()
	release, ok := t.acquire(ctx)
	if !ok {
		t.tracker.Refused(handle)
		return errNotSent
	}
	defer release()
	f, err := t.o.API.Submit(ctx, t.o.Workspace, api.SubmitFormation{Turns: turns, Source: source(host)})
	switch {
	case err == nil && f != nil && f.Handle == handle:
		t.tracker.Accepted(handle)
	case err == nil:
		err = errUnreadable
	case wasNotStored(err):
		t.tracker.Refused(handle)
	}
	// Otherwise it is not known whether the API has the turns: the handle stays, and formation_outcome asks.
	return err
}

func source(host peer) *api.Source {
	s := &api.Source{Via: "mcp"}
	if host.name != "" {
		s.Client = &api.SourceClient{Name: host.name, Version: host.version}
	}
	return s
}

// errNotSent is for turns that never left, for the API was busy with others until the time was up.
var errNotSent = errors.New("the turns were not sent")

// wasNotStored reports whether a failed submission has stored nothing, by what the API says or because nothing was
// sent. Without an answer it is not known, and neither is it when a gateway answers in the place of the API.
func wasNotStored(err error) bool {
	var connection *api.ConnectionError
	var problem *api.Error
	switch {
	case errors.As(err, &connection):
		return false
	case errors.As(err, &problem):
		return problem.Status != http.StatusBadGateway && problem.Status != http.StatusGatewayTimeout
	}
	return errors.Is(err, errNotSent) || isInvalid(err)
}

func submissionFailed(err error) string {
	if wasNotStored(err) {
		return "Nothing was stored: " + describe(err) + sendAgain
	}
	return "It is not known whether the turns were stored: " + describe(err) + sendAgain
}

// sending knows which handles are on their way to the API right now.
type sending struct {
	ctx  context.Context //nolint:containedctx // of all submissions, which outlive the calls that began them
	stop context.CancelFunc

	mu sync.Mutex
	n  map[string]int
}

func newSending() *sending {
	ctx, stop := context.WithCancel(context.Background())
	return &sending{ctx: ctx, stop: stop, n: make(map[string]int)}
}

func (s *sending) begin(handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[handle]++
}

func (s *sending) end(handle string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n[handle]--; s.n[handle] == 0 {
		delete(s.n, handle)
	}
}

func (s *sending) has(handle string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n[handle] > 0
}
