package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// enableSignIn prepares the server's sign-in.
func (s *Server) enableSignIn(opts Options) error {
	if opts.PublicURL != "" {
		public, err := parsePublic(opts.PublicURL)
		if err != nil {
			return err
		}
		s.public = public
	}
	s.clock, s.limits, s.behind = opts.clock, opts.limits, opts.ForwardedFor
	if s.clock == nil {
		s.clock = now
	}
	if s.limits == nil {
		s.limits = newLimits()
	}
	life := opts.SignIn
	s.oauth = oauth.New(oauth.Options{
		Store: s.store, Now: s.clock, Clients: opts.clients, Password: opts.password,
		Lifetimes: oauth.Lifetimes{
			Access: life.AccessToken, Refresh: life.RefreshToken, Session: life.Session, Grace: life.Grace, Poll: life.DevicePoll,
		},
	})
	return nil
}

// parsePublic checks the address that people reach the server at. It has no path: the metadata of RFC 8414 would have to
// be at another place of the host, which isn't the server's.
func parsePublic(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("reading the public URL: it is not a URL; it looks like https://memory.example.com")
	}
	switch {
	case u.Hostname() == "", u.User != nil, u.RawQuery != "", u.Fragment != "", strings.Trim(u.Path, "/") != "":
		return "", errors.New("reading the public URL: it takes a scheme and a host alone, such as https://memory.example.com")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u.Scheme + "://" + strings.ToLower(u.Host), nil
	}
	return "", errors.New("reading the public URL: it must begin with https://, for passwords and tokens go there")
}

// loopback reports whether a host is this machine; names below localhost are (RFC 6761 section 6.3).
func loopback(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// issuer is the address by which a caller reaches the server. Unless it was configured, it is whatever they call it by,
// and that is believed only of names that can't be anybody else's: those of this machine.
func (s *Server) issuer(r *http.Request) (string, error) {
	if s.public != "" {
		return s.public, nil
	}
	u, err := url.Parse("http://" + r.Host)
	if err != nil || u.Host != r.Host || u.User != nil || !loopback(u.Hostname()) {
		return "", newError(api.CodeNotFound, "nobody can sign in here: whoever runs this server has not said what its public URL is")
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + strings.ToLower(r.Host), nil
}

// signInRoutes are the endpoints of OAuth, and the pages. None takes a credential but introspection.
func signInRoutes() []Route {
	type handler func(*oauth.Server, http.ResponseWriter, *http.Request, string) error
	open := func(method, pattern string, l limit, h handler, query ...string) Route {
		return Route{
			Method: method, Pattern: pattern, Public: true, Query: query, signIn: true, limit: l,
			handle: func(c *call) error { return c.signIn(h) },
		}
	}
	authorization := []string{
		"response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "state", "scope", "resource",
		"response_mode",
	}
	introspect := open("POST", oauth.PathIntrospect, limitNone, (*oauth.Server).Introspect)
	introspect.Public = false
	return []Route{
		open("GET", oauth.PathServer, limitOpen, (*oauth.Server).Metadata),
		open("GET", oauth.PathResource, limitOpen, (*oauth.Server).Resource),
		open("GET", oauth.PathAuthorize, limitOpen, (*oauth.Server).Authorize, authorization...),
		open("POST", oauth.PathAuthorize, limitSignIn, (*oauth.Server).Authorize),
		open("POST", oauth.PathToken, limitOpen, (*oauth.Server).Token),
		open("POST", oauth.PathDevice, limitSignIn, (*oauth.Server).Device),
		open("POST", oauth.PathRevoke, limitOpen, (*oauth.Server).Revoke),
		introspect,
		open("GET", oauth.PathVerify, limitOpen, (*oauth.Server).Verify, "user_code"),
		open("POST", oauth.PathVerify, limitSignIn, (*oauth.Server).Verify),
		open("GET", oauth.PathSignIn, limitOpen, (*oauth.Server).SignIn, "next"),
		open("POST", oauth.PathSignIn, limitSignIn, (*oauth.Server).SignIn),
		open("POST", oauth.PathSignOut, limitSignIn, (*oauth.Server).SignOut),
		open("GET", oauth.PathInvitation, limitOpen, (*oauth.Server).Invitation, "token"),
		open("POST", oauth.PathInvitation, limitSignIn, (*oauth.Server).Invitation),
	}
}

// signIn passes a call on to an endpoint of OAuth, which knows who the server is.
func (c *call) signIn(h func(*oauth.Server, http.ResponseWriter, *http.Request, string) error) error {
	issuer, err := c.issuer(c.r)
	if err != nil {
		return err
	}
	return h(c.oauth, c.w, c.r, issuer)
}

// sweepEvery is how often what is of no use any more is deleted.
const sweepEvery = time.Minute

// sweep deletes old tokens and the like until ctx ends.
func (s *Server) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.store.Sweep(ctx, s.oauth.Grace(), s.clock()); err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "sweeping old sign-ins", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// SetupLink returns a link for one use, good for a day, with which somebody becomes the first administrator: the member
// with the role root. base is where the server is reached; it doesn't count where the options name a public URL. Earlier
// such links end. It is an error that there is an administrator already.
func (s *Server) SetupLink(ctx context.Context, base string) (string, error) {
	if s.public != "" {
		base = s.public
	}
	issuer, err := parsePublic(base)
	if err != nil {
		return "", err
	}
	made, err := s.oauth.Setup(asOperator(ctx), issuer)
	if err != nil {
		return "", fmt.Errorf("setting up the first administrator: %w", err)
	}
	return made.Link, nil
}
