package auth

import (
	"net/http"
	"net/url"
)

// Transport returns a round tripper that signs the requests to endpoint's origin with c and leaves those to any other
// origin, as after a redirect, unsigned (RFC 6750, section 5.3: a bearer token is for whom it was meant for).
func (c Credential) Transport(endpoint *url.URL, base http.RoundTripper) http.RoundTripper {
	if c.Kind == KindNone {
		return base
	}
	return &transport{header: "Bearer " + c.secret, scheme: endpoint.Scheme, host: endpoint.Host, base: base}
}

type transport struct {
	header, scheme, host string
	base                 http.RoundTripper
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != t.scheme || r.URL.Host != t.host {
		return t.base.RoundTrip(r)
	}
	signed := r.Clone(r.Context()) // a RoundTripper must not change the request it was given
	signed.Header.Set("Authorization", t.header)
	return t.base.RoundTrip(signed)
}
