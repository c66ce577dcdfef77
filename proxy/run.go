package proxy

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// settleTimeout bounds how long the library may take to end once its input has ended.
const settleTimeout = 500 * time.Millisecond

// Run serves the protocol until the input ends, or ctx does. It returns nil then; a *[StartupError] when the credential
// or the workspace was refused, before anything was answered; [ErrHostGone] when the host closed the output.
//
// The input is read while the credential is still being checked, and nothing is answered before that has passed. When
// ctx ends, calls in flight have little more than a second. A read of Stdin that is blocked at the end is left behind.
func Run(ctx context.Context, options Options) error { return run(ctx, options, true) }

// run is Run; without fast, the library makes every call.
func run(ctx context.Context, options Options, fast bool) error {
	o := options.withDefaults()
	stderr := NewStderr(o.Stderr)
	defer stderr.Flush()
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	e, w := &era{stderr: stderr}, newWork()
	t := newTools(o, e, w)
	defer t.sending.stop()
	c := newConn(newLineReader(o.Stdin, maxLine), &frames{w: o.Stdout}, e, w, stderr)
	c.drain = o.DrainTimeout
	if fast {
		c.direct = &direct{tools: t, version: o.Version, base: calls}
	}
	l := &library{conn: c, server: func() *mcp.Server { return newServer(t, o.Version, stderr) }, ctx: calls}
	c.start = l.start
	defer c.stop()

	go c.serve()
	if err := check(ctx, o); err != nil {
		if ctx.Err() != nil {
			return nil // ended before it began, as the host wished
		}
		return err
	}
	close(c.ready)
	o.Logger.Info("serving MCP on standard input and output", "workspace", o.Workspace, "api", o.Endpoint)
	c.wait(ctx)
	c.end()
	cancel()
	err := l.wait()
	if c.out.gone.Load() {
		w.wait(stopTimeout, ctx.Done(), nil) // submissions that are under way are worth a moment
		return ErrHostGone
	}
	return err
}

// library is the library's session, which begins with the first message for it: building it takes longer than the rest
// of the start, and some hosts never need it.
type library struct {
	conn   *conn
	server func() *mcp.Server
	ctx    context.Context //nolint:containedctx // of the session

	once sync.Once
	over chan struct{} // closed when the session has ended; nil before it has begun
	err  error         // why it could not begin
}

// start starts the session unless it has begun. When it can't, nothing goes on.
func (l *library) start() {
	l.once.Do(func() {
		session, err := l.server().Connect(l.ctx, l.conn, sessionState())
		if err != nil {
			l.err = fmt.Errorf("starting the session: %w", err)
			_ = l.conn.Close()
			return
		}
		l.over = make(chan struct{})
		go func() {
			defer close(l.over)
			_ = session.Wait() // what went wrong with the streams is known to the connection
		}()
	})
}

// wait waits for the end of the session, for a moment.
func (l *library) wait() error {
	l.once.Do(func() {}) // from here on, none begins
	if l.over == nil {
		return l.err
	}
	select {
	case <-l.over:
	case <-time.After(settleTimeout):
		_ = l.conn.Close()
	}
	return nil
}
