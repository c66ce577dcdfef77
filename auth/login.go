package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"
)

// loginLimit is how long a person may take in the browser.
const loginLimit = 15 * time.Minute

// Login signs a person in at an endpoint.
type Login struct {
	Endpoint  *url.URL
	ClientID  string   // empty means [DefaultClientID]
	Scopes    []string // none means what the API or its authorization server asks for
	AllowHTTP bool     // allow plain http to other machines
	// Transport carries all requests; nil means [http.DefaultTransport].
	Transport http.RoundTripper
	// Tell shows a person what to do. It always shows the address that is to be opened.
	Tell func(text string)
	// Open opens a browser at an address and returns once that is done or has failed. nil means that there is no
	// browser here: the device grant is used.
	Open func(ctx context.Context, address string) error
}

// Run signs in and returns the session, which is not kept anywhere yet: see [Sessions.Save]. It ends when ctx does.
func (l Login) Run(ctx context.Context) (*Session, error) {
	endpoint, err := Canonical(l.Endpoint)
	if err != nil {
		return nil, err
	}
	if err := checkScheme(l.Endpoint, l.AllowHTTP); err != nil {
		return nil, err
	}
	if l.Transport == nil {
		l.Transport = http.DefaultTransport
	}
	if l.ClientID == "" {
		l.ClientID = DefaultClientID
	}
	client := oauthClient(l.Transport)
	meta, asked, err := discovery{client: client, allowHTTP: l.AllowHTTP}.find(ctx, l.Endpoint)
	if err != nil {
		return nil, err
	}
	config := public(l.ClientID, meta.Token)
	config.Endpoint.AuthURL, config.Endpoint.DeviceAuthURL = meta.Authorization, meta.Device
	config.Scopes = l.scopes(meta, asked)
	token, err := l.grant(withClient(ctx, client), config, meta)
	if err != nil {
		return nil, err
	}
	s := &Session{Endpoint: endpoint, Kind: KindSession, secrets: secrets{
		Issuer: meta.Issuer, TokenURL: meta.Token, RevokeURL: meta.Revocation, ClientID: l.ClientID,
	}}
	return s, s.secrets.take(token)
}

// scopes are those that were asked for, else those of the API, else what an OpenID provider needs to give a refresh
// token (OpenID Connect Core 1.0, section 11).
func (l Login) scopes(meta *serverMetadata, asked []string) []string {
	switch {
	case len(l.Scopes) > 0:
		return l.Scopes
	case len(asked) > 0:
		return asked
	}
	var scopes []string
	for _, s := range []string{"openid", "offline_access"} {
		if slices.Contains(meta.Scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// grant gets the tokens through the browser, or, where there is none, with the device grant.
func (l Login) grant(ctx context.Context, config *oauth2.Config, meta *serverMetadata) (*oauth2.Token, error) {
	switch {
	case l.Open != nil && meta.Authorization != "":
		token, err := l.browser(ctx, config, meta)
		if errors.Is(err, errNoBrowser) && meta.Device != "" {
			l.Tell("The browser did not open, so another way is used.")
			return l.device(ctx, config)
		}
		return token, err
	case meta.Device != "":
		return l.device(ctx, config)
	case l.Open == nil && meta.Authorization != "":
		return nil, errors.New("the authorization server has no device grant, and a browser is needed on this machine without it")
	}
	return nil, errors.New("the authorization server has neither a page to sign in nor a device grant")
}

// errNoBrowser says that no browser could be opened.
var errNoBrowser = errors.New("no browser opened")

// browser is the authorization code grant with PKCE (RFC 7636) and a loopback redirect (RFC 8252, section 7.3).
func (l Login) browser(ctx context.Context, config *oauth2.Config, meta *serverMetadata) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginLimit, errors.New("nobody signed in within "+loginLimit.String()))
	defer cancel()
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := listen(ctx, state, meta)
	if err != nil {
		return nil, err
	}
	defer back.close()
	config.RedirectURL = back.address
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if slices.Contains(config.Scopes, "offline_access") {
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	address := config.AuthCodeURL(state, options...)
	l.Tell("Sign in in the browser. If it does not open by itself, open this address on this machine:\n\n  " + address + "\n")
	code, err := l.await(ctx, back, address, meta.Device != "")
	if err != nil {
		return nil, err
	}
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		err = fmt.Errorf("exchanging the code for tokens: %w", oauthError(err, code, verifier))
	}
	back.finish(err)
	return token, err
}

// await opens the browser and waits for its answer. A browser that fails to open ends the wait when there is another
// way; else the address was printed, and somebody may open it.
func (l Login) await(ctx context.Context, back *callback, address string, otherWay bool) (string, error) {
	opened := make(chan error, 1)
	go func() { opened <- l.Open(ctx, address) }()
	for {
		select {
		case answer := <-back.answers:
			return answer.code, answer.err
		case err := <-opened:
			if err != nil && otherWay {
				return "", errNoBrowser
			}
			opened = nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
