package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Place is where a session is kept.
type Place string

// The places for a session.
const (
	PlaceKeyring Place = "keyring" // a key in the system's keyring, and a file that is sealed with it
	PlaceFile    Place = "file"    // a file that only its owner can read
)

// sessionVersion is the version of the file format.
const sessionVersion = 1

// Session is what someone signed in with at one endpoint: an API key, or the tokens of a login. Its secrets are never
// printed.
type Session struct {
	Endpoint string // see [Canonical]
	Kind     Kind   // KindKey or KindSession
	Place    Place
	Ended    bool // the server no longer accepts it; nothing secret is left in it
	secrets  secrets
}

// secrets is the part of a session that is sealed. The addresses belong to it: whoever could change them would be sent
// the refresh token.
type secrets struct {
	Key       string    `json:"key,omitempty"`
	Access    string    `json:"access_token,omitempty"`
	Refresh   string    `json:"refresh_token,omitempty"`
	Obtained  time.Time `json:"obtained_at,omitzero"`
	Expires   time.Time `json:"expires_at,omitzero"` // zero when the server didn't say
	Issuer    string    `json:"issuer,omitempty"`
	TokenURL  string    `json:"token_endpoint,omitempty"`
	RevokeURL string    `json:"revocation_endpoint,omitempty"`
	ClientID  string    `json:"client_id,omitempty"`
}

// ExpiresAt is when the access token ends, which renewal replaces before; the zero time when it is unknown.
func (s *Session) ExpiresAt() time.Time { return s.secrets.Expires }

// Renewable reports whether the session can be renewed without signing in again.
func (s *Session) Renewable() bool { return s.secrets.Refresh != "" && s.secrets.TokenURL != "" }

// String describes the session without its secrets.
func (s *Session) String() string {
	return fmt.Sprintf("%s for %s, kept in the %s", s.Kind, s.Endpoint, s.Place)
}

// GoString is String: %#v must not print the secrets either.
func (s *Session) GoString() string { return s.String() }

// Format is String for every verb: %+v would print the fields.
func (s *Session) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// bearer is what requests carry.
func (s *Session) bearer() string {
	if s.Kind == KindKey {
		return s.secrets.Key
	}
	return s.secrets.Access
}

// envelope is a session as its file has it.
type envelope struct {
	Version  int      `json:"version"`
	Endpoint string   `json:"endpoint"`
	Kind     Kind     `json:"kind"`
	Place    Place    `json:"store"`
	Ended    bool     `json:"ended,omitempty"`
	Secrets  *secrets `json:"secrets,omitempty"` // in the clear, when the store is the file
	Sealed   []byte   `json:"sealed,omitempty"`  // else
}

var errDamaged = errors.New("it is damaged")

// bound is what a seal is tied to: a sealed part that was moved to another endpoint's file does not open.
func (e *envelope) bound() []byte {
	return fmt.Appendf(nil, "lukasa session %d\n%s\n%s", e.Version, e.Endpoint, e.Kind)
}

// encode makes a session's file. key is that of the keyring, and unused when the place is the file.
func (s *Session) encode(key []byte) ([]byte, error) {
	e := envelope{Version: sessionVersion, Endpoint: s.Endpoint, Kind: s.Kind, Place: s.Place, Ended: s.Ended}
	if s.Place == PlaceFile {
		e.Secrets = &s.secrets
		return json.Marshal(e)
	}
	plain, err := json.Marshal(s.secrets) //nolint:gosec // it is sealed before it goes anywhere
	if err != nil {
		return nil, err
	}
	if e.Sealed, err = seal(key, plain, e.bound()); err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

// decodeEnvelope reads a file without opening its seal. endpoint is whose file it must be: the one that is written in it
// is compared and never adopted.
func decodeEnvelope(data []byte, endpoint string) (*envelope, error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, errDamaged
	}
	switch {
	case e.Version > sessionVersion:
		return nil, fmt.Errorf("it has version %d, of a later lukasa", e.Version)
	case e.Endpoint != endpoint:
		return nil, errors.New("it belongs to another endpoint")
	case e.Version < 1, e.Kind != KindKey && e.Kind != KindSession,
		e.Place == PlaceFile && e.Secrets == nil, e.Place == PlaceKeyring && len(e.Sealed) == 0,
		e.Place != PlaceFile && e.Place != PlaceKeyring:
		return nil, errDamaged
	}
	return &e, nil
}

// session opens an envelope. key is that of the keyring, when the place is the keyring.
func (e *envelope) session(key []byte) (*Session, error) {
	s := &Session{Endpoint: e.Endpoint, Kind: e.Kind, Place: e.Place, Ended: e.Ended}
	if e.Place == PlaceFile {
		s.secrets = *e.Secrets
	} else {
		plain, err := unseal(key, e.Sealed, e.bound())
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(plain, &s.secrets); err != nil {
			return nil, errDamaged
		}
	}
	if !s.Ended && !validSecret(s.bearer()) {
		return nil, errDamaged
	}
	return s, nil
}
