package formation

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
	"time"
)

// canonicalVersion opens every canonical encoding, so that a later encoding can never collide with this one.
const canonicalVersion = "lukasa.formation.v1\n"

// handlePrefix marks a formation's handle.
const handlePrefix = "fm_"

// handleBytes is how much of the digest a handle keeps: 160 bits.
const handleBytes = 20

const handleAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

// Handle derives the handle of a conversation: "fm_" and 32 characters of a–z and 2–7. It is a function of the turns
// and of observedAt (nil when none was given) alone, so the same conversation has the same handle in every process.
func Handle(turns []Turn, observedAt *time.Time) string {
	sum := sha256.Sum256(Canonical(turns, observedAt))
	return handlePrefix + base32.NewEncoding(handleAlphabet).WithPadding(base32.NoPadding).EncodeToString(sum[:handleBytes])
}

// Canonical returns the bytes that a handle is the digest of: a version line, then for every turn its role, the length
// of its content in bytes, and its content, each ended by a line feed, then "@" and the time when there is one.
// Contents are taken exactly as given; the lengths keep different conversations apart.
func Canonical(turns []Turn, observedAt *time.Time) []byte {
	size := len(canonicalVersion) + 40
	for _, t := range turns {
		size += len(t.Role) + len(t.Content) + 12
	}
	b := make([]byte, 0, size)
	b = append(b, canonicalVersion...)
	for _, t := range turns {
		b = append(b, t.Role...)
		b = append(b, '\n')
		b = strconv.AppendInt(b, int64(len(t.Content)), 10)
		b = append(b, '\n')
		b = append(b, t.Content...)
		b = append(b, '\n')
	}
	if observedAt != nil {
		b = append(b, '@')
		b = observedAt.UTC().AppendFormat(b, time.RFC3339Nano)
	}
	return b
}

// ValidHandle reports whether s has the form of a handle. It says nothing about whether the formation exists.
func ValidHandle(s string) bool {
	rest, ok := strings.CutPrefix(s, handlePrefix)
	if !ok || len(rest) != 32 {
		return false
	}
	for i := range len(rest) {
		if strings.IndexByte(handleAlphabet, rest[i]) < 0 {
			return false
		}
	}
	return true
}
