package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// localKey marks the context of a call that comes through [Server.LocalTransport]. Nothing in a request that came over
// a connection can set it.
type localKey struct{}

// authenticate says who makes a request.
func (s *Server) authenticate(r *http.Request) (access.Principal, error) {
	if local, _ := r.Context().Value(localKey{}).(bool); local {
		return access.Local(), nil
	}
	token, err := bearer(r.Header)
	if err != nil {
		return access.Principal{}, err
	}
	if strings.HasPrefix(token, oauth.AccessPrefix) {
		return s.authenticateUser(r.Context(), token)
	}
	if err := access.ParseKey(token); err != nil {
		return access.Principal{}, badCredential(err.Error())
	}
	key, err := s.store.KeyByHash(r.Context(), access.Hash(token))
	if errors.Is(err, memory.ErrNotFound) {
		return access.Principal{}, badCredential("the API key is not known here")
	}
	if err != nil {
		return access.Principal{}, fmt.Errorf("looking up the API key: %w", err)
	}
	return s.keyPrincipal(key.Key)
}

// authenticateUser says who an access token is of. What they may do is read from the store, never from the token.
func (s *Server) authenticateUser(ctx context.Context, token string) (access.Principal, error) {
	if !access.WellFormed(oauth.AccessPrefix, token) {
		return access.Principal{}, badCredential("the access token is mistyped or cut short")
	}
	found, err := s.store.Token(ctx, access.Hash(token))
	if errors.Is(err, memory.ErrNotFound) {
		return access.Principal{}, badCredential("the access token is not known here")
	}
	if err != nil {
		return access.Principal{}, fmt.Errorf("looking up the access token: %w", err)
	}
	switch {
	case found.Refresh: // unreachable while the prefixes differ, and wrong if they ever don't
		return access.Principal{}, badCredential("it is not an access token")
	case found.Session.RevokedAt != nil:
		return access.Principal{}, badCredential("the sign-in was ended")
	case !oauth.Good(found, s.clock()):
		return access.Principal{}, badCredential("the access token has expired")
	}
	return userPrincipal(found), nil
}

func userPrincipal(t memory.Token) access.Principal {
	u := t.Session.User
	return access.Principal{
		Kind: access.KindUser, User: u.ID, Email: u.Email, Session: t.Session.ID, Role: access.Role(u.Role),
		Permissions: rolePermissions(u.Role, u.RolePermissions), Selectors: knownSelectors(u.Selectors), ExpiresAt: &t.ExpiresAt,
	}
}

// rolePermissions are what a role permits: custom are the permissions of one that isn't built in.
func rolePermissions(role string, custom []string) []access.Permission {
	if builtIn := access.Role(role); builtIn.Valid() {
		return builtIn.Permissions()
	}
	return knownPermissions(custom)
}

func (s *Server) keyPrincipal(key api.Key) (access.Principal, error) {
	at := now()
	switch {
	case key.RevokedAt != nil:
		return access.Principal{}, badCredential("the API key was revoked")
	case key.ExpiresAt != nil && !key.ExpiresAt.After(at):
		return access.Principal{}, badCredential("the API key expired at " + key.ExpiresAt.UTC().Format(time.RFC3339))
	}
	s.uses.touch(key, at)
	return principalOf(key), nil
}

// principalOf takes from a stored key what this version knows: a permission or selector that it doesn't gives nothing.
func principalOf(key api.Key) access.Principal {
	p := access.Principal{
		Kind: access.KindKey, Key: key.ID, Label: key.Label, Role: access.Role(key.Role), ExpiresAt: key.ExpiresAt,
	}
	p.Permissions, p.Selectors = knownPermissions(key.Permissions), knownSelectors(key.Selectors)
	return p
}

func knownPermissions(names []string) (list []access.Permission) {
	for _, name := range names {
		if permission := access.Permission(name); permission.Valid() {
			list = append(list, permission)
		}
	}
	return list
}

func knownSelectors(texts []string) (list []access.Selector) {
	for _, text := range texts {
		if selector, err := access.ParseSelector(text); err == nil {
			list = append(list, selector)
		}
	}
	return list
}

// bearer returns the credential of an Authorization header (RFC 6750 section 2.1). Credentials in the query or the
// body are not taken: they end up in logs.
func bearer(h http.Header) (string, error) {
	values := h.Values("Authorization")
	switch len(values) {
	case 0:
		return "", &unauthenticated{detail: "no credential was sent: send Authorization: Bearer and an API key or an access token"}
	case 1:
	default:
		return "", badCredential("several Authorization headers were sent")
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	if !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", badCredential("the Authorization header is not Bearer and a credential")
	}
	return token, nil
}

// unauthenticated is the error of a request whose credential is missing (invalid is false) or no good.
type unauthenticated struct {
	detail  string
	invalid bool
}

func (e *unauthenticated) Error() string { return e.detail }

func badCredential(detail string) error { return &unauthenticated{detail: detail, invalid: true} }

// challenge is the WWW-Authenticate header of RFC 6750 section 3. A request without any credential gets no error code.
// Where people can sign in, it says where to read how (RFC 9728 section 5.1).
func challenge(err error, issuer string) string {
	realm := `Bearer realm="lukasa"`
	if issuer != "" {
		realm += `, resource_metadata="` + issuer + oauth.PathResource + `"`
	}
	var e *unauthenticated
	if !errors.As(err, &e) || !e.invalid {
		return realm
	}
	return realm + `, error="invalid_token", error_description="` + e.detail + `"`
}

// keyUses records when API keys were last used: at most once a minute for each, and while nobody waits for it.
type keyUses struct {
	store memory.KeyStore
	fail  func(err error)

	mu     sync.Mutex
	last   map[string]time.Time
	closed bool
	wg     sync.WaitGroup
}

const (
	touchEvery = time.Minute
	touchTime  = 5 * time.Second
	// maxUses bounds the memory of recent uses. Forgetting all of them costs some writes, no more.
	maxUses = 10_000
)

func (u *keyUses) touch(key api.Key, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	recent := at.Add(-touchEvery)
	if u.closed || u.last[key.ID].After(recent) || key.LastUsedAt != nil && key.LastUsedAt.After(recent) {
		return
	}
	if u.last == nil || len(u.last) >= maxUses {
		u.last = make(map[string]time.Time)
	}
	u.last[key.ID] = at
	u.wg.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), touchTime)
		defer cancel()
		if err := u.store.TouchKey(ctx, key.ID, at); err != nil {
			u.fail(err)
		}
	})
}

// close waits for what is being recorded, and records no more.
func (u *keyUses) close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.wg.Wait()
}
