package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	revokeLimit = 5 * time.Second
	// logoutLock is how long a logout waits for a renewal of another process; one that takes longer has stopped.
	logoutLock = 16 * time.Second
)

// Farewell is what became of a session that was ended.
type Farewell struct {
	Kind    Kind  // what was kept
	Revoked bool  // the server ended it as well
	Problem error // why the server was not told, or what could not be deleted; nil when all went well
}

// Logout ends the session of an endpoint: it is deleted here whatever happens, and then revoked at its server (RFC 7009)
// when that can be done. An API key is not revoked: others may use it. The error wraps [ErrNotSignedIn] when there is no
// session, and is that of the file system when it could not be deleted.
func (s *Sessions) Logout(ctx context.Context, endpoint *url.URL, base http.RoundTripper) (*Farewell, error) {
	canonical, err := Canonical(endpoint)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, logoutLock)
	defer cancel()
	if at, err := statFile(s.file(canonical)); err == nil && at.info == nil {
		return nil, fmt.Errorf("%w at %s", ErrNotSignedIn, canonical)
	}
	unlock, err := s.lock(waiting, canonical)
	if err == nil {
		defer unlock()
	}
	session, err := s.Load(ctx, canonical)
	if errors.Is(err, ErrNotSignedIn) {
		return nil, err
	}
	f := &Farewell{Problem: err}
	place := s.PlaceOf(canonical)
	if session != nil {
		f.Kind = session.Kind
	}
	detached := context.WithoutCancel(ctx) // what was begun is finished: half a logout is none
	if errors.Is(err, ErrKeyringSilent) {
		place = PlaceFile // asking it again would only take as long again; without the file, its key opens nothing
	}
	if err := s.remove(detached, canonical, place); err != nil {
		if at, statErr := statFile(s.file(canonical)); statErr != nil || at.info != nil {
			return nil, err
		}
		f.Problem = errors.Join(f.Problem, err)
	}
	if session == nil || session.Kind == KindKey || session.Ended {
		return f, nil
	}
	if base == nil {
		base = http.DefaultTransport
	}
	if err := session.revoke(ctx, oauthClient(base)); err != nil {
		f.Problem = errors.Join(f.Problem, fmt.Errorf("revoking the session at the server: %w", err))
		return f, nil
	}
	f.Revoked = true
	return f, nil
}

// revoke ends a session at its server. The refresh token stands for the whole of it (RFC 7009, section 2.1).
func (s *Session) revoke(ctx context.Context, client *http.Client) error {
	if s.secrets.RevokeURL == "" {
		return errors.New("it has no revocation endpoint")
	}
	token, hint := s.secrets.Refresh, "refresh_token"
	if token == "" {
		token, hint = s.secrets.Access, "access_token"
	}
	ctx, cancel := context.WithTimeout(ctx, revokeLimit)
	defer cancel()
	form := url.Values{"token": {token}, "token_type_hint": {hint}, "client_id": {s.secrets.ClientID}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.secrets.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return errors.New("its address is no address")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		return oauthError(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", resp.Status)
	}
	return nil
}
