package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// MaxRequestBytes is the size of the largest request that the API takes: 1 MiB.
const MaxRequestBytes = 1 << 20

// errorLimit is how much of an error's body is read; a problem document has a few hundred bytes.
const errorLimit = 64 << 10

// believedSize is up to which size an answer's own word on its length is taken before it has come.
const believedSize = 1 << 20

// call is one call of the API.
type call struct {
	method string
	path   string // escaped; made by [route] or constant
	query  url.Values
	prefer string // the Prefer header (RFC 7240)
	body   any    // sent as JSON unless nil
	repeat bool   // a POST that may be sent twice all the same
	stream bool   // leave the body of a success unread
}

// exchange is a call with its attempts.
type exchange struct {
	call
	c       *Client
	attempt int
	began   time.Time
	wait    time.Duration // before the next attempt
	body    []byte        // of the last answer
	bodyErr error         // from reading it
	open    io.ReadCloser // the body of a success that streams; the caller closes it
	earlier *Error        // what the API answered the last time
}

// route joins names and ids to a path. A name stays within its segment whatever it holds: what would leave it is
// escaped, and the dot segments (RFC 3986, section 5.2.4), which can't be escaped so that everyone on the way lets them
// be, are refused.
func route(segments ...string) (string, error) {
	var b strings.Builder
	b.WriteString("/v1")
	for _, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", fmt.Errorf("%w: %q can be neither a name nor an id", ErrInvalidRequest, s)
		}
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String(), nil
}

// send makes a call and decodes its answer into a T.
func send[T any](ctx context.Context, c *Client, k call) (*T, error) {
	body, err := c.fetch(ctx, k)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := json.Unmarshal(body, out); err != nil {
		return nil, c.decodingError(err)
	}
	return out, nil
}

// decodingError explains an answer that is not what the contract says: most often the address is another program's.
func (c *Client) decodingError(err error) error {
	return fmt.Errorf("reading the answer of %s, which may not be a memory API: %w", c.BaseURL(), err)
}

// fetch makes a call and returns the body of a success.
func (c *Client) fetch(ctx context.Context, k call) ([]byte, error) {
	x := &exchange{call: k, c: c}
	if err := x.do(ctx); err != nil {
		return nil, err
	}
	return x.body, nil
}

// do makes the attempts. After a success the answer is in x.body, or in x.open for a call that streams.
func (x *exchange) do(ctx context.Context) error {
	req, err := x.request(ctx)
	if err != nil {
		return err
	}
	x.began = time.Now()
	rc := retryablehttp.Client{
		HTTPClient: x.c.http, RetryMax: x.c.retry.Attempts, CheckRetry: x.check,
		Backoff:      func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return x.wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	resp, err := rc.Do(req) //nolint:bodyclose // read closes it, or leaves it open for the caller
	switch {
	case err != nil:
		return x.failure(ctx, err)
	case resp.StatusCode/100 != 2:
		return x.problem(resp)
	case x.bodyErr != nil:
		return x.failure(ctx, x.bodyErr)
	}
	return nil
}

func (x *exchange) request(ctx context.Context) (*retryablehttp.Request, error) {
	var raw any
	if x.call.body != nil {
		b, err := encode(x.call.body)
		if err != nil {
			return nil, err
		}
		raw = b
	}
	target := x.c.BaseURL() + x.path
	if len(x.query) > 0 {
		target += "?" + x.query.Encode()
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, x.method, target, raw)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", x.c.userAgent)
	if raw != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if x.prefer != "" {
		req.Header.Set("Prefer", x.prefer)
	}
	x.c.authorize(req.Header)
	return req, nil
}

// encode returns v as JSON that the API's limit allows. Characters that matter to HTML alone are left as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("%w: encoding it: %w", ErrInvalidRequest, err)
	}
	if b.Len() > MaxRequestBytes {
		return nil, fmt.Errorf("%w: the request has %d bytes: the limit is %d", ErrTooLarge, b.Len(), MaxRequestBytes)
	}
	return b.Bytes(), nil
}

// check reads the answer of an attempt and says whether there is to be another. An answer that breaks off counts as a
// connection error.
func (x *exchange) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	x.attempt++
	if resp != nil {
		x.read(resp)
	}
	again := x.again(ctx, resp, err)
	x.log(ctx, resp, err, again)
	return again, nil
}

