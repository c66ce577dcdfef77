package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// errClosed is the error of a call to a server that was closed.
var errClosed = errors.New("the embedded memory API is closed")

// LocalTransport returns a transport that calls the API in process: the same handler and the same contract, without a
// socket and without a credential. Whoever has it may do everything, as the operating system's user may with the
// store's file. The host of a request's address doesn't matter. Replies stream, and cancelling a request's context, or
// closing the reply's body, cancels the call.
func (s *Server) LocalTransport() http.RoundTripper { return localTransport{s} }

type localTransport struct{ s *Server }

// RoundTrip implements [http.RoundTripper].
func (t localTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		closeBody(req)
		return nil, err
	}
	if !t.s.calls.enter() {
		closeBody(req)
		return nil, errClosed
	}
	ctx, cancel := context.WithCancel(context.WithValue(req.Context(), localKey{}, true))
	pr, pw := io.Pipe()
	w := &localWriter{header: make(http.Header), body: pw, began: make(chan struct{})}
	go func() {
		defer t.s.calls.leave()
		defer cancel()
		defer closeBody(req)
		t.s.runLocal(w, localRequest(req, ctx))
	}()
	select {
	case <-w.began:
	case <-req.Context().Done():
		cancel()
		_ = pr.CloseWithError(req.Context().Err())
		return nil, req.Context().Err()
	}
	// From here on it is the body's reader who learns that the call was cancelled.
	stop := context.AfterFunc(req.Context(), func() { _ = pw.CloseWithError(context.Cause(req.Context())) })
	return w.response(req, &localBody{PipeReader: pr, done: func() { stop(); cancel() }}), nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// localRequest is a client's request as a server gets it.
func localRequest(req *http.Request, ctx context.Context) *http.Request {
	r := req.Clone(ctx)
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = "local"
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	return r
}

// runLocal calls the handler. A reply that the handler broke off ends with an error, as it would on a connection.
func (s *Server) runLocal(w *localWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // compared as net/http does
				s.log.ErrorContext(r.Context(), "request panicked", "panic", p)
			}
			w.start(http.StatusInternalServerError)
			_ = w.body.CloseWithError(io.ErrUnexpectedEOF)
			return
		}
		w.start(http.StatusOK)
		_ = w.body.Close()
	}()
	s.handler.ServeHTTP(w, r)
}

// localWriter passes a reply on as it is written.
type localWriter struct {
	header http.Header
	body   *io.PipeWriter
	once   sync.Once
	began  chan struct{} // closed when status and sent are set
	status int
	sent   http.Header
}

func (w *localWriter) Header() http.Header { return w.header }

func (w *localWriter) WriteHeader(status int) { w.start(status) }

func (w *localWriter) Write(p []byte) (int, error) {
	w.start(http.StatusOK)
	return w.body.Write(p)
}

// Flush does nothing: what is written is passed on at once.
func (w *localWriter) Flush() { w.start(http.StatusOK) }

func (w *localWriter) start(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.began)
	})
}

func (w *localWriter) response(req *http.Request, body io.ReadCloser) *http.Response {
	resp := &http.Response{
		Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, ContentLength: contentLength(w.sent), Body: body, Request: req,
	}
	if req.Method == http.MethodHead {
		_ = body.Close()
		resp.Body = http.NoBody
	}
	return resp
}

// contentLength is the length that a reply says it has, -1 when it says none.
func contentLength(h http.Header) int64 {
	n, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// localBody is the body of a reply. Closing it ends a call that still writes.
type localBody struct {
	*io.PipeReader
	done func()
}

func (b *localBody) Close() error {
	b.done()
	return b.PipeReader.Close()
}
