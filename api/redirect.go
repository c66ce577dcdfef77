package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// maxRedirects is how many redirects are followed in one call.
const maxRedirects = 10

// redirectError says why a redirect was not followed. It is final: asking again would redirect again.
type redirectError struct {
	to     string // scheme and host: the rest of a redirect's address may hold anything
	reason string
}

func (e *redirectError) Error() string {
	return fmt.Sprintf("it redirects to %s, and %s", e.to, e.reason)
}

// redirectRule decides about redirects: only a GET leaves the API's origin, and it leaves the credential behind. The
// standard library's own rule keeps it for other ports, for subdomains and for plain http.
type redirectRule struct {
	base      *url.URL
	allowHTTP bool
	next      func(*http.Request, []*http.Request) error // the rule of the caller's client, or nil
}

func (r redirectRule) check(req *http.Request, via []*http.Request) error {
	refuse := func(reason string) error { return &redirectError{to: origin(req.URL), reason: reason} }
	switch {
	case len(via) >= maxRedirects:
		return refuse(fmt.Sprintf("%d redirects are too many", maxRedirects))
	case req.Method != via[0].Method:
		return refuse("following it would turn " + via[0].Method + " into " + req.Method + ": set the API's URL to the new address")
	case checkScheme(req.URL, r.allowHTTP) != nil:
		return refuse("that is not encrypted")
	case !r.leaves(req, via):
	case req.Method != http.MethodGet:
		return refuse("only what is read may be asked of another origin: set the API's URL to the new address")
	default:
		req.Header.Del("Authorization")
		req.Header.Del("Cookie")
	}
	if r.next == nil {
		return nil
	}
	return r.next(req, via)
}

// leaves reports whether a request goes to another origin, or was sent there by one: that origin must not be able to
// choose what is asked with the credential.
func (r redirectRule) leaves(req *http.Request, via []*http.Request) bool {
	home := origin(r.base)
	if origin(req.URL) != home {
		return true
	}
	for _, v := range via {
		if origin(v.URL) != home {
			return true
		}
	}
	return false
}

// origin is the scheme, host and port of u, see RFC 6454, section 4.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// confine returns the transport of a client. A caller's own round tripper may add a credential to whatever passes, so
// that requests to another origin go through a plain one.
func confine(base *url.URL, rt http.RoundTripper) http.RoundTripper {
	switch rt.(type) {
	case nil:
		return Transport()
	case *http.Transport:
		return rt
	}
	return &confined{home: origin(base), inner: rt, plain: sync.OnceValue(Transport)}
}

type confined struct {
	home  string
	inner http.RoundTripper
	plain func() *http.Transport
}

func (t *confined) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return nil, errors.New("sending a request: it has no URL")
	}
	// A request that follows a redirect carries the answer that redirected it. One that has been elsewhere has lost
	// the credential for good.
	for r := req; ; r = r.Response.Request {
		if origin(r.URL) != t.home {
			return t.plain().RoundTrip(req)
		}
		if r.Response == nil || r.Response.Request == nil {
			return t.inner.RoundTrip(req)
		}
	}
}

// CloseIdleConnections closes those of the round tripper within, if it has any.
func (t *confined) CloseIdleConnections() {
	if c, ok := t.inner.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
