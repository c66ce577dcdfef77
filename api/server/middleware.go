package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

// record is what is logged of a request. It has neither content nor credentials, nor the path, which could hold either.
type record struct {
	id        string
	route     string
	kind      access.Kind
	key       string
	user      string
	workspace string
	code      api.Code
}

type recordKey struct{}

func recordOf(ctx context.Context) *record {
	if rec, ok := ctx.Value(recordKey{}).(*record); ok {
		return rec
	}
	return &record{}
}

// observe gives a request its id, logs how it ended, and turns a panic into an error.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &record{id: requestID(r)}
		rw := &responseWriter{ResponseWriter: w}
		limitBodyTime(rw, r)
		s.coming.headArrived(r)
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		setHeaders(rw.Header(), rec.id)
		defer s.logRequest(r, rw, rec, began)
		defer s.recoverPanic(rw, r)
		next.ServeHTTP(rw, r)
	})
}

// limitBodyTime gives a request's body a time by which it has to be here, whether it is read or only drained. It isn't
// the server's ReadTimeout, for that goes on after the body and would cancel a long answer. In process there is no
// connection, and no limit.
func limitBodyTime(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	}
}

// requestID takes the client's X-Request-Id when it is fit for a log, else makes one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if saneID(id) {
		return id
	}
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

const maxRequestID = 128 // bytes

func saneID(id string) bool {
	if id == "" || len(id) > maxRequestID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

// setHeaders sets what every answer has: it is data for programs, not for a cache, and never to be run or framed.
func setHeaders(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

func (s *Server) logRequest(r *http.Request, w *responseWriter, rec *record, began time.Time) {
	level := slog.LevelInfo
	if rec.kind == access.KindLocal || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("request_id", rec.id), slog.String("method", method(r.Method)), slog.String("route", rec.route),
		slog.Int("status", w.status), slog.Int64("bytes", w.bytes), slog.Duration("elapsed", time.Since(began)),
	}
	for _, a := range []slog.Attr{
		slog.String("workspace", rec.workspace), slog.String("key", rec.key), slog.String("user", rec.user), slog.String("code", string(rec.code)),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// method is a request's method as it is logged: what is no method of HTTP could be anything.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch,
		http.MethodOptions:
		return m
	}
	return "other"
}

// recoverPanic answers a panic as an internal error, or breaks the connection off when the answer has begun.
func (s *Server) recoverPanic(w *responseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // compared as net/http does
		panic(p)
	}
	rec := recordOf(r.Context())
	s.log.ErrorContext(r.Context(), "request panicked", "request_id", rec.id, "route", rec.route, "panic", p,
		"stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c := s.newCall(w, r, Route{Pattern: rec.route})
	s.fail(c, newError(api.CodeInternal, "an internal error: the server's log has it under this request id"))
}

// responseWriter remembers what was answered.
type responseWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *responseWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *responseWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
