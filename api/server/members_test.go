package server

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// join makes a member with a role and selectors, who has no password.
func join(tb testing.TB, s *Server, email, role string, selectors ...string) memory.User {
	tb.Helper()
	made, err := s.oauth.Invite(tb.Context(), api.Invitation{
		Email: email, Role: role, Selectors: selectors, CreatedAt: s.clock(), ExpiresAt: s.clock().Add(time.Hour),
	}, publicURL)
	if err != nil {
		tb.Fatal(err)
	}
	id, err := access.NewID("us_")
	if err != nil {
		tb.Fatal(err)
	}
	_, token, _ := strings.Cut(made.Link, "token=")
	user, err := s.store.AcceptInvitation(tb.Context(), access.Hash(token),
		memory.User{Member: api.Member{ID: id, Name: email}}, s.clock())
	if err != nil {
		tb.Fatal(err)
	}
	return user
}

// signIn gives a member a session of a client, and returns its tokens.
func signIn(tb testing.TB, s *Server, userID string) (accessToken, refreshToken string) {
	tb.Helper()
	secrets := make([]string, 3)
	for i, prefix := range []string{oauth.AccessPrefix, oauth.RefreshPrefix, oauth.CodePrefix} {
		var err error
		if secrets[i], err = access.GenerateSecret(prefix); err != nil {
			tb.Fatal(err)
		}
	}
	id, err := access.NewID("se_")
	if err != nil {
		tb.Fatal(err)
	}
	at := s.clock()
	code := memory.Code{
		Hash: access.Hash(secrets[2]), Client: oauth.ClientCLI, UserID: userID, CreatedAt: at, ExpiresAt: at.Add(time.Minute),
	}
	if err := s.store.CreateCode(tb.Context(), code); err != nil {
		tb.Fatal(err)
	}
	_, err = s.store.RedeemCode(tb.Context(), code.Hash, func(memory.Code) error { return nil }, memory.Grant{
		SessionID: id, ExpiresAt: at.Add(90 * 24 * time.Hour), Tokens: memory.Tokens{
			Access: access.Hash(secrets[0]), Refresh: access.Hash(secrets[1]), AccessExpires: at.Add(30 * time.Minute),
			RefreshExpires: at.Add(24 * time.Hour),
		},
	}, at)
	if err != nil {
		tb.Fatal(err)
	}
	return secrets[0], secrets[1]
}

// member is join and signIn.
func member(tb testing.TB, s *Server, email, role string, selectors ...string) (user memory.User, token string) {
	tb.Helper()
	user = join(tb, s, email, role, selectors...)
	token, _ = signIn(tb, s, user.ID)
	return user, token
}
