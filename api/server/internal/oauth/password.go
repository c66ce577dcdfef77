package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// PasswordCost is what hashing a password with argon2id (RFC 9106) costs.
type PasswordCost struct {
	Time   uint32 // passes; 2 by default
	Memory uint32 // KiB; 64 MiB by default
}

const (
	saltBytes = 16
	hashBytes = 32
	// minPassword and maxPassword bound a password, in characters and in bytes.
	minPassword = 12
	maxPassword = 1024
	// maxHashing is how many passwords are hashed at once: each takes the memory of its cost.
	maxHashing = 2
	// maxMemory and maxPasses bound what a stored hash may ask for.
	maxMemory = 1 << 20 // KiB
	maxPasses = 64
)

var errPasswordHash = errors.New("reading a stored password: it is not an argon2id hash")

// hasher hashes passwords, a few at a time.
type hasher struct {
	cost  PasswordCost
	slots chan struct{}
}

func newHasher(cost PasswordCost) *hasher {
	if cost.Time == 0 {
		cost.Time = 2
	}
	if cost.Memory == 0 {
		cost.Memory = 64 << 10
	}
	return &hasher{cost: cost, slots: make(chan struct{}, maxHashing)}
}

// hash returns a password's hash in the PHC string format, with a salt of its own.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("salting a password: %w", err)
	}
	sum, err := h.derive(ctx, password, salt, h.cost, hashBytes)
	if err != nil {
		return "", err
	}
	enc := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, h.cost.Memory, h.cost.Time,
		enc.EncodeToString(salt), enc.EncodeToString(sum)), nil
}

// verify reports whether a password is the one of a hash. An empty hash is nobody's: it takes as long as any other, so
// that time doesn't tell who has an account.
func (h *hasher) verify(ctx context.Context, password, hash string) (bool, error) {
	cost, salt, sum := h.cost, make([]byte, saltBytes), make([]byte, hashBytes)
	if hash != "" {
		var err error
		if cost, salt, sum, err = parseHash(hash); err != nil {
			return false, err
		}
	}
	got, err := h.derive(ctx, password, salt, cost, uint32(len(sum)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, sum) == 1 && hash != "", nil
}

func (h *hasher) derive(ctx context.Context, password string, salt []byte, cost PasswordCost, size uint32) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("hashing a password: %w", ctx.Err())
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, cost.Time, cost.Memory, 1, size), nil
}

func parseHash(s string) (cost PasswordCost, salt, sum []byte, err error) {
	parts := strings.Split(s, "$")
	var version int
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return cost, nil, nil, errPasswordHash
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return cost, nil, nil, errPasswordHash
	}
	_, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=1", &cost.Memory, &cost.Time)
	if err != nil || cost.Memory == 0 || cost.Memory > maxMemory || cost.Time == 0 || cost.Time > maxPasses {
		return cost, nil, nil, errPasswordHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(salt) < 8 || len(sum) < 16 {
		return cost, nil, nil, errPasswordHash
	}
	return cost, salt, sum, nil
}

// checkPassword says what is wrong with a password that somebody chose, "" when nothing is. Length is what counts (NIST
// SP 800-63B section 3.1.1); there are no rules of composition.
func checkPassword(password, again, email string) string {
	switch {
	case !utf8.ValidString(password):
		return "The password can’t be read: use other characters."
	case utf8.RuneCountInString(password) < minPassword:
		return fmt.Sprintf("The password is too short: take at least %d characters.", minPassword)
	case len(password) > maxPassword:
		return "The password is too long."
	case strings.EqualFold(password, email), strings.Count(password, password[:1]) == len(password):
		return "The password is too easy to guess."
	case password != again:
		return "The two passwords differ."
	}
	return ""
}
