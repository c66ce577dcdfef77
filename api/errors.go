package api

import (
	"errors"
	"net/http"
	"slices"
	"time"
)

// Code is the stable name of what went wrong. Programs match it; texts may change.
type Code string

// The error codes of the contract.
const (
	CodeInvalidRequest   Code = "invalid_request"
	CodeUnauthenticated  Code = "unauthenticated"
	CodePermissionDenied Code = "permission_denied"
	CodeNotFound         Code = "not_found"
	CodeAlreadyExists    Code = "already_exists"
	CodeTooLarge         Code = "too_large"
	CodeInvalidTurns     Code = "invalid_turns"
	CodeHandleMismatch   Code = "handle_mismatch"
	CodeRateLimited      Code = "rate_limited"
	CodeInternal         Code = "internal"
	CodeUnavailable      Code = "unavailable"
)

// Codes returns every code of the contract.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeUnauthenticated, CodePermissionDenied, CodeNotFound, CodeAlreadyExists, CodeTooLarge,
		CodeInvalidTurns, CodeHandleMismatch, CodeRateLimited, CodeInternal, CodeUnavailable,
	}
}

// Status returns the HTTP status that goes with c, the same for client and server; 500 for a code that is unknown.
func (c Code) Status() int {
	switch c {
	case CodeInvalidRequest:
		return http.StatusBadRequest
	case CodeUnauthenticated:
		return http.StatusUnauthorized
	case CodePermissionDenied:
		return http.StatusForbidden
	case CodeNotFound:
		return http.StatusNotFound
	case CodeAlreadyExists:
		return http.StatusConflict
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeInvalidTurns, CodeHandleMismatch:
		return http.StatusUnprocessableEntity
	case CodeRateLimited:
		return http.StatusTooManyRequests
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	case CodeInternal:
	}
	return http.StatusInternalServerError
}

// What errors of the API are compared with: errors.Is(err, api.ErrNotFound).
var (
	ErrInvalidRequest   = errors.New("invalid request")
	ErrUnauthenticated  = errors.New("not signed in")
	ErrPermissionDenied = errors.New("permission denied")
	ErrNotFound         = errors.New("not found")
	ErrAlreadyExists    = errors.New("already exists")
	ErrTooLarge         = errors.New("too large")
	ErrInvalidTurns     = errors.New("invalid turns")
	ErrHandleMismatch   = errors.New("handle mismatch")
	ErrRateLimited      = errors.New("rate limited")
	ErrInternal         = errors.New("internal error")
	ErrUnavailable      = errors.New("unavailable")
)

func (c Code) sentinel() error {
	switch c {
	case CodeInvalidRequest:
		return ErrInvalidRequest
	case CodeUnauthenticated:
		return ErrUnauthenticated
	case CodePermissionDenied:
		return ErrPermissionDenied
	case CodeNotFound:
		return ErrNotFound
	case CodeAlreadyExists:
		return ErrAlreadyExists
	case CodeTooLarge:
		return ErrTooLarge
	case CodeInvalidTurns:
		return ErrInvalidTurns
	case CodeHandleMismatch:
		return ErrHandleMismatch
	case CodeRateLimited:
		return ErrRateLimited
	case CodeUnavailable:
		return ErrUnavailable
	case CodeInternal:
	}
	return ErrInternal
}

// FieldError says what is wrong with one field of a request, named as a path such as "turns[2].role".
type FieldError struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error that the API answered, an RFC 9457 problem document. It works with errors.As, and with errors.Is
// against the Err variables of this package.
type Error struct {
	Type      string       `json:"type"` // a URI reference; "about:blank" when there is nothing more to read
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail"`
	Code      Code         `json:"code"`
	Hint      string       `json:"hint,omitempty"`
	RequestID string       `json:"request_id"`
	Errors    []FieldError `json:"errors,omitempty"`
	// RetryAfter is how long the API asks to wait, 0 when it doesn't say. It travels as a header.
	RetryAfter time.Duration `json:"-"`
}

// Error returns the detail, or the title when there is none.
func (e *Error) Error() string {
	switch {
	case e.Detail != "":
		return e.Detail
	case e.Title != "":
		return e.Title
	}
	return e.known().sentinel().Error()
}

// Is makes errors.Is(err, ErrNotFound) and its like true for the error of that code. A code that this version doesn't
// know, of a later server, counts as what its status says.
func (e *Error) Is(target error) bool { return e.known().sentinel() == target }

func (e *Error) known() Code {
	if slices.Contains(Codes(), e.Code) {
		return e.Code
	}
	return codeOf(e.Status)
}

// ErrUnreachable is what a [ConnectionError] is compared with when the API could not be reached.
var ErrUnreachable = errors.New("the memory API is unreachable")

// ConnectionError says that a call has no answer: the API was not reached, the connection broke, the caller's context
// ended, or the source of the credential failed. Which of them is found with errors.Is and errors.As in Err;
// errors.Is(err, ErrUnreachable) is true for the first two.
type ConnectionError struct {
	Endpoint string // the base URL
	Err      error

	unreachable bool
}

// Error names the endpoint and the cause. The path and query of the call are not in it.
func (e *ConnectionError) Error() string {
	return "calling the memory API at " + e.Endpoint + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrUnreachable) true when the API was not reached or the connection broke.
func (e *ConnectionError) Is(target error) bool { return target == ErrUnreachable && e.unreachable }
