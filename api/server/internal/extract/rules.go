package extract

import (
	"context"

	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
	"github.com/lukasa-dev/lukasa/formation"
)

// Rules finds claims by rules of English, without a network or a model. It would rather find nothing than something
// that was not said: only people's plain statements count, and of what an assistant says about them no more than that
// it did. In transcripts of people with names each speaks for themselves.
type Rules struct{}

// NewRules returns the extractor of rules.
func NewRules() Rules { return Rules{} }

// Name is "rules".
func (Rules) Name() string { return "rules" }

// Version changes whenever the same conversation may give other claims.
func (Rules) Version() string { return "2" }

const (
	// maxClaims is how many claims are made of one conversation. What is beyond is found in the passages.
	maxClaims = 2000
	// maxRefusals is how many of a turn's questions, suppositions and orders are reported.
	maxRefusals = 20
	// maxSentence is how many bytes a sentence has that claims are looked for in.
	maxSentence = 1000
)

// Extract implements [Extractor]. The time it takes grows with the length of the conversation.
func (Rules) Extract(ctx context.Context, c Conversation) ([]Claim, error) {
	var claims []Claim
	var people []string // of the person's turn before
	spoken := voices(c.Turns)
	for i, t := range c.Turns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if t.Role != formation.RoleUser && t.Role != formation.RoleAssistant && t.Role != formation.RoleTool {
			continue
		}
		r := &reader{turn: i, role: t.Role, text: t.Content, now: c.ObservedAt, whole: spoken[i]}
		r.people = people
		r.orders = segment.ReaderOrders(string(t.Role), t.Content)
		r.read()
		claims = append(claims, r.claims...)
		if t.Role == formation.RoleUser {
			people = r.named
		}
		if len(claims) >= maxClaims {
			return claims[:maxClaims], nil
		}
	}
	return claims, nil
}
