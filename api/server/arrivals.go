package server

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// bodyGrace is how long a request may still take to arrive once the server is to end. What has arrived is handled.
const bodyGrace = 2 * time.Second

// arrivals are the connections on which a request is still on its way, so that the server's end doesn't wait for clients
// that send slowly or no more.
type arrivals struct {
	mu   sync.Mutex
	on   map[net.Conn]bool
	over bool // what arrives from now on is cut off
}

type connKey struct{}

// watch has the HTTP server tell of its connections.
func (a *arrivals) watch(web *http.Server) {
	web.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, conn)
	}
	web.ConnState = func(conn net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			a.expect(conn)
		case http.StateIdle, http.StateClosed, http.StateHijacked:
			a.arrived(conn)
		case http.StateActive: // its handler tells whether there is more to come
		}
	}
}

// expect notes that something is on its way.
func (a *arrivals) expect(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.on == nil {
		a.on = make(map[net.Conn]bool)
	}
	a.on[conn] = true
	if a.over {
		cutOff(conn)
	}
}

// arrived notes that nothing more is to come. The connection's reader is not cut off any more.
func (a *arrivals) arrived(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.on, conn)
}

// end cuts off what is still on its way.
func (a *arrivals) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	for conn := range a.on {
		cutOff(conn)
	}
}

// cutOff ends the reading of a connection; the reply can still be written.
func cutOff(conn net.Conn) { _ = conn.SetReadDeadline(time.Unix(1, 0)) }

// headArrived notes that a request's header is here, and whether its body is still to come. In process there is no
// connection.
func (a *arrivals) headArrived(r *http.Request) {
	conn, ok := r.Context().Value(connKey{}).(net.Conn)
	switch {
	case !ok:
	case r.ContentLength == 0:
		a.arrived(conn)
	default:
		a.expect(conn)
	}
}

// bodyArrived notes that all of a request is here.
func (a *arrivals) bodyArrived(r *http.Request) {
	if conn, ok := r.Context().Value(connKey{}).(net.Conn); ok {
		a.arrived(conn)
	}
}
