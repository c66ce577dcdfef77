package api

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

const (
	// loopbackBody is how many bytes a request's body may have there: what the system's buffers take at once, so that
	// writing it never waits for a server that answers first.
	loopbackBody = 64 << 10
	// loopbackHeader is how many bytes an answer's header may have, what comes before it included.
	loopbackHeader = 1 << 20
	// loopbackIdle is how many connections are kept, and loopbackIdleTime how long one may be unused and be used again.
	loopbackIdle     = 32
	loopbackIdleTime = 30 * time.Second
)

// repeatable marks the context of a request that may be sent twice and whose answer is read at once.
type repeatable struct{}

// Transport returns the round tripper that a client has unless another one is given. It takes certificate roots and
// proxies from the system and the environment, as [http.DefaultTransport] does. A client's requests to an API on this
// machine over plain http go a shorter way: one goroutine writes a request and reads its answer, for handing them to
// others would take longer than the exchange itself.
func Transport() http.RoundTripper {
	return &transport{remote: sync.OnceValue(defaultTransport)}
}

type transport struct {
	remote   func() *http.Transport
	loopback loopback
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil || !nearby(req.URL) || req.ContentLength < 0 || req.ContentLength > loopbackBody ||
		req.ContentLength > 0 && req.GetBody == nil || req.Context().Value(repeatable{}) == nil {
		return t.remote().RoundTrip(req)
	}
	return t.loopback.roundTrip(req)
}

// CloseIdleConnections closes the connections that are kept.
func (t *transport) CloseIdleConnections() {
	t.loopback.close()
	t.remote().CloseIdleConnections()
}

// nearby reports whether u is plain http on this machine. No proxy is ever asked for these names, see
// [http.ProxyFromEnvironment].
func nearby(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	return u.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// loopback makes exchanges over HTTP/1.1, and keeps connections. The zero value is ready.
type loopback struct {
	dialer net.Dialer

	mu   sync.Mutex
	idle []*loopbackConn // the one that was used last is at the end
}

// loopbackConn is a connection that is in use by one exchange, or idle.
type loopbackConn struct {
	net.Conn
	address string
	r       *bufio.Reader
	w       *bufio.Writer
	left    int64 // bytes that may still be read before the header's end
	used    bool
	since   time.Time // idle
}

// Read implements [io.Reader] and keeps a header from having no end.
func (c *loopbackConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("the header of the answer has no end")
	}
	n, err := c.Conn.Read(p)
	c.left -= int64(n)
	return n, err
}

// roundTrip makes an exchange. A kept connection may have been closed by the other side meanwhile: then the request is
// sent again on a new one, which it may be.
func (l *loopback) roundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if c := l.take(address(req.URL)); c != nil {
		resp, stale, err := l.exchange(c, req)
		if !stale {
			return resp, err
		}
		l.close() // the others are no younger
	}
	c, err := l.dial(req.Context(), address(req.URL))
	if err != nil {
		return nil, err
	}
	resp, _, err := l.exchange(c, req)
	return resp, err
}

// exchange sends a request and reads the header of its answer. stale says that a connection that was used before
// ended without a byte.
func (l *loopback) exchange(c *loopbackConn, req *http.Request) (resp *http.Response, stale bool, err error) {
	ctx := req.Context()
	limit := time.Time{}
	if _, ok := ctx.Deadline(); !ok {
		limit = time.Now().Add(responseHeaderTimeout)
	}
	if err := c.SetDeadline(limit); err != nil {
		_ = c.Conn.Close()
		return nil, c.used, err
	}
	release := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	resp, begun, err := c.talk(req)
	if err != nil {
		release()
		_ = c.Conn.Close()
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		return nil, c.used && !begun, err
	}
	c.left = math.MaxInt64
	if !limit.IsZero() { // it was for the header alone
		_ = c.SetDeadline(time.Time{})
		if ctx.Err() != nil {
			_ = c.SetDeadline(time.Unix(1, 0))
		}
	}
	resp.Body = &loopbackAnswer{ReadCloser: resp.Body, ctx: ctx, whole: resp.ContentLength == 0, done: func(whole bool) {
		if release() && whole && !resp.Close && c.r.Buffered() == 0 {
			l.put(c)
			return
		}
		_ = c.Conn.Close()
	}}
	return resp, false, nil
}

// talk writes the request, and reads up to the body. begun says that a part of the answer came.
func (c *loopbackConn) talk(req *http.Request) (resp *http.Response, begun bool, err error) {
	sent := *req
	if req.GetBody != nil {
		if sent.Body, err = req.GetBody(); err != nil {
			return nil, true, err
		}
	}
	unsent := sent.Write(c.w)
	if unsent == nil {
		unsent = c.w.Flush()
	}
	c.left = loopbackHeader
	// An answer may have come all the same: a server may refuse a request before it has read it.
	if _, err := c.r.Peek(1); err != nil {
		return nil, false, cmp.Or(unsent, err)
	}
	for {
		resp, err := http.ReadResponse(c.r, req)
		switch {
		case err != nil:
			return nil, true, err
		case resp.StatusCode >= 200:
			resp.Close = resp.Close || unsent != nil
			return resp, true, nil
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, true, errors.New("the server changes to a protocol that was not asked for")
		}
	}
}

func address(u *url.URL) string { return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")) }

func (l *loopback) dial(ctx context.Context, address string) (*loopbackConn, error) {
	conn, err := l.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &loopbackConn{Conn: conn, address: address, w: bufio.NewWriter(conn)}
	c.r = bufio.NewReader(c)
	return c, nil
}

// take returns a kept connection, or nil.
func (l *loopback) take(address string) *loopbackConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.idle) > 0 {
		last := len(l.idle) - 1
		c := l.idle[last]
		l.idle[last], l.idle = nil, l.idle[:last]
		if c.address == address && time.Since(c.since) < loopbackIdleTime {
			return c
		}
		_ = c.Conn.Close()
	}
	return nil
}

func (l *loopback) put(c *loopbackConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.idle) == loopbackIdle {
		_ = c.Conn.Close()
		return
	}
	c.used, c.since = true, time.Now()
	l.idle = append(l.idle, c)
}

func (l *loopback) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.idle {
		_ = c.Conn.Close()
	}
	l.idle = nil
}

// loopbackAnswer is the body of an answer. Its end, or closing it, ends the exchange.
type loopbackAnswer struct {
	io.ReadCloser
	ctx   context.Context //nolint:containedctx // of the exchange, which the body is a part of
	whole bool
	once  sync.Once
	done  func(whole bool)
}

// Read implements [io.Reader].
func (b *loopbackAnswer) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF: //nolint:errorlint // as io.Reader has it
		b.whole = true
	case err != nil && b.ctx.Err() != nil:
		err = b.ctx.Err()
	}
	return n, err
}

// Close implements [io.Closer].
func (b *loopbackAnswer) Close() error {
	b.once.Do(func() { b.done(b.whole) })
	return nil
}
