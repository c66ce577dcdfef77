package extract

import (
	"slices"
	"strings"
)

// restricts says whether the words behind a claim's target take back that it holds as such: "I no longer use Chrome at
// work", "I live in Rome in the summer", "ingress is at 1.9 in dev". Where it holds beside others all the same, it only
// loses its cue of change.
func (s *statement) restricts(c *Claim) bool {
	behind := s.behind(c.Target)
	ends := s.group.noLonger || s.group.negated
	switch c.Relation {
	case LivesIn, WorksAt, TimeZone:
		return slices.ContainsFunc(behind, func(w token) bool { return times()[w.low] }) || s.group.tense == present && !s.ending && passing(s.rest)
	case Version:
		return places(behind)
	case Uses, Likes, Dislikes, Prefers, Owns, Maintains, Leads, RunsOn:
		if s.ending || !places(behind) {
			return false
		}
		if strings.ContainsAny(c.Target.Name, "0123456789") {
			c.Cue = c.Cue && ends // "we use Node 20 for the new one now"
		}
		return ends
	}
	return false
}

// times are words that tell of only a part of one's time.
var times = wordSet(`most sometimes half weekends weekdays mornings evenings nights summer summers winter winters spring during occasionally
partly whenever temporarily today tonight`)

// passing says whether words tell of no more than these days.
func passing(t []token) bool {
	for i := 0; i+1 < len(t); i++ {
		if t[i].low == "this" && (t[i+1].low == "week" || t[i+1].low == "weekend" || t[i+1].low == "month" || t[i+1].low == "summer" || t[i+1].low == "winter") {
			return true
		}
	}
	return false
}

// behind returns what follows the words of a thing in a statement, without what says when.
func (s *statement) behind(target Thing) []token {
	words := tokenize(target.Name)
	for i := 0; i+len(words) <= len(s.rest) && len(words) > 0; i++ {
		if !slices.EqualFunc(s.rest[i:i+len(words)], words, func(a, b token) bool { return a.low == b.low }) {
			continue
		}
		rest := s.rest[i+len(words):]
		for j := range rest {
			if _, _, n := date(rest, j, s.said()); n > 0 {
				return rest[:j]
			}
		}
		return rest
	}
	return nil
}

// places says whether words say where, for what or how much something holds.
func places(t []token) bool {
	return slices.ContainsFunc(t, func(w token) bool {
		switch w.low {
		case "for", "in", "at", "on", "from", "with", "when", "if", "much", "less", "except", "outside", "under", "during", "as":
			return true
		}
		return false
	})
}
