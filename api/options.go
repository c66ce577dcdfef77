package api

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultResponseLimit is how many bytes of an answer a client reads at most, unless [WithResponseLimit] says
// otherwise: 64 MiB. An export as a whole is not limited, only each of its records.
const DefaultResponseLimit = 64 << 20

// responseHeaderTimeout bounds how long a server may take to begin its answer when the caller's context sets no
// deadline. It is well above the 30 seconds for which [FormationsService.GetWait] holds a request.
const responseHeaderTimeout = 2 * time.Minute

// Option changes what [NewClient] makes.
type Option func(*settings)

type settings struct {
	token      string
	hasToken   bool
	httpClient *http.Client
	transport  http.RoundTripper
	userAgent  string
	retry      RetryPolicy
	logger     *slog.Logger
	allowHTTP  bool
	bodyLimit  int64
}

// WithToken sends an API key or access token with every request to the API's own origin.
func WithToken(token string) Option {
	return func(s *settings) { s.token, s.hasToken = token, true }
}

// WithHTTPClient takes the transport, time limit, cookies and redirect rule of h. h itself is not changed. The
// client's own rules for redirects come before those of h.
func WithHTTPClient(h *http.Client) Option { return func(s *settings) { s.httpClient = h } }

// WithTransport sends requests through rt, which may add a credential: for this one origin, it is not used for any
// other that the API redirects to unless it is an [*http.Transport]. It comes before the transport of
// [WithHTTPClient].
func WithTransport(rt http.RoundTripper) Option { return func(s *settings) { s.transport = rt } }

// WithUserAgent sets the User-Agent header.
func WithUserAgent(ua string) Option { return func(s *settings) { s.userAgent = ua } }

// WithRetry sets how calls are repeated that may be sent twice. Fields that are zero keep their defaults.
func WithRetry(p RetryPolicy) Option { return func(s *settings) { s.retry = p } }

// WithLogger logs every attempt at debug: method, path, status, duration. Bodies, headers and queries are left out.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.logger = l } }

// WithAllowHTTP allows plain http to hosts that are not loopback, where anyone on the way can read the credential and
// what is remembered.
func WithAllowHTTP() Option { return func(s *settings) { s.allowHTTP = true } }

// WithResponseLimit sets how many bytes of an answer are read at most, see [DefaultResponseLimit].
func WithResponseLimit(bytes int64) Option { return func(s *settings) { s.bodyLimit = bytes } }

func (s *settings) check() error {
	if s.hasToken && !validToken(s.token) {
		return errors.New("reading the token: it is empty, or has characters that no token has, such as a space or a line feed")
	}
	if s.bodyLimit <= 0 {
		return errors.New("setting the response limit: it must be positive")
	}
	if t, ok := s.roundTripper().(*http.Transport); ok && t.TLSClientConfig != nil && t.TLSClientConfig.InsecureSkipVerify {
		return errors.New("setting the transport: it does not verify TLS certificates; add the authority to its RootCAs instead")
	}
	return s.retry.check()
}

// validToken reports whether token can be sent as a credential, see RFC 6750, section 2.1. It is looser than that
// rule: only the server knows its tokens.
func validToken(token string) bool {
	return token != "" && strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) < 0
}

func (s *settings) authorize() func(http.Header) {
	if !s.hasToken {
		return func(http.Header) {}
	}
	value := "Bearer " + s.token
	return func(h http.Header) { h.Set("Authorization", value) }
}

// redacted stands where a credential stood.
const redacted = "[redacted]"

// redact returns what removes the token from a text: a server may echo what it was sent.
func (s *settings) redact() func(string) string {
	if !s.hasToken {
		return func(text string) string { return text }
	}
	token := s.token
	return func(text string) string { return strings.ReplaceAll(text, token, redacted) }
}

// roundTripper is what the caller chose, or nil.
func (s *settings) roundTripper() http.RoundTripper {
	if s.transport == nil && s.httpClient != nil {
		return s.httpClient.Transport
	}
	return s.transport
}

func (s *settings) client(base *url.URL) *http.Client {
	h := new(http.Client)
	if s.httpClient != nil {
		*h = *s.httpClient
	}
	h.Transport = confine(base, s.roundTripper())
	h.CheckRedirect = redirectRule{base: base, allowHTTP: s.allowHTTP, next: h.CheckRedirect}.check
	return h
}

// idleConnections are kept to one API: as many as an agent has calls in flight, or each would dial again.
const idleConnections = 32

// Transport returns the transport that a client has unless another one is given: the standard library's, with the
// system's roots or those of SSL_CERT_FILE, read at the first TLS connection, and the proxy that HTTPS_PROXY names. It
// is for those who put a round tripper of their own around it.
func Transport() *http.Transport {
	t, ok := http.DefaultTransport.(*http.Transport)
	if ok {
		t = t.Clone()
	} else {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	}
	if t.TLSClientConfig != nil && t.TLSClientConfig.InsecureSkipVerify {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.TLSClientConfig.RootCAs}
	}
	t.ResponseHeaderTimeout = responseHeaderTimeout
	t.MaxIdleConnsPerHost = idleConnections
	return t
}
