package oauth

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

// authorization is a request of a client to sign somebody in (RFC 6749 section 4.1.1).
type authorization struct {
	client    Client
	redirect  *url.URL
	asked     string // redirect_uri as it was sent
	state     string
	challenge string
	query     string // the request itself, to be made again
}

// Authorize answers the authorization endpoint: with GET it asks a member whether they want what a client asks for,
// with POST it takes their answer.
func (s *Server) Authorize(w http.ResponseWriter, r *http.Request, issuer string) error {
	b, err := s.open(w, r, issuer)
	if err != nil {
		return err
	}
	query, decision := r.URL.Query(), ""
	if r.Method == http.MethodPost {
		form, err := b.form()
		if err != nil {
			return b.badForm(err)
		}
		decision = form.Get("decision")
		if query, err = url.ParseQuery(form.Get("request")); err != nil {
			return b.badForm(errForged)
		}
	}
	a, problem := s.readAuthorization(query)
	if problem != "" {
		// Without a client and an address that is theirs, nobody must be sent anywhere (RFC 6749 section 4.1.2.1).
		return b.trouble(http.StatusBadRequest, "This sign-in can’t go on", problem)
	}
	if f := a.check(query, issuer); f != nil {
		return b.redirect(a.response(issuer, url.Values{"error": {f.Code}, "error_description": {f.Description}}))
	}
	switch {
	case b.user == nil:
		b.r.URL.Path, b.r.URL.RawQuery = PathAuthorize, a.query
		return b.signIn()
	case decision == "allow":
		return b.allow(a)
	case decision != "":
		return b.redirect(a.response(issuer, url.Values{"error": {codeAccessDenied}, "error_description": {"it was denied"}}))
	}
	return b.consentPage(a)
}

// readAuthorization finds the client and the address to answer to. What is wrong with them is told to the person.
func (s *Server) readAuthorization(query url.Values) (a authorization, problem string) {
	for _, name := range []string{"client_id", "redirect_uri"} {
		if len(query[name]) != 1 {
			return a, "The program that sent you here did not say once what its " + name + " is."
		}
	}
	client, ok := s.client(query.Get("client_id"))
	if !ok {
		return a, "The program that sent you here is not known."
	}
	a = authorization{client: client, asked: query.Get("redirect_uri"), state: query.Get("state"), query: query.Encode()}
	if a.redirect, ok = client.redirect(a.asked); !ok {
		return a, "The program that sent you here wants the answer sent to an address that is not its own (redirect_uri)."
	}
	a.challenge = query.Get("code_challenge")
	return a, ""
}

// redirect returns an address that codes may be sent to, or false.
func (c Client) redirect(asked string) (*url.URL, bool) {
	u, err := url.Parse(asked)
	if err != nil || u.Fragment != "" || u.User != nil || u.Opaque != "" || u.Host == "" {
		return nil, false
	}
	return u, slices.ContainsFunc(c.RedirectURIs, func(own string) bool {
		registered, err := url.Parse(own)
		return own == asked || err == nil && sameButPort(registered, u)
	})
}

// sameButPort reports whether two addresses are the same loopback one, whatever their ports (RFC 8252 section 7.3).
// Names such as localhost don't count: they may resolve to anything.
func sameButPort(registered, asked *url.URL) bool {
	host, err := netip.ParseAddr(registered.Hostname())
	if err != nil || !host.IsLoopback() || registered.Scheme != "http" || asked.Scheme != "http" {
		return false
	}
	if asked.Port() == "" && asked.Host != registered.Host {
		return false
	}
	plain := *asked
	plain.Host = registered.Host
	return asked.Hostname() == registered.Hostname() && plain.String() == registered.String()
}

// check finds what is wrong with a request whose answer can be sent to its client.
func (a authorization) check(query url.Values, issuer string) *failure {
	for _, name := range []string{"response_type", "state", "code_challenge", "code_challenge_method", "scope", "resource"} {
		if len(query[name]) > 1 {
			return fail(codeInvalidRequest, "the parameter %s is given twice", name)
		}
	}
	switch method := query.Get("code_challenge_method"); {
	case query.Get("response_type") == "":
		return fail(codeInvalidRequest, "response_type is missing")
	case query.Get("response_type") != "code":
		return fail(codeUnsupportedType, "response_type must be code")
	case query.Has("response_mode") && query.Get("response_mode") != "query":
		return fail(codeInvalidRequest, "response_mode must be query")
	case a.challenge == "":
		return fail(codeInvalidRequest, "code_challenge is missing: PKCE is required")
	case method != "S256":
		return fail(codeInvalidRequest, "code_challenge_method must be S256")
	case !validChallenge(a.challenge):
		return fail(codeInvalidRequest, "code_challenge is not a SHA-256 in base64url")
	}
	if checkScope(query.Get("scope")) != nil {
		return fail(codeInvalidScope, "the scopes are %s and %s", scopeMemory, scopeOffline)
	}
	if checkResource(query, issuer) != nil {
		return fail(codeInvalidTarget, "tokens of this server are for it alone")
	}
	return nil
}

// validChallenge reports whether s has the form of what challengeOf returns.
func validChallenge(s string) bool { return len(s) == len(challengeOf("")) && validVerifier(s) }

// response is the client's address with an answer. It names who answers, so that a client that signs in at several
// servers can't be made to mix them up (RFC 9207).
func (a authorization) response(issuer string, parameters url.Values) string {
	query := a.redirect.Query()
	for name, values := range parameters {
		query[name] = values
	}
	query.Set("iss", issuer)
	if a.state != "" {
		query.Set("state", a.state)
	}
	u := *a.redirect
	u.RawQuery = query.Encode()
	return u.String()
}

func (b *browser) consentPage(a authorization) error {
	where := "this computer"
	if host, _, err := net.SplitHostPort(a.redirect.Host); err != nil || net.ParseIP(host) == nil {
		where = a.redirect.Host
	}
	return web.Write(b.w, http.StatusOK, web.Page{
		Title: "Sign in to " + a.client.Name + "?",
		Text: []string{
			"It asks to use this memory as " + b.user.Email + ", from " + where + ".",
			"Go on only if you have just started that yourself.",
		},
		Form: &web.Form{
			Action: PathAuthorize, Token: b.token(), Hidden: []web.Field{{Name: "request", Value: a.query}},
			Buttons: []web.Button{
				{Label: "Allow", Name: "decision", Value: "allow"}, {Label: "Deny", Name: "decision", Value: "deny", Minor: true},
			},
		},
		Other: b.signOutForm(PathAuthorize + "?" + a.query), Redirect: a.redirect.String(),
	})
}

// allow sends the client a code.
func (b *browser) allow(a authorization) error {
	code, err := access.GenerateSecret(CodePrefix)
	if err != nil {
		return err
	}
	now := b.now()
	err = b.store.CreateCode(b.r.Context(), memory.Code{
		Hash: access.Hash(code), Client: a.client.ID, RedirectURI: a.asked, Challenge: a.challenge, UserID: b.user.ID,
		CreatedAt: now, ExpiresAt: now.Add(b.life.Code),
	})
	if err != nil {
		return err
	}
	return b.redirect(a.response(b.issuer, url.Values{"code": {code}}))
}
