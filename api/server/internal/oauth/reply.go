package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// The error codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5, and RFC 8707 section 2.
const (
	codeInvalidRequest  = "invalid_request"
	codeInvalidClient   = "invalid_client"
	codeInvalidGrant    = "invalid_grant"
	codeInvalidScope    = "invalid_scope"
	codeInvalidTarget   = "invalid_target"
	codeUnsupportedType = "unsupported_response_type"
	codeUnsupported     = "unsupported_grant_type"
	codeAccessDenied    = "access_denied"
	codePending         = "authorization_pending"
	codeSlowDown        = "slow_down"
	codeExpired         = "expired_token"
)

// failure is an error as OAuth has it. Its description is for developers, and repeats nothing that was sent.
type failure struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (f *failure) Error() string { return f.Code + ": " + f.Description }

func fail(code, format string, args ...any) *failure {
	return &failure{Code: code, Description: fmt.Sprintf(format, args...)}
}

// status is 400 for every error but that of an unknown client (RFC 6749 section 5.2).
func (f *failure) status() int {
	if f.Code == codeInvalidClient {
		return http.StatusUnauthorized
	}
	return http.StatusBadRequest
}

// answer writes v, or err when it is one of OAuth's. Any other error is returned for the caller to answer.
func answer(w http.ResponseWriter, v any, err error) error {
	var f *failure
	switch {
	case errors.As(err, &f):
		return writeJSON(w, f.status(), f)
	case err != nil:
		return err
	}
	return writeJSON(w, http.StatusOK, v)
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the reply: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store") // RFC 6749 section 5.1
	w.Header().Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a reader that went away is not told anything
	return nil
}

// maxForm bounds a form, in bytes.
const maxForm = 64 << 10

// readForm reads the parameters of a request's body. A parameter that is there twice is refused (RFC 6749 section 3.2).
func readForm(r *http.Request) (url.Values, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/x-www-form-urlencoded" {
		return nil, fail(codeInvalidRequest, "the body must be a form: send Content-Type: application/x-www-form-urlencoded")
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, fail(codeInvalidRequest, "the form is malformed or too large")
	}
	if err := single(r.PostForm); err != nil {
		return nil, err
	}
	return r.PostForm, nil
}

func single(values url.Values) error {
	for name, v := range values {
		if len(v) > 1 {
			return fail(codeInvalidRequest, "the parameter %.40q is given twice", strings.ToValidUTF8(name, "?"))
		}
	}
	return nil
}

// public returns the client of a request. Public clients name themselves and have nothing to prove; one that sends a
// secret takes itself for something else.
func (s *Server) public(r *http.Request, form url.Values) (Client, error) {
	if r.Header.Get("Authorization") != "" || form.Get("client_secret") != "" {
		return Client{}, fail(codeInvalidClient, "clients are public here: send client_id alone, without a secret")
	}
	client, ok := s.client(form.Get("client_id"))
	if !ok {
		return Client{}, fail(codeInvalidClient, "there is no such client")
	}
	return client, nil
}

// The scopes that may be asked for. Neither changes anything: what a member may do is what their role says.
const (
	scopeMemory  = "memory"
	scopeOffline = "offline_access"
)

// checkScope refuses scopes that aren't there. What is granted is [scopeMemory] in any case.
func checkScope(asked string) error {
	for scope := range strings.FieldsSeq(asked) {
		if scope != scopeMemory && scope != scopeOffline {
			return fail(codeInvalidScope, "the scopes are %s and %s", scopeMemory, scopeOffline)
		}
	}
	return nil
}

// checkResource takes the API itself as the resource that tokens are for (RFC 8707), and nothing else.
func checkResource(form url.Values, issuer string) error {
	if resource := form.Get("resource"); resource != "" && strings.TrimSuffix(resource, "/") != issuer {
		return fail(codeInvalidTarget, "tokens of this server are for %s alone", issuer)
	}
	return nil
}
