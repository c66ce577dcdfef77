package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
)

// KeyPrefix opens every API key, so that people and secret scanners know one when they see it.
const KeyPrefix = "lukasa_sk_"

const (
	keyBytes    = 32
	keyDigits   = 43 // 62^43 > 2^256
	checkDigits = 6  // 62^6 > 2^32
)

// What is wrong with a string that should be an API key.
var (
	// ErrNotKey is the error of a string that never was an API key.
	ErrNotKey = errors.New("not an API key of this service")
	// ErrMistyped is the error of an API key that lost or changed a character on its way.
	ErrMistyped = errors.New("the API key is mistyped or cut short: its checksum does not match")
)

// GenerateKey returns a new API key: [KeyPrefix], 32 random bytes in base62 (43 digits), and the CRC-32 of all that in
// base62 (6 digits).
func GenerateKey() (string, error) { return GenerateSecret(KeyPrefix) }

// GenerateSecret returns a new secret of the form of an API key, with another prefix.
func GenerateSecret(prefix string) (string, error) {
	secret := make([]byte, keyBytes)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("making a secret: %w", err)
	}
	body := prefix + base62(new(big.Int).SetBytes(secret), keyDigits)
	return body + checksum(body), nil
}

// ParseKey checks the form of an API key, without a look at any store. Its error is [ErrNotKey] or [ErrMistyped].
func ParseKey(s string) error {
	if !strings.HasPrefix(s, KeyPrefix) {
		return ErrNotKey
	}
	if !WellFormed(KeyPrefix, s) {
		return ErrMistyped
	}
	return nil
}

// WellFormed reports whether s could be a secret that [GenerateSecret] made with that prefix.
func WellFormed(prefix, s string) bool {
	if !strings.HasPrefix(s, prefix) || len(s) != len(prefix)+keyDigits+checkDigits {
		return false
	}
	body, sum := s[:len(s)-checkDigits], s[len(s)-checkDigits:]
	return checksum(body) == sum
}

// Hash is what is stored of an API key, and of any other secret of its form. A key has 256 random bits, so a plain digest can't be searched.
func Hash(key string) [32]byte { return sha256.Sum256([]byte(key)) }

// NewKeyID returns a new id for an API key: "key_" and 16 characters of a–z and 2–7.
func NewKeyID() (string, error) { return NewID("key_") }

// NewID returns a new id: a prefix and 16 characters of a–z and 2–7.
func NewID(prefix string) (string, error) {
	id := make([]byte, 10)
	if _, err := rand.Read(id); err != nil {
		return "", fmt.Errorf("making an id: %w", err)
	}
	return prefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id)), nil
}

func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), checkDigits)
}

// base62 writes n in exactly width digits, 0–9, a–z, A–Z.
func base62(n *big.Int, width int) string {
	digits := n.Text(62)
	return strings.Repeat("0", width-len(digits)) + digits
}
