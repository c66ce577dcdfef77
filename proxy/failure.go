package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
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
	failedUnsent                     // no exchange for a reason of this side, such as the source of the credential
	failedTimeout                    // no answer in time
	failedCancelled                  // the host gave up
)

// kindOf tells the errors of the API and of the way to it apart.
func kindOf(err error) failure {
	var problem *api.Error
	if errors.As(err, &problem) {
		return kindOfProblem(problem)
	}
	var network net.Error
	var connection *api.ConnectionError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return failedTimeout
	case errors.Is(err, context.Canceled):
		return failedCancelled
	case errors.Is(err, api.ErrUnreachable):
		return failedUnreachable
	case isInvalid(err):
		return failedInvalid // refused by the SDK before anything was sent
	case errors.Is(err, errNotSent):
		return failedBusy
	case errors.As(err, &connection):
		return failedUnsent
	}
	return failedUnreadable
}

func kindOfProblem(e *api.Error) failure {
	switch {
	case errors.Is(e, api.ErrUnauthenticated), errors.Is(e, api.ErrPermissionDenied):
		return failedRefused
	case errors.Is(e, api.ErrNotFound):
		return failedNotFound
	case errors.Is(e, api.ErrRateLimited), errors.Is(e, api.ErrUnavailable):
		return failedBusy
	case isInvalid(e):
		return failedInvalid
	}
	return failedInternal
}

// isInvalid reports whether the request itself was at fault, in the API's view or in the SDK's.
func isInvalid(err error) bool {
	for _, target := range []error{api.ErrInvalidRequest, api.ErrAlreadyExists, api.ErrTooLarge, api.ErrInvalidTurns, api.ErrHandleMismatch} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
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

// describe says in one or two sentences what failed and what to do, for a model. Only what the API itself said of the
// request is repeated: other errors may hold a URL or a path of a machine.
func describe(err error) string {
	switch kindOf(err) {
	case failedRefused:
		return "the memory API refused the credential: " + said(err) + " Asking again does not help; tell the user."
	case failedNotFound:
		return "the memory API did not find it: " + said(err)
	case failedInvalid:
		return "the memory API refused the request as invalid: " + said(err)
	case failedBusy:
		return "the memory API is busy or unavailable. Try again in a moment."
	case failedInternal:
		return "the memory API failed" + requestOf(err) + ". Try again later."
	case failedUnreachable:
		return "the memory API can't be reached. Try again later; if it lasts, tell the user."
	case failedUnsent:
		return "the exchange with the memory API failed: its credential can't be read here, or its answer is damaged. Tell the user."
	case failedTimeout:
		return "the memory API did not answer in time. Try again in a moment."
	case failedCancelled:
		return "the call was given up."
	case failedUnreadable:
	}
	return "what answered does not speak as the memory API does. Tell the user."
}

// said returns the API's own words, as sentences.
func said(err error) string {
	var problem *api.Error
	if !errors.As(err, &problem) {
		return "it is not what the API takes."
	}
	words := []string{sentence(problem.Error())}
	for _, f := range problem.Errors[:min(len(problem.Errors), 5)] {
		words = append(words, sentence(fmt.Sprintf("%s: %s", f.Field, f.Message)))
	}
	return strings.Join(words, " ")
}

// requestOf names the failed request for whoever reads the API's log. What a failing server says of itself stays out:
// it may be anything.
func requestOf(err error) string {
	var problem *api.Error
	if !errors.As(err, &problem) || problem.RequestID == "" {
		return ""
	}
	return " (its request id is " + clip(problem.RequestID, 64) + ")"
}

func sentence(s string) string {
	s = clip(strings.TrimSpace(s), 300)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}
