package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Revoke answers the revocation endpoint (RFC 7009). Any token of a session ends all of it: that is what signing out
// means. A token that isn't there is no error, and neither is another client's, which stays as it is.
func (s *Server) Revoke(w http.ResponseWriter, r *http.Request, _ string) error {
	form, err := readForm(r)
	if err != nil {
		return answer(w, nil, err)
	}
	client, err := s.public(r, form)
	if err != nil {
		return answer(w, nil, err)
	}
	token := form.Get("token")
	if token == "" {
		return answer(w, nil, fail(codeInvalidRequest, "token is missing"))
	}
	found, err := s.find(r.Context(), token)
	if err == nil && found.Session.Client == client.ID {
		err = s.store.RevokeSession(r.Context(), found.Session.ID, s.now())
	}
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
	return nil
}

func (s *Server) find(ctx context.Context, token string) (memory.Token, error) {
	if !access.WellFormed(AccessPrefix, token) && !access.WellFormed(RefreshPrefix, token) {
		return memory.Token{}, memory.ErrNotFound
	}
	return s.store.Token(ctx, access.Hash(token))
}

// introspection is RFC 7662 section 2.2.
type introspection struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope,omitempty"`
	Client    string `json:"client_id,omitempty"`
	Username  string `json:"username,omitempty"`
	Subject   string `json:"sub,omitempty"`
	TokenType string `json:"token_type,omitempty"`
	Issuer    string `json:"iss,omitempty"`
	Audience  string `json:"aud,omitempty"`
	IssuedAt  int64  `json:"iat,omitempty"` // seconds since 1970
	ExpiresAt int64  `json:"exp,omitempty"` // seconds since 1970
}

// Introspect answers the introspection endpoint (RFC 7662). The caller has shown a credential by now. Of a token that
// isn't good nothing is told but that.
func (s *Server) Introspect(w http.ResponseWriter, r *http.Request, issuer string) error {
	form, err := readForm(r)
	if err != nil {
		return answer(w, nil, err)
	}
	if form.Get("token") == "" {
		return answer(w, nil, fail(codeInvalidRequest, "token is missing"))
	}
	t, err := s.find(r.Context(), form.Get("token"))
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return answer(w, introspection{}, nil)
	case err != nil:
		return err
	case !Good(t, s.now()):
		return answer(w, introspection{}, nil)
	}
	reply := introspection{
		Active: true, Scope: scopeMemory, Client: t.Session.Client, Username: t.Session.User.Email, Subject: t.Session.User.ID,
		Issuer: issuer, Audience: issuer, IssuedAt: t.CreatedAt.Unix(), ExpiresAt: t.ExpiresAt.Unix(),
	}
	if !t.Refresh {
		reply.TokenType = "Bearer"
	}
	return answer(w, reply, nil)
}

// Good reports whether a token can be used at a time.
func Good(t memory.Token, now time.Time) bool {
	return t.Session.RevokedAt == nil && t.UsedAt == nil && t.ExpiresAt.After(now) && t.Session.ExpiresAt.After(now)
}
