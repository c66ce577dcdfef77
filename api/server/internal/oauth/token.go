package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// tokenReply is RFC 6749 section 5.1.
type tokenReply struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope"`
}

// Token answers the token endpoint (RFC 6749 section 3.2).
func (s *Server) Token(w http.ResponseWriter, r *http.Request, issuer string) error {
	form, err := readForm(r)
	if err != nil {
		return answer(w, nil, err)
	}
	p, err := s.grant(r, form, issuer)
	if err != nil {
		return answer(w, nil, err)
	}
	left := max(p.Expires.Sub(s.now()), 0)
	return answer(w, tokenReply{
		Access: p.Access, Type: "Bearer", ExpiresIn: int(left / time.Second), Refresh: p.Refresh, Scope: scopeMemory,
	}, nil)
}

func (s *Server) grant(r *http.Request, form url.Values, issuer string) (p pair, err error) {
	client, err := s.public(r, form)
	if err != nil {
		return p, err
	}
	if err := checkScope(form.Get("scope")); err != nil {
		return p, err
	}
	if err := checkResource(form, issuer); err != nil {
		return p, err
	}
	switch form.Get("grant_type") {
	case grantCode:
		return s.redeem(r.Context(), client, form)
	case grantRefresh:
		return s.refresh(r.Context(), client, form)
	case grantDevice:
		return s.poll(r.Context(), client, form)
	case "":
		return p, fail(codeInvalidRequest, "grant_type is missing")
	}
	return p, fail(codeUnsupported, "the grant types are %s, %s and %s", grantCode, grantRefresh, grantDevice)
}

// redeem turns a code into tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
func (s *Server) redeem(ctx context.Context, client Client, form url.Values) (p pair, err error) {
	code, verifier := form.Get("code"), form.Get("code_verifier")
	switch {
	case code == "":
		return p, fail(codeInvalidRequest, "code is missing")
	case verifier == "":
		return p, fail(codeInvalidRequest, "code_verifier is missing: PKCE is required")
	case !validVerifier(verifier):
		return p, fail(codeInvalidRequest, "code_verifier must be 43 to 128 unreserved characters")
	case !access.WellFormed(CodePrefix, code):
		return p, fail(codeInvalidGrant, "the code is not valid")
	}
	now := s.now()
	p, grant, err := s.newGrant(now)
	if err != nil {
		return p, err
	}
	check := func(c memory.Code) error {
		switch {
		case c.Client != client.ID:
			return fail(codeInvalidGrant, "the code is another client's")
		case c.RedirectURI != form.Get("redirect_uri"):
			return fail(codeInvalidGrant, "redirect_uri is not the one that the code was asked for with")
		case subtle.ConstantTimeCompare([]byte(c.Challenge), []byte(challengeOf(verifier))) != 1:
			return fail(codeInvalidGrant, "code_verifier does not match the code_challenge")
		}
		return nil
	}
	if _, err := s.store.RedeemCode(ctx, access.Hash(code), check, grant, now); err != nil {
		return pair{}, invalidGrant(err, "the code is not valid: it is unknown, expired or was used before")
	}
	return p, nil
}

// challengeOf is the S256 transformation of RFC 7636 section 4.2.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// validVerifier checks the form that RFC 7636 section 4.1 gives a verifier.
func validVerifier(s string) bool {
	if len(s) < 43 || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
		default:
			return false
		}
	}
	return true
}

// refresh replaces a refresh token (RFC 6749 section 6). One that was replaced moments ago, whose reply may have been
// lost, gets the same successor again.
func (s *Server) refresh(ctx context.Context, client Client, form url.Values) (p pair, err error) {
	presented := form.Get("refresh_token")
	switch {
	case presented == "":
		return p, fail(codeInvalidRequest, "refresh_token is missing")
	case !access.WellFormed(RefreshPrefix, presented):
		return p, fail(codeInvalidGrant, "the refresh token is not valid")
	}
	now := s.now()
	p, tokens, err := s.newPair(now)
	if err != nil {
		return p, err
	}
	if tokens.Sealed, err = seal(p, presented); err != nil {
		return p, err
	}
	sealed, session, err := s.store.Rotate(ctx, access.Hash(presented), client.ID, tokens, s.life.Grace, now)
	switch {
	case err != nil:
		return pair{}, invalidGrant(err, "the refresh token is not valid: it is unknown, expired, revoked or was used before")
	case sealed != nil:
		if p, err = unseal(sealed, presented); err != nil {
			return pair{}, err
		}
	}
	p.Expires = earlier(p.Expires, session.ExpiresAt)
	return p, nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// invalidGrant answers what a store refuses in one way, so that nobody learns which it was.
func invalidGrant(err error, description string) error {
	for _, known := range []error{memory.ErrNotFound, memory.ErrExpired, memory.ErrReplayed} {
		if errors.Is(err, known) {
			return fail(codeInvalidGrant, "%s", description)
		}
	}
	return err
}

// poll turns a device that was allowed into tokens (RFC 8628 section 3.4).
func (s *Server) poll(ctx context.Context, client Client, form url.Values) (p pair, err error) {
	code := form.Get("device_code")
	switch {
	case code == "":
		return p, fail(codeInvalidRequest, "device_code is missing")
	case !access.WellFormed(DevicePrefix, code):
		return p, fail(codeInvalidGrant, "the device code is not valid")
	}
	now := s.now()
	p, grant, err := s.newGrant(now)
	if err != nil {
		return p, err
	}
	_, err = s.store.PollDevice(ctx, access.Hash(code), client.ID, grant, now)
	switch {
	case errors.Is(err, memory.ErrPending):
		return pair{}, fail(codePending, "nobody has decided yet")
	case errors.Is(err, memory.ErrSlowDown):
		return pair{}, fail(codeSlowDown, "poll less often: wait 5 seconds longer from now on")
	case errors.Is(err, memory.ErrDenied):
		return pair{}, fail(codeAccessDenied, "it was denied")
	case errors.Is(err, memory.ErrExpired):
		return pair{}, fail(codeExpired, "the device code has expired")
	case errors.Is(err, memory.ErrNotFound):
		return pair{}, fail(codeInvalidGrant, "the device code is not valid")
	}
	return p, err
}
