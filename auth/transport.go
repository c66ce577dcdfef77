package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// maxReplay is the largest body, in bytes, that is kept to send a call a second time after a renewal.
const maxReplay = 2 << 20

// Transport returns a round tripper that signs the requests to endpoint with c and leaves all others, as after a
// redirect, unsigned (RFC 6750, section 5.3: a bearer token is for whom it was meant for).
//
// The token of a session is renewed in time. A call that is refused with 401 is repeated once with a renewed one. When
// the session has ended, calls are answered with 401 and a problem document (RFC 9457) that says how to sign in, without
// asking the endpoint, until someone signs in again.
func (c Credential) Transport(endpoint *url.URL, base http.RoundTripper) http.RoundTripper {
	switch {
	case c.source != nil:
		return &sessionTransport{endpoint: endpoint, source: c.source, base: base}
	case c.Kind == KindKey:
		return &transport{endpoint: endpoint, secret: c.secret, base: base}
	}
	return base
}

type transport struct {
	endpoint *url.URL
	secret   string
	base     http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !owns(t.endpoint, r.URL) {
		return t.base.RoundTrip(r)
	}
	return t.base.RoundTrip(signed(r, t.secret))
}

// signed returns a copy of a request with a credential: a RoundTripper must not change the one that it was given.
func signed(r *http.Request, secret string) *http.Request {
	s := r.Clone(r.Context())
	s.Header.Set("Authorization", "Bearer "+secret)
	return s
}

// sessionTransport signs with a stored session.
type sessionTransport struct {
	endpoint *url.URL
	source   *source
	base     http.RoundTripper
}

func (t *sessionTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !owns(t.endpoint, r.URL) {
		return t.base.RoundTrip(r)
	}
	token, err := t.source.token(r.Context())
	if err != nil {
		return t.refuse(r, err)
	}
	first := signed(r, token)
	repeat, err := replay(first)
	if err != nil {
		return nil, err
	}
	resp, err := t.base.RoundTrip(first)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	next, err := t.source.again(r.Context(), token)
	if err == nil && (next == "" || repeat == nil) {
		return resp, nil // it is the server's word
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // lets the connection be used again
	resp.Body.Close()
	if err != nil {
		return t.refuse(r, err)
	}
	second := signed(r, next)
	if second.Body, err = repeat(); err != nil {
		return nil, err
	}
	return t.base.RoundTrip(second)
}

// refuse answers in the endpoint's place when nobody is signed in. All other errors are the caller's.
func (t *sessionTransport) refuse(r *http.Request, err error) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	if !errors.Is(err, ErrNotSignedIn) {
		return nil, err
	}
	command := "`lukasa login --api " + t.endpoint.String() + "`"
	body, encodeErr := json.Marshal(map[string]any{
		"type": "about:blank", "title": "not signed in", "status": http.StatusUnauthorized, "code": "unauthenticated",
		"detail": err.Error() + ": run " + command, "hint": "run " + command,
	})
	if encodeErr != nil {
		return nil, encodeErr
	}
	return &http.Response{
		Status: "401 Unauthorized", StatusCode: http.StatusUnauthorized,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {"application/problem+json"}},
		Body:   io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// CloseIdleConnections closes those of the round tripper within, if it has any.
func (t *sessionTransport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// replay returns what makes the body of a second request, or nil when the body is too large to keep.
func replay(r *http.Request) (func() (io.ReadCloser, error), error) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() (io.ReadCloser, error) { return r.Body, nil }, nil
	}
	if r.GetBody != nil {
		return r.GetBody, nil
	}
	if r.ContentLength < 0 || r.ContentLength > maxReplay {
		return nil, nil
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }, nil
}
