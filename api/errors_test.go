package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestErrorIs(t *testing.T) {
	sentinels := map[api.Code]error{
		api.CodeInvalidRequest: api.ErrInvalidRequest, api.CodeUnauthenticated: api.ErrUnauthenticated,
		api.CodePermissionDenied: api.ErrPermissionDenied, api.CodeNotFound: api.ErrNotFound,
		api.CodeAlreadyExists: api.ErrAlreadyExists, api.CodeTooLarge: api.ErrTooLarge,
		api.CodeInvalidTurns: api.ErrInvalidTurns, api.CodeHandleMismatch: api.ErrHandleMismatch,
		api.CodeRateLimited: api.ErrRateLimited, api.CodeInternal: api.ErrInternal, api.CodeUnavailable: api.ErrUnavailable,
	}
	if len(sentinels) != len(api.Codes()) {
		t.Errorf("%d codes are tested, there are %d", len(sentinels), len(api.Codes()))
	}
	for _, code := range api.Codes() {
		err := fmt.Errorf("calling: %w", &api.Error{Code: code, Status: code.Status()})
		for other, sentinel := range sentinels {
			if got := errors.Is(err, sentinel); got != (other == code) {
				t.Errorf("errors.Is(%s, %s's) = %v", code, other, got)
			}
		}
	}
}

func TestCodeStatus(t *testing.T) {
	for code, want := range map[api.Code]int{
		api.CodeInvalidRequest: 400, api.CodeUnauthenticated: 401, api.CodePermissionDenied: 403, api.CodeNotFound: 404,
		api.CodeAlreadyExists: 409, api.CodeTooLarge: 413, api.CodeInvalidTurns: 422, api.CodeHandleMismatch: 422,
		api.CodeRateLimited: 429, api.CodeInternal: 500, api.CodeUnavailable: 503, "of_tomorrow": 500,
	} {
		if got := code.Status(); got != want {
			t.Errorf("%s: status %d, want %d", code, got, want)
		}
	}
}

// A later server may have codes that this client doesn't know. Their status still says what to do.
func TestUnknownCode(t *testing.T) {
	for status, want := range map[int]error{
		400: api.ErrInvalidRequest, 404: api.ErrNotFound, 410: api.ErrInvalidRequest, 422: api.ErrInvalidRequest,
		500: api.ErrInternal, 503: api.ErrUnavailable,
	} {
		if err := error(&api.Error{Code: "of_tomorrow", Status: status}); !errors.Is(err, want) {
			t.Errorf("status %d is not %v", status, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  api.Error
		want string
	}{
		{api.Error{Code: api.CodeNotFound, Title: "Not Found", Detail: "there is no workspace x"}, "there is no workspace x"},
		{api.Error{Code: api.CodeNotFound, Title: "Not Found"}, "Not Found"},
		{api.Error{Code: api.CodeNotFound}, "not found"},
		{api.Error{Code: "of_tomorrow", Status: http.StatusServiceUnavailable}, "unavailable"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
