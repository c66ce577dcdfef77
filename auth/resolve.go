package auth

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
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
	KindNone Kind = "none" // no credential was found
	KindKey  Kind = "key"  // an API key
)

// Credential is what signs requests, with where it came from. Its secret is never printed.
type Credential struct {
	Kind   Kind
	Source string // such as "LUKASA_API_KEY", or "--api-key-file /path"; empty when there is none
	secret string
}

// String describes c without its secret.
func (c Credential) String() string {
	if c.Kind == KindNone {
		return "no credential"
	}
	return fmt.Sprintf("API key from %s", c.Source)
}

// GoString is String: %#v must not print the secret either.
func (c Credential) GoString() string { return c.String() }

// Options says where to look.
type Options struct {
	KeyFile string                   // the explicit key file; empty when none was named
	Getenv  func(name string) string // the environment
}

// Resolve returns the first credential that is present, or one of [KindNone]. The form of a key is for the server to
// judge: any single word without control characters will do. An error wraps [ErrUnusable] and names the source.
func Resolve(o Options) (Credential, error) {
	if o.KeyFile != "" {
		return fromFile(o.KeyFile, "--api-key-file "+o.KeyFile)
	}
	if value := o.Getenv(EnvKey); value != "" {
		return fromText(value, EnvKey)
	}
	if path := o.Getenv(EnvKeyFile); path != "" {
		return fromFile(path, EnvKeyFile+" "+path)
	}
	return Credential{Kind: KindNone}, nil
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
	// What isn't one printable word can't stand in a header (RFC 9110, section 5.5).
	if strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return Credential{}, fmt.Errorf("%w: %s does not hold one key and nothing else", ErrUnusable, source)
	}
	return Credential{Kind: KindKey, Source: source, secret: secret}, nil
}
