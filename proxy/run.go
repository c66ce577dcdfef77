package proxy

import (
	"context"
	"time"
)

// settleTimeout bounds how long the library may take to end once its input has ended.
const settleTimeout = 500 * time.Millisecond

// Run serves the protocol until the input ends, or ctx does. It returns nil then; a *[StartupError] when the credential
// or the workspace was refused, before anything was answered; [ErrHostGone] when the host closed the output.
//
// The input is read while the credential is still being checked, and nothing is answered before that has passed. When
// ctx ends, calls in flight have little more than a second. A read of Stdin that is blocked at the end is left behind.
func Run(ctx context.Context, options Options) error {
	o := options.withDefaults()
	stderr := NewStderr(o.Stderr)
	defer stderr.Flush()
	quit := make(chan struct{})
	defer close(quit)
	lines := readLines(o.Stdin, maxLine, quit)

	checked := make(chan error, 1)
	go func() { checked <- check(ctx, o) }()

	e, w := &era{stderr: stderr}, newWork()
	t := newTools(o, e, w)
	defer t.sending.stop()
	server := newServer(t, o.Version, stderr)
	if err := <-checked; err != nil {
		if ctx.Err() != nil {
			return nil // ended before it began, as the host wished
		}
		return err
	}
	o.Logger.Info("serving MCP on standard input and output", "workspace", o.Workspace, "api", o.Endpoint)

	c := newConn(lines, &frames{w: o.Stdout}, e, w, stderr, o.DrainTimeout)
	session, err := server.Connect(context.WithoutCancel(ctx), c, sessionState())
	if err != nil {
		return err
	}
	serve(ctx, c, session.Wait)
	if c.out.gone.Load() {
		w.wait(stopTimeout, ctx.Done(), nil) // submissions that are under way are worth a moment
		return ErrHostGone
	}
	return nil
}

// serve waits for the end: of the input with what it asked for, or of ctx.
func serve(ctx context.Context, c *conn, wait func() error) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = wait() // what went wrong with the streams is known to the connection
	}()
	select {
	case <-ctx.Done():
		c.stop()
		select { // the reading side may be held up by a host that does not read
		case <-c.ended:
		case <-over:
		case <-time.After(stopTimeout):
		}
	case <-c.ended:
	case <-over:
	}
	select {
	case <-over:
	case <-time.After(settleTimeout):
		_ = c.Close()
	}
}
