// Package oauth signs people in: the endpoints of OAuth 2.0 that public clients need (authorization code with PKCE,
// refresh, and device grant; RFC 6749, 7636, 8252, 8628, 9207), revocation (RFC 7009), introspection (RFC 7662),
// metadata (RFC 8414, RFC 9728), and the pages on which people say who they are.
//
// Tokens are opaque and stored by their digests. A refresh token is good for one use; whoever repeats that use within
// the grace period, because the reply was lost, gets the same successor, and whoever repeats it later ends the session.
//
//	s := oauth.New(oauth.Options{Store: store, Now: func() time.Time { return time.Now().UTC() }})
//	http.HandleFunc("POST "+oauth.PathToken, func(w http.ResponseWriter, r *http.Request) {
//		if err := s.Token(w, r, "https://memory.example.com"); err != nil {
//			fault(w, err) // of the store's, or ours; what OAuth has an answer for is answered
//		}
//	})
//
// # Who people are
//
// A local account is the only way by now: an e-mail address and a password. Everything behind it begins with
// [Server.signedIn], which takes a member and asks nothing about how they were recognised: there an upstream OpenID
// provider joins, by the provider that is stored with each member.
package oauth
