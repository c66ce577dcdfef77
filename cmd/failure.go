package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/auth"
)

// The exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 4
)

// failure is an error with what people can do about it, and with its exit code where the cause doesn't tell.
type failure struct {
	code    int // 0: by the cause
	message string
	hint    string
	cause   error
}

func (f *failure) Error() string {
	switch {
	case f.cause == nil:
		return f.message
	case f.message == "":
		return f.cause.Error()
	}
	return f.message + ": " + f.cause.Error()
}

func (f *failure) Unwrap() error { return f.cause }

// usage is a failure of the words on the command line or of the configuration.
func usage(hint, format string, args ...any) error {
	return &failure{code: exitUsage, message: fmt.Sprintf(format, args...), hint: hint}
}

// withHint adds what to do to an error.
func withHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &failure{cause: err, hint: hint}
}

// silent ends with an exit code and prints nothing: all has been said.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit code %d", int(s)) }

// report prints an error and returns the exit code. It is the one place where the two are decided.
func (a *app) report(err error) int {
	var quiet silent
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &quiet):
		return int(quiet)
	}
	code, hint := a.exitCode(err), hintOf(err)
	if !a.running && code == exitFailed {
		code = exitUsage
		if hint == "" {
			hint = "see `lukasa --help`"
		}
	}
	message := err.Error()
	if errors.Is(err, context.Canceled) {
		message, hint = "interrupted", ""
	}
	fmt.Fprint(a.Err, prefixed("error: ", plain(message)))
	if hint != "" {
		fmt.Fprint(a.Err, prefixed("hint: ", plain(hint)))
	}
	return code
}

func (a *app) exitCode(err error) int {
	var f *failure
	for e := err; errors.As(e, &f); e = f.cause {
		if f.code != 0 {
			return f.code
		}
	}
	switch {
	case errors.Is(err, api.ErrUnauthenticated), errors.Is(err, api.ErrPermissionDenied), errors.Is(err, auth.ErrUnusable), errors.Is(err, auth.ErrNotSignedIn):
		return exitRefused
	}
	return exitFailed
}

func hintOf(err error) string {
	var f *failure
	if errors.As(err, &f) && f.hint != "" {
		return f.hint
	}
	var e *api.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch {
	case e.Hint != "":
		return e.Hint
	case e.Code == api.CodeUnauthenticated:
		return "run `lukasa login --api URL`, or set LUKASA_API_KEY"
	}
	return ""
}

// prefixed puts a prefix before the first line and indents the rest by as much.
func prefixed(prefix, text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return prefix + strings.Join(lines, "\n"+strings.Repeat(" ", len(prefix))) + "\n"
}