func (x *exchange) read(resp *http.Response) {
	ok := resp.StatusCode/100 == 2
	if ok && x.stream {
		x.open = resp.Body
		return
	}
	defer resp.Body.Close()
	if ok {
		x.body, x.bodyErr = readLimited(resp.Body, resp.ContentLength, x.c.bodyLimit)
	} else {
		x.body, x.bodyErr = io.ReadAll(io.LimitReader(resp.Body, errorLimit))
	}
	resp.Body = http.NoBody
}

// readLimited reads an answer to its end. size is what it says to have, -1 when it does not say; only so much of it is
// believed as costs nothing.
func readLimited(r io.Reader, size, limit int64) ([]byte, error) {
	if size > 0 && size <= min(limit, believedSize) {
		b := make([]byte, size)
		_, err := io.ReadFull(r, b)
		return b, err
	}
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, fmt.Errorf("the answer has more than %d bytes", limit)
	}
	return b, err
}

// again reports whether to try again after x.wait, which must end before the caller's deadline.
func (x *exchange) again(ctx context.Context, resp *http.Response, err error) bool {
	if ctx.Err() != nil || !x.mayRepeat() || x.attempt >= x.c.retry.Attempts || !x.transient(resp, err) {
		return false
	}
	var header http.Header
	if resp != nil {
		header = resp.Header
	}
	wait, ok := x.c.retry.wait(x.attempt, header)
	if deadline, set := ctx.Deadline(); !ok || set && time.Until(deadline) <= wait {
		return false
	}
	x.wait = wait
	if resp != nil && resp.StatusCode/100 != 2 {
		x.earlier = x.problem(resp)
	}
	return true
}

func (x *exchange) mayRepeat() bool {
	return x.repeat || x.method == http.MethodGet || x.method == http.MethodPut || x.method == http.MethodDelete
}

func (x *exchange) transient(resp *http.Response, err error) bool {
	switch {
	case err != nil:
		return isConnectionError(err)
	case retryStatus(resp.StatusCode):
		return true
	}
	return x.bodyErr != nil && resp.StatusCode/100 == 2 && isConnectionError(x.bodyErr)
}

func (x *exchange) log(ctx context.Context, resp *http.Response, err error, again bool) {
	args := []any{"method", x.method, "path", x.path, "attempt", x.attempt, "elapsed", time.Since(x.began)}
	if resp != nil {
		args = append(args, "status", resp.StatusCode)
	}
	if err != nil {
		args = append(args, "error", x.c.redact(withoutURL(err).Error()))
	}
	if again {
		args = append(args, "retry_in", x.wait)
	}
	x.c.log.DebugContext(ctx, "called the memory API", args...)
}

// problem makes an error of an answer. Neither the client's token nor one that its transport added gets into it: some
// servers show what they were sent.
func (x *exchange) problem(resp *http.Response) *Error {
	redact := x.c.redact
	if resp.Request != nil {
		if _, sent, _ := strings.Cut(resp.Request.Header.Get("Authorization"), " "); sent != "" {
			redact = func(text string) string { return strings.ReplaceAll(x.c.redact(text), sent, redacted) }
		}
	}
	return decodeProblem(resp.StatusCode, resp.Header, x.body, redact)
}

// failure is the error of a call that has no answer. What the API answered before is not lost when the caller's
// context ends in the middle of the attempts.
func (x *exchange) failure(ctx context.Context, err error) error {
	err = withoutURL(err)
	failed := &ConnectionError{
		Endpoint: x.c.BaseURL(), Err: err, unreachable: ctx.Err() == nil && isUnreachable(err),
	}
	if ctx.Err() != nil && x.earlier != nil {
		return fmt.Errorf("%w; before that it answered: %w", failed, x.earlier)
	}
	return failed
}

// withoutURL takes off what net/http puts around an error: it repeats the whole address, with the query.
func withoutURL(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // only the outermost is net/http's own
		return u.Err
	}
	return err
}

// errNotObject is what the start of an answer that is no JSON object is called.
var errNotObject = errors.New("it is not a JSON object")

// object checks that body is one whole JSON object.
func object(body []byte) error {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' || !valid(body) {
		return errNotObject
	}
	return nil
}
