package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"unicode/utf8"

	"github.com/lukasa-dev/lukasa/api"
)

// failure is the kind of a failed request to the API. Each gets its own words, so that a model can tell them apart.
type failure int

const (
	failedUnreadable  failure = iota // an answer that is not the API's
	failedRefused                    // 401, 403
	failedNotFound                   // 404
	failedInvalid                    // 400, 409, 413, 422
	failedBusy                       // 429, 503
	failedInternal                   // 500 and the rest
	failedUnreachable                // no connection
	failedTimeout                    // no answer in time
	failedCancelled                  // the host gave up
)

// kindOf tells the errors of the API and of the way to it apart.
func kindOf(err error) failure {
	var problem *api.Error
	if errors.As(err, &problem) {
		return kindOfProblem(problem)
	}
	var netError net.Error
	var urlError *url.Error
	var opError *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netError) && netError.Timeout():
		return failedTimeout
	case errors.Is(err, context.Canceled):
		return failedCancelled
	case errors.As(err, &opError), errors.As(err, &urlError), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return failedUnreachable
	}
	return failedUnreadable
}

func kindOfProblem(e *api.Error) failure {
	switch e.Code {
	case api.CodeUnauthenticated, api.CodePermissionDenied:
		return failedRefused
	case api.CodeNotFound:
		return failedNotFound
	case api.CodeInvalidRequest, api.CodeAlreadyExists, api.CodeTooLarge, api.CodeInvalidTurns, api.CodeHandleMismatch:
		return failedInvalid
	case api.CodeRateLimited, api.CodeUnavailable:
		return failedBusy
	case api.CodeInternal:
	}
	return failedInternal
}

// neverSent reports whether err means that the request did not leave: no connection was made.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// clip cuts s to at most n bytes at a rune boundary, and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
