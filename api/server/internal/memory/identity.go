package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/lukasa-dev/lukasa/api"
)

// PassageID derives a passage's id from who said it and what was said, as [Wording] has it. The date is left out, so
// that saying the same again is already known.
func PassageID(role, text string) string { return contentID("ps_", role, Wording(text)) }

// EntityID derives an entity's id from its name as [NormalName] has it.
func EntityID(name string) string { return contentID("en_", NormalName(name)) }

// AssertionID derives the id of the n-th assertion of a formation. The same triple may hold in several windows of time,
// so the triple alone does not identify an assertion.
func AssertionID(handle string, n int) string { return contentID("as_", handle, strconv.Itoa(n)) }

// CandidateID derives the id of a candidate that became nothing.
func CandidateID(handle string, n int) string { return contentID("ca_", handle, strconv.Itoa(n)) }

// NormalName is the form by which names are compared: NFKC, case-folded, white space collapsed, and quotes and final
// punctuation dropped.
func NormalName(name string) string {
	s := cases.Fold().String(norm.NFKC.String(name))
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’«».,;:!?", r)
	})
}

func contentID(prefix string, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + "\n" + p + "\n"))
	}
	enc := base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)
	return prefix + enc.EncodeToString(h.Sum(nil)[:15])
}

// Qualify completes an assertion's qualification for a moment in time: one that has ended by then is expired, one that
// has not begun is planned; else it is qualified unless a lasting reason says otherwise.
func Qualify(a *api.Assertion, at time.Time) {
	end := a.InvalidAt
	if end == nil {
		end = a.ExpiredAt
	}
	switch {
	case a.UnqualifiedReason != "":
	case end != nil && !end.After(at):
		a.UnqualifiedReason = api.UnqualifiedExpired
	case a.ValidAt != nil && a.ValidAt.After(at):
		a.UnqualifiedReason = api.UnqualifiedPlanned
	}
	a.Qualified = a.UnqualifiedReason == ""
}
