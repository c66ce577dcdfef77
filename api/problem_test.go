package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

// problemOf returns the error for one answer.
func problemOf(t *testing.T, status int, contentType, body string) *api.Error {
	t.Helper()
	c, mux := setup(t, api.WithRetry(api.RetryPolicy{Attempts: 1}))
	mux.HandleFunc("GET /v1/whoami", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Request-Id", "r-1")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	_, err := c.WhoAmI.Get(ctx(t))
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		t.Fatalf("status %d: error = %v (%T), want *api.Error", status, err, err)
	}
	return e
}

func TestProblem(t *testing.T) {
	got := problemOf(t, 422, "application/problem+json", `{
		"type": "https://example.com/turns", "title": "Invalid turns", "status": 400, "detail": "turns[2].role is missing",
		"code": "invalid_turns", "hint": "send a role", "request_id": "r-2",
		"errors": [{"field": "turns[2].role", "message": "is missing"}], "later": true}`)
	want := &api.Error{
		Type: "https://example.com/turns", Title: "Invalid turns", Status: 422, Detail: "turns[2].role is missing",
		Code: api.CodeInvalidTurns, Hint: "send a role", RequestID: "r-2", RetryAfter: 3 * time.Second,
		Errors: []api.FieldError{{Field: "turns[2].role", Message: "is missing"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What stands between client and server, and APIs of others, answer in their own ways.
func TestForeignProblems(t *testing.T) {
	const html, text, json = "text/html; charset=utf-8", "text/plain", "application/json"
	for _, tt := range []struct {
		status            int
		contentType, body string
		code              api.Code
		detail            string
	}{
		{502, html, "<html><head><TITLE>\n 502 Bad\tGateway </TITLE></head><body>nginx</body></html>", api.CodeUnavailable,
			"the server answered 502 Bad Gateway with a web page: 502 Bad Gateway"},
		{503, html, "<p>sorry</p>", api.CodeUnavailable, "the server answered 503 Service Unavailable with a web page"},
		{504, text, "upstream\x1b[31m timed out\n", api.CodeUnavailable,
			"the server answered 504 Gateway Timeout: upstream[31m timed out"},
		{500, json, `{"message": "boom"}`, api.CodeInternal, "the server answered 500 Internal Server Error: boom"},
		{401, json, `{"error": "invalid_token", "error_description": "it expired"}`, api.CodeUnauthenticated,
			"the server answered 401 Unauthorized: it expired"},
		{403, json, `{"error": {"message": "not you"}}`, api.CodePermissionDenied, "the server answered 403 Forbidden: not you"},
		{404, "application/problem+json", `{"title": "Nothing", "detail": "no route"}`, api.CodeNotFound,
			"the server answered 404 Not Found: no route"},
		{405, "", "", api.CodeInvalidRequest, "the server answered 405 Method Not Allowed"},
		{409, json, `[1]`, api.CodeAlreadyExists, "the server answered 409 Conflict"},
		{413, html, "<title></title>", api.CodeTooLarge, "the server answered 413 Request Entity Too Large with a web page"},
		{422, text, "", api.CodeInvalidRequest, "the server answered 422 Unprocessable Entity"},
		{429, json, `{"code": 12}`, api.CodeRateLimited, "the server answered 429 Too Many Requests"},
		{418, text, "short and stout", api.CodeInvalidRequest, "the server answered 418 I'm a teapot: short and stout"},
		{599, text, strings.Repeat("x", 1000), api.CodeInternal, "the server answered 599: " + strings.Repeat("x", 300) + "…"},
		{304, "", "", api.CodeInternal, "the server answered 304 Not Modified"},
		{502, html, "<title>" + strings.Repeat("İ", 10) + "</title>", api.CodeUnavailable,
			"the server answered 502 Bad Gateway with a web page"},
		{502, html, "<title", api.CodeUnavailable, "the server answered 502 Bad Gateway with a web page"},
		{502, html, "</title><title", api.CodeUnavailable, "the server answered 502 Bad Gateway with a web page"},
	} {
		got := problemOf(t, tt.status, tt.contentType, tt.body)
		if got.Code != tt.code || got.Detail != tt.detail || got.Status != tt.status || got.RequestID != "r-1" {
			t.Errorf("%d %q:\n got %s %q (status %d, request %s)\nwant %s %q", tt.status, tt.body,
				got.Code, got.Detail, got.Status, got.RequestID, tt.code, tt.detail)
		}
		if got.Title == "" && tt.status != 599 || got.Type != "about:blank" {
			t.Errorf("%d: title %q, type %q", tt.status, got.Title, got.Type)
		}
	}
}

// An error page may be of any size; no more of it is read than an error needs.
func TestLongProblem(t *testing.T) {
	got := problemOf(t, 500, "text/plain", strings.Repeat("a", 10<<20))
	if len(got.Detail) > 400 {
		t.Errorf("the detail has %d bytes", len(got.Detail))
	}
}
