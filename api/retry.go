package api

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// RetryPolicy says how calls are repeated that may be sent twice: GET, PUT, DELETE and recall. They are repeated on
// connection errors and on 429, 502, 503 and 504, and never beyond the deadline of the caller's context: a wait that
// would outlast it is not begun.
type RetryPolicy struct {
	Attempts int           // in all, the first included; 0 means 4, 1 never repeats
	MinWait  time.Duration // the upper end of the first wait, which doubles each time; 0 means 250 ms
	MaxWait  time.Duration // the upper end that is never passed; 0 means 5 s
	// MaxRetryAfter is the longest Retry-After that is waited for; when the API asks for more, its error is returned at
	// once. 0 means 30 s.
	MaxRetryAfter time.Duration
}

func (p RetryPolicy) check() error {
	if p.Attempts < 0 || p.MinWait < 0 || p.MaxWait < 0 || p.MaxRetryAfter < 0 {
		return errors.New("setting the retry policy: negative values mean nothing")
	}
	return nil
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.Attempts == 0 {
		p.Attempts = 4
	}
	if p.MinWait == 0 {
		p.MinWait = 250 * time.Millisecond
	}
	if p.MaxWait == 0 {
		p.MaxWait = 5 * time.Second
	}
	if p.MaxRetryAfter == 0 {
		p.MaxRetryAfter = 30 * time.Second
	}
	return p
}

// wait returns how long to wait after the given attempt (1 for the first), and false when the API asks for more than
// the policy waits for. The wait is exponential with full jitter: anything from nothing to the upper end, so that
// clients that failed together don't come back together.
func (p RetryPolicy) wait(attempt int, header http.Header) (time.Duration, bool) {
	upper := p.MaxWait
	if shift := attempt - 1; shift < 30 && p.MinWait<<shift > 0 {
		upper = min(upper, p.MinWait<<shift)
	}
	jitter := rand.N(upper + 1)
	after, ok := retryAfter(header)
	if !ok {
		return jitter, true
	}
	return after + min(jitter, p.MinWait), after <= p.MaxRetryAfter
}

// retryAfter reads a Retry-After header, which is a number of seconds or a date (RFC 9110, section 10.2.3).
func retryAfter(header http.Header) (time.Duration, bool) {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(0, time.Until(at)), true
}

// retryStatus reports whether an answer of that status may be another one the next time.
func retryStatus(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isConnectionError reports whether err came from the connection, rather than from a rule of ours, from a credential's
// source, or from a certificate that will be no better the next time.
func isConnectionError(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	if u, ok := errors.AsType[*url.Error](err); ok { // it claims to be a net.Error whatever it wraps
		err = u.Err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	_, ok := errors.AsType[streamError](err)
	return ok
}

// isUnreachable reports whether err means that no API was found at the address, or none that can be trusted.
func isUnreachable(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	return isConnectionError(err)
}

// streamError is how net/http's HTTP/2 hands out a stream that the other side reset: it converts its own type, which
// has no exported name, to any that has this name's ending and these fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "the stream was reset" }
