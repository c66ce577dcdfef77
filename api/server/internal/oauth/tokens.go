package oauth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// The prefixes of the secrets that signing in makes, so that people and secret scanners know them when they see them.
const (
	AccessPrefix     = "lukasa_at_"
	RefreshPrefix    = "lukasa_rt_"
	CodePrefix       = "lukasa_ac_"
	DevicePrefix     = "lukasa_dc_"
	InvitationPrefix = "lukasa_iv_"
	browserPrefix    = "lukasa_br_"
)

// pair is a new pair of tokens, in the clear: it is on its way to the client.
type pair struct {
	Access  string    `json:"access"`
	Refresh string    `json:"refresh"`
	Expires time.Time `json:"expires"` // of the access token
}

func (s *Server) newPair(now time.Time) (p pair, t memory.Tokens, err error) {
	if p.Access, err = access.GenerateSecret(AccessPrefix); err != nil {
		return p, t, err
	}
	if p.Refresh, err = access.GenerateSecret(RefreshPrefix); err != nil {
		return p, t, err
	}
	p.Expires = now.Add(s.life.Access)
	return p, memory.Tokens{
		Access: access.Hash(p.Access), Refresh: access.Hash(p.Refresh),
		AccessExpires: p.Expires, RefreshExpires: now.Add(s.life.Refresh),
	}, nil
}

// newGrant is what a new session begins with.
func (s *Server) newGrant(now time.Time) (pair, memory.Grant, error) {
	p, tokens, err := s.newPair(now)
	if err != nil {
		return p, memory.Grant{}, err
	}
	id, err := access.NewID("se_")
	if err != nil {
		return p, memory.Grant{}, err
	}
	return p, memory.Grant{SessionID: id, ExpiresAt: now.Add(s.life.Session), Tokens: tokens}, nil
}

// seal hides a pair from everyone who doesn't have the token that it replaces: the store has no more of that than its
// digest, which the key can't be derived from.
func seal(p pair, presented string) ([]byte, error) {
	plain, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("sealing tokens: %w", err)
	}
	aead, err := sealer(presented)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, nil), nil //nolint:gosec // it draws its nonce itself
}

func unseal(sealed []byte, presented string) (p pair, err error) {
	aead, err := sealer(presented)
	if err != nil {
		return p, err
	}
	plain, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return p, errors.New("unsealing tokens: they were sealed for another token")
	}
	if err := json.Unmarshal(plain, &p); err != nil {
		return p, fmt.Errorf("unsealing tokens: %w", err)
	}
	return p, nil
}

// sealer takes its key from a token of 256 random bits. It draws a nonce for each message.
func sealer(presented string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(presented), nil, "lukasa successor of a refresh token", 32)
	if err != nil {
		return nil, fmt.Errorf("deriving a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("deriving a key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("deriving a key: %w", err)
	}
	return aead, nil
}
