package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// The environment variables that a credential may come from.
const (
	EnvKey     = "LUKASA_API_KEY"
	EnvKeyFile = "LUKASA_API_KEY_FILE"
)

// maxKeyFile bounds what is read of a key file: no credential is near that long.
const maxKeyFile = 16 << 10

// ErrUnusable is wrapped by the errors of credentials that are present but can't be used.
var ErrUnusable = errors.New("unusable credential")

// Kind says what sort of credential it is.
type Kind string

// The kinds of credential.
const (
	KindNone    Kind = "none"    // no credential was found
	KindKey     Kind = "key"     // an API key
	KindSession Kind = "session" // the tokens of a login, which are renewed
)

// Credential is what signs requests, with where it came from. Its secret is never printed.
type Credential struct {
	Kind   Kind
	Source string // such as "LUKASA_API_KEY", or "--api-key-file /path"; empty when there is none
	Place  Place  // where a session is kept; empty for other credentials

	secret string
	source *source // of a stored session; nil for other credentials
}

// String describes c without its secret.
func (c Credential) String() string {
	switch c.Kind {
	case KindNone:
		return "no credential"
	case KindSession:
		return "session from " + c.Source
	case KindKey:
	}
	return fmt.Sprintf("API key from %s", c.Source)
}

// GoString is String: %#v must not print the secret either.
func (c Credential) GoString() string { return c.String() }

// Format is String for every verb.
func (c Credential) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// ExpiresAt is when the access token that the session has now ends; it is renewed before. It is the zero time when that is
// unknown, or c is not a session.
func (c Credential) ExpiresAt() time.Time {
	if c.source == nil {
		return time.Time{}
	}
	return c.source.expires()
}

// Settle waits for a renewal of the session that is under way, for at most limit. A program calls it before it ends:
// between the server's answer and the save, a session could be lost.
func (c Credential) Settle(limit time.Duration) {
	if c.source != nil {
		c.source.settle(limit)
	}
}

// Options says where to look.
type Options struct {
	KeyFile string                   // the explicit key file; empty when none was named
	Getenv  func(name string) string // the environment

	// Endpoint and Sessions are for the stored session of that endpoint; without either none is looked for.
	Endpoint *url.URL
	Sessions *Sessions
	// Transport carries the renewals; nil means [http.DefaultTransport].
	Transport http.RoundTripper
}

// Resolve returns the first credential that is present, or one of [KindNone]. The form of a key is for the server to
// judge: any single word without control characters will do. An error wraps [ErrUnusable] and names the source, or
// [ErrNotSignedIn] when the stored session has ended. Nothing of the stored sessions, nor of a keyring, is looked at
// when a key is given.
func Resolve(ctx context.Context, o Options) (Credential, error) {
	if o.KeyFile != "" {
		return fromFile(o.KeyFile, "--api-key-file "+o.KeyFile)
	}
	if value := o.Getenv(EnvKey); value != "" {
		return fromText(value, EnvKey)
	}
	if path := o.Getenv(EnvKeyFile); path != "" {
		return fromFile(path, EnvKeyFile+" "+path)
	}
	if o.Endpoint == nil || o.Sessions == nil {
		return Credential{Kind: KindNone}, nil
	}
	return fromSession(ctx, o)
}

// fromSession is the stored session of the endpoint, when there is one.
func fromSession(ctx context.Context, o Options) (Credential, error) {
	endpoint, err := Canonical(o.Endpoint)
	if err != nil {
		return Credential{Kind: KindNone}, nil //nolint:nilerr // no endpoint, no session: the client says what is wrong with it
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	src := newSource(o.Sessions, endpoint, oauthClient(o.Transport))
	session, at, err := o.Sessions.load(ctx, endpoint)
	switch {
	case errors.Is(err, ErrNotSignedIn):
		return Credential{Kind: KindNone}, nil
	case err != nil:
		return Credential{}, err
	case session.Ended:
		return Credential{}, endedError(endpoint)
	}
	src.hold(session, at)
	return Credential{Kind: session.Kind, Source: "lukasa login", Place: session.Place, source: src}, nil
}

func fromFile(path, source string) (Credential, error) {
	f, err := os.Open(path)
	if err != nil {
		return Credential{}, fmt.Errorf("reading the key of %s: %w: %w", source, ErrUnusable, errors.Unwrap(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return Credential{}, fmt.Errorf("reading the key of %s: %w: %w", source, ErrUnusable, errors.Unwrap(err))
	}
	return fromText(string(data), source)
}

func fromText(text, source string) (Credential, error) {
	secret := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if secret == "" {
		return Credential{}, fmt.Errorf("%w: %s is blank", ErrUnusable, source)
	}
	if !validSecret(secret) {
		return Credential{}, fmt.Errorf("%w: %s does not hold one key and nothing else", ErrUnusable, source)
	}
	return Credential{Kind: KindKey, Source: source, secret: secret}, nil
}

// validSecret reports whether a key or token can be sent: what isn't one printable word can't stand in a header
// (RFC 9110, section 5.5).
func validSecret(secret string) bool {
	return secret != "" && !strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// NewKeySession returns a session that is an API key, as it was typed or piped in, see [Sessions.Save]. source is for
// the error, which wraps [ErrUnusable].
func NewKeySession(endpoint *url.URL, text, source string) (*Session, error) {
	canonical, err := Canonical(endpoint)
	if err != nil {
		return nil, err
	}
	c, err := fromText(text, source)
	if err != nil {
		return nil, err
	}
	return &Session{Endpoint: canonical, Kind: KindKey, secrets: secrets{Key: c.secret}}, nil
}

// Transport signs with a session that is not kept anywhere yet, and never renews it.
func (s *Session) Transport(endpoint *url.URL, base http.RoundTripper) http.RoundTripper {
	return &transport{endpoint: endpoint, secret: s.bearer(), base: base}
}
