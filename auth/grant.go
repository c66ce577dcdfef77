package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"
)

// DefaultClientID is the client that lukasa's own servers know.
const DefaultClientID = "lukasa-cli"

// grantError is an error that an authorization server answered. Its body is left out: it may hold what was sent.
type grantError struct {
	code, description string
	status            int
}

func (e *grantError) Error() string {
	switch {
	case e.code == "":
		return fmt.Sprintf("the authorization server answered %d %s", e.status, http.StatusText(e.status))
	case e.description == "":
		return "the authorization server answered " + e.code
	}
	return fmt.Sprintf("the authorization server answered %s: %s", e.code, e.description)
}

// transient reports whether asking again later may help.
func (e *grantError) transient() bool {
	return e.status >= 500 || e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout ||
		e.code == "temporarily_unavailable" || e.code == "server_error"
}

// oauthError makes an error of ours of one of x/oauth2's, whose text may hold the server's whole answer. secrets are
// taken out of what the server said.
func oauthError(err error, secrets ...string) error {
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) {
		e := &grantError{code: printable(answered.ErrorCode, 60), description: printable(redacted(answered.ErrorDescription, secrets), 300)}
		if answered.Response != nil {
			e.status = answered.Response.StatusCode
		}
		return e
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // its text repeats the address
		return wrapped.Err
	}
	return err
}

func redacted(text string, secrets []string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return text
}

// printable cuts a server's text to n bytes on one line that a terminal obeys nothing of.
func printable(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return ' '
	}, text)
	if len(text) > n {
		text = strings.ToValidUTF8(text[:n], "") + "…"
	}
	return strings.TrimSpace(text)
}

// public is the configuration of a client without a secret of its own.
func public(clientID, tokenURL string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: clientID,
		Endpoint: oauth2.Endpoint{TokenURL: tokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

func withClient(ctx context.Context, c *http.Client) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c)
}

// take puts the tokens of an answer that has just come into s.
func (s *secrets) take(t *oauth2.Token) error {
	if !validSecret(t.AccessToken) || t.RefreshToken != "" && !validSecret(t.RefreshToken) {
		return errors.New("the authorization server sent a token that can't be used")
	}
	if t.TokenType != "" && !strings.EqualFold(t.TokenType, "bearer") {
		return fmt.Errorf("the authorization server sent a token of type %q", printable(t.TokenType, 40))
	}
	s.Access, s.Refresh = t.AccessToken, t.RefreshToken
	s.Obtained, s.Expires = time.Now().UTC().Round(0), time.Time{} // without the monotonic clock: others read them
	if !t.Expiry.IsZero() {
		s.Expires = t.Expiry.UTC().Round(0)
	}
	return nil
}

// refreshed asks for the successor of a session's tokens.
func refreshed(ctx context.Context, client *http.Client, s *Session) (*Session, error) {
	config := public(s.secrets.ClientID, s.secrets.TokenURL)
	source := config.TokenSource(withClient(ctx, client), &oauth2.Token{RefreshToken: s.secrets.Refresh})
	token, err := source.Token()
	if err != nil {
		return nil, oauthError(err, s.secrets.Refresh, s.secrets.Access)
	}
	next := *s
	if err := next.secrets.take(token); err != nil {
		return nil, err
	}
	return &next, nil
}
