package proxy

import (
	"context"
	"errors"
	"fmt"

	"github.com/lukasa-dev/lukasa/api"
)

// endpointLocal is the endpoint of the API that is part of this process.
const endpointLocal = "local"

// Refusal says why a server did not start.
type Refusal string

// The reasons for which a server does not start.
const (
	RefusedCredential  Refusal = "credential"  // the API does not accept the credential, or it does not cover the workspace
	RefusedAbsent      Refusal = "absent"      // there is no such workspace
	RefusedUnreachable Refusal = "unreachable" // the API can't be reached, or does not answer in time
	RefusedAnswer      Refusal = "answer"      // something answered, but not as the memory API does
)

// StartupError says why a server did not start, in words for a person.
type StartupError struct {
	Reason  Refusal
	Message string // one sentence, lower case, without "error: "
	Hint    string // what to do about it, without "hint: "
	Err     error  // the cause
}

func (e *StartupError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *StartupError) Unwrap() error { return e.Err }

// ExitCode is the process's exit status: 4 when the credential was refused, else 1.
func (e *StartupError) ExitCode() int {
	if e.Reason == RefusedCredential {
		return 4
	}
	return 1
}

// check asks the API once whether the credential is accepted and the workspace is there; with Create, an absent
// workspace is made. It returns a *[StartupError], or ctx's error when ctx ended first.
func check(ctx context.Context, o Options) error {
	bounded, cancel := context.WithTimeout(ctx, o.StartupTimeout)
	defer cancel()
	err := o.API.Check(bounded, o.Workspace)
	if o.Create && errors.Is(err, api.ErrNotFound) {
		err = o.API.CreateWorkspace(bounded, o.Workspace)
		if errors.Is(err, api.ErrAlreadyExists) { // another server that starts right now was faster
			err = nil
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return startupError(o, err)
}

// place says where the API is.
func (o Options) place() string {
	if o.Endpoint == endpointLocal {
		return "in the memory of this machine"
	}
	return "at " + o.Endpoint
}

func startupError(o Options, err error) *StartupError {
	refusal := func(reason Refusal, hint, format string, args ...any) *StartupError {
		return &StartupError{Reason: reason, Message: fmt.Sprintf(format, args...), Hint: hint, Err: err}
	}
	var problem *api.Error
	if !errors.As(err, &problem) {
		return transportRefusal(o, err)
	}
	switch {
	case errors.Is(err, api.ErrUnauthenticated):
		return refusal(RefusedCredential,
			fmt.Sprintf("sign in with `lukasa login --api %s`, or give a valid key in LUKASA_API_KEY or with --api-key-file", o.Endpoint),
			"%s does not accept the credential: %s", o.Endpoint, clip(problem.Error(), 300))
	case errors.Is(err, api.ErrPermissionDenied):
		return refusal(RefusedCredential, "see what the credential covers with `lukasa whoami`, or use another one",
			"%s refuses workspace %q: %s", o.Endpoint, o.Workspace, clip(problem.Error(), 300))
	case errors.Is(err, api.ErrNotFound):
		return refusal(RefusedAbsent, fmt.Sprintf("create it with `lukasa workspace create %s`, or pass --create", o.Workspace),
			"workspace %q does not exist %s", o.Workspace, o.place())
	case errors.Is(err, api.ErrInvalidRequest):
		return refusal(RefusedAbsent, "check the name given with --workspace or LUKASA_MCP_WORKSPACE",
			"%s does not take workspace %q: %s", o.Endpoint, o.Workspace, clip(problem.Error(), 300))
	}
	return refusal(RefusedUnreachable, "try again in a moment; if it lasts, ask whoever runs the API",
		"%s answered with an error (%d): %s", o.Endpoint, problem.Status, clip(problem.Error(), 300))
}

// transportRefusal is for what the API itself did not say. The text of what the network said is left out: it helps
// nobody, and may hold an address.
func transportRefusal(o Options, err error) *StartupError {
	var connection *api.ConnectionError
	switch kindOf(err) {
	case failedTimeout:
		return &StartupError{
			Reason: RefusedUnreachable, Err: err,
			Message: fmt.Sprintf("%s did not answer within %s", o.Endpoint, o.StartupTimeout),
			Hint:    "check that the API is up, and the URL given with --api or LUKASA_API_URL",
		}
	case failedUnreachable:
		return &StartupError{
			Reason: RefusedUnreachable, Err: err,
			Message: fmt.Sprintf("%s can't be reached", o.Endpoint),
			Hint:    "check that the API is up, and the URL given with --api or LUKASA_API_URL",
		}
	case failedUnsent:
		errors.As(err, &connection)
		return &StartupError{
			Reason: RefusedUnreachable, Err: err,
			Message: fmt.Sprintf("%s could not be called: %s", o.Endpoint, clip(connection.Err.Error(), 300)),
			Hint:    "see which credential is used, and from where, with `lukasa whoami`",
		}
	default:
		return &StartupError{
			Reason: RefusedAnswer, Err: err,
			Message: fmt.Sprintf("%s does not answer as a lukasa memory API does", o.Endpoint),
			Hint:    "check the URL given with --api or LUKASA_API_URL",
		}
	}
}
