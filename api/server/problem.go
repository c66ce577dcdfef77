package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/formation"
)

// retryAfter is how long a client is asked to wait when the store is busy.
const retryAfter = time.Second

// newError makes an error of the contract, with its detail.
func newError(code api.Code, format string, args ...any) *api.Error {
	return &api.Error{
		Type: "about:blank", Title: http.StatusText(code.Status()), Status: code.Status(), Code: code,
		Detail: fmt.Sprintf(format, args...),
	}
}

// asProblem is the one place that turns errors into those of the contract. It returns a copy, and never lets internals
// out: what it doesn't know is "internal".
func asProblem(err error) *api.Error {
	var known *api.Error
	if errors.As(err, &known) {
		e := *known
		return &e
	}
	var anonymous *unauthenticated
	if errors.As(err, &anonymous) {
		return newError(api.CodeUnauthenticated, "%s", anonymous.detail)
	}
	var denied *access.Denied
	if errors.As(err, &denied) {
		return newError(api.CodePermissionDenied, "%s", denied)
	}
	var turn *formation.TurnError
	if errors.As(err, &turn) {
		return turnProblem(turn)
	}
	return storeProblem(err)
}

// turnProblem tells a limit from a broken rule, and names the turn.
func turnProblem(turn *formation.TurnError) *api.Error {
	code := api.CodeInvalidTurns
	if turn.TooLarge {
		code = api.CodeTooLarge
	}
	e := newError(code, "%s", turn)
	field := "turns"
	if turn.Turn >= 0 {
		field = fmt.Sprintf("turns[%d].%s", turn.Turn, turn.Field)
	}
	e.Errors = []api.FieldError{{Field: field, Message: turn.Reason}}
	return e
}

func storeProblem(err error) *api.Error {
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return newError(api.CodeNotFound, "there is no such thing")
	case errors.Is(err, memory.ErrExists):
		return newError(api.CodeAlreadyExists, "it already exists")
	case errors.Is(err, memory.ErrBadCursor):
		return badToken()
	case storeBusy(err):
		return unavailable("the store is busy: try again")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unavailable("the request took too long: try again")
	}
	return newError(api.CodeInternal, "an internal error: the server's log has it under this request id")
}

func errNoRoute() error {
	return newError(api.CodeNotFound, "there is no such route: /v1/openapi.yaml lists those that there are")
}

// errMethod keeps the code of the nearest kind of error, with the status that HTTP has for this one.
func errMethod(allow string) error {
	e := newError(api.CodeInvalidRequest, "this route doesn't take that method: it takes %s", allow)
	e.Status, e.Title = http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed)
	return e
}

func noWorkspace(name string) error {
	return newError(api.CodeNotFound, "workspace %s does not exist", quoted(name))
}

func unavailable(detail string) *api.Error {
	e := newError(api.CodeUnavailable, "%s", detail)
	e.RetryAfter = retryAfter
	return e
}

// fail answers a request with an error. What is internal goes to the log alone.
func (s *Server) fail(c *call, err error) {
	e := asProblem(err)
	e.RequestID = c.record.id
	if e.Code == api.CodeInternal {
		s.log.ErrorContext(c.r.Context(), "request failed", "request_id", e.RequestID, "route", c.record.route,
			"error", err)
	}
	c.record.code = e.Code
	h := c.w.Header()
	if e.Code == api.CodeUnauthenticated {
		issuer, _ := s.issuer(c.r) // without one nothing is said of it
		h.Set("WWW-Authenticate", challenge(err, issuer))
	}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	c.write("application/problem+json", e.Status, e)
}
