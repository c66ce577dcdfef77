package extract

import (
	"slices"
	"strings"
)

// Home, employer and name are held one at a time, so what is read wrongly of them takes away what is right. They are
// read only where what follows them is known to leave them as they are.

// unsettled says whether the words around a home, an employer or a name may take back that it is one: "on weekends",
// "too", "said Bob", "half the time".
func (s *statement) unsettled(c *Claim) bool {
	switch c.Relation {
	case LivesIn, WorksAt:
	case Named:
		return s.group.beside
	default:
		return false
	}
	if s.group.beside || s.shared {
		return true
	}
	tail, comma, found := s.tailOf(c.Target)
	if comma {
		return aside(tail)
	}
	return found && !s.settles(tail)
}

// tailOf returns what follows the words of a thing in a statement, and whether a comma stands between. Words behind a
// full stop or a picture are not of it.
func (s *statement) tailOf(target Thing) (tail []token, comma, found bool) {
	words := tokenize(target.Name)
	for i := 0; i+len(words) <= len(s.rest) && len(words) > 0; i++ {
		if !slices.EqualFunc(s.rest[i:i+len(words)], words, func(a, b token) bool { return a.low == b.low }) {
			continue
		}
		last := s.rest[i+len(words)-1]
		if last.stop {
			return nil, false, true
		}
		return s.rest[i+len(words):], last.list, true
	}
	return nil, false, false
}

// aside says whether words behind a comma take back what stands before it, or give it to someone else.
func aside(t []token) bool {
	for i, w := range t {
		switch {
		case sayings()[w.low] && (i == 0 || t[i-1].low != "i"), times()[w.low], takesBack()[w.low]:
			return true
		}
	}
	return recurs(t)
}

// takesBack are words behind a comma by which a statement is not what it seems.
var takesBack = wordSet(`side not game story novel book dream joke joking kidding only too also nearly almost theory supposedly allegedly quote jk`)

// settles says whether all of a tail is of what leaves a claim as it is.
func (s *statement) settles(t []token) bool {
	for len(t) > 0 {
		n := s.modifier(t)
		if n == 0 {
			return false
		}
		switch {
		case n >= len(t) || t[n-1].stop:
			return true
		case t[n-1].list:
			return !aside(t[n:])
		}
		t = t[n:]
	}
	return true
}

// modifier returns how many tokens at the start of a tail leave a claim as it is; 0 when they may not.
func (s *statement) modifier(t []token) int {
	if n := s.timeOfTail(t); n > 0 {
		return n
	}
	for _, m := range harmless {
		if n := prefixed(t, m); n > 0 {
			return n
		}
	}
	switch t[0].low {
	case "and", "but", "so", "because", "since", "plus", "which", "where", "though", "although", "then":
		return goesElsewhere(t)
	case "as":
		return roleLength(t)
	case "with", "w", "w/", "thanks":
		return len(t)
	case "in", "near", "at", "by", "outside", "of", "on", "from", "to", "for":
		return s.placeLength(t)
	case "after", "instead", "rather":
		return len(t)
	}
	if t[0].isName() {
		if _, n := properName(t, 0); n > 0 && (n == len(t) || t[n-1].stop || t[n-1].list || s.timeOfTail(t[n:]) > 0) && !verbFollows(t) {
			return n
		}
	}
	return apposition(t)
}

// harmless are modifiers that leave a claim as it is.
var harmless = [][]string{
	{"now"}, {"currently"}, {"these", "days"}, {"nowadays"}, {"again"}, {"full", "time"}, {"full-time"}, {"fulltime"}, {"permanently"}, {"for", "good"},
	{"anymore"}, {"any", "more"}, {"any", "longer"}, {"no", "more"}, {"no", "longer"}, {"at", "all"}, {"at", "the", "moment"}, {"right", "now"}, {"already"}, {"as", "well", "now"},
	{"btw"}, {"by", "the", "way"}, {"actually"}, {"instead"}, {"fyi"}, {"lol"}, {"haha"}, {"please"}, {"recently"}, {"finally"}, {"myself"}, {"tho"}, {"though"},
	{"i", "think"}, {"i", "guess"}, {"together"}, {"alone"}, {"of", "course"}, {"for", "now"}, {"obviously"}, {"remotely"}, {"maybe"}, {"probably"},
	{"apparently"}, {"not"}, {"in", "the", "end"}, {"too", "now"},
}

func prefixed(t []token, words []string) int {
	if len(t) < len(words) {
		return 0
	}
	for i, w := range words {
		if t[i].low != w {
			return 0
		}
	}
	return len(words)
}

// timeOfTail returns how many tokens say since when, until when, or when a change was.
func (s *statement) timeOfTail(t []token) int {
	if len(t) > 1 && t[0].low == "this" && s.group.tense == present {
		return 0 // "this quarter"
	}
	i := skip(t[:1], "since", "from", "until", "till", "to", "through", "starting", "as", "effective", "for", "on", "by", "early", "back")
	if i > 0 && i < len(t) && t[0].low == "as" {
		if t[1].low != "of" {
			return 0
		}
		i++
	}
	if i < len(t) && t[0].low == "for" {
		if _, n := duration(t, i, s.said()); n > 0 {
			return n + i
		}
		return 0
	}
	if recurs(t[i:]) {
		return 0
	}
	if _, _, n := date(t, i, s.said()); n > 0 {
		return i + n
	}
	if i < len(t) && isWeekday(t[i].low) && i > 0 {
		return i + 1
	}
	return 0
}

// recurs says whether words tell of a time that comes again and again: "on Fridays", "in the summer".
func recurs(t []token) bool {
	i := skip(t, "on", "in", "during", "the", "every", "most")
	return i < len(t) && (times()[t[i].low] || strings.HasSuffix(t[i].low, "days") && isWeekday(strings.TrimSuffix(t[i].low, "s")))
}

// goesElsewhere returns the length of what "and" or "but" goes on with, 0 when it comes back to where it left.
func goesElsewhere(t []token) int {
	for _, w := range t {
		switch w.low {
		case "also", "sometimes", "part", "back", "returned", "rejoined", "return", "returning", "not":
			return 0
		}
	}
	if len(t) > 1 && t[1].isName() && !verbFollows(t[1:]) {
		return 0 // "Berlin and Paris"
	}
	return len(t)
}

func verbFollows(t []token) bool {
	for _, w := range t[1:min(len(t), 4)] {
		if isBe(w.low) || sayings()[w.low] {
			return true
		}
	}
	return false
}

// roleLength returns how many tokens of "as a backend engineer" there are.
func roleLength(t []token) int {
	for i := 1; i < len(t) && i < 8; i++ {
		if isRoleNoun(t[i].low) {
			return len(t)
		}
	}
	return 0
}

// placeLength reads "in Germany", "near the river", "at the Turin office": where, with a name or of a kind of place.
func (s *statement) placeLength(t []token) int {
	if len(t) < 2 {
		return 0
	}
	i := 1 + skip(t[1:], "the", "our", "their", "my")
	if i >= len(t) || recurs(t[1:]) {
		return 0
	}
	if t[0].low == "for" || t[0].low == "to" || t[0].low == "from" {
		if p, n := s.readPlace(t, i); n > 0 && t[0].low != "for" && p.Name != "" && i+n == len(t) {
			return len(t)
		}
		return 0
	}
	if t[i].isName() && !isWeekday(t[i].low) {
		if _, n := properName(t, i); n > 0 {
			return i + n
		}
	}
	for j := i; j < len(t) && j < i+4; j++ {
		if spots()[t[j].low] {
			return j + 1
		}
	}
	return 0
}

// spots are kinds of places, teams and fields that one lives or works in.
var spots = wordSet(`city town village country county state area region suburbs suburb district neighbourhood neighborhood centre center downtown
flat apartment house street river sea beach lake border mountains mountain countryside north south east west office team department dept division
group lab hq headquarters sales marketing engineering support finance research design hr security infrastructure operations product side
station park coast university hospital`)

// apposition reads ", a startup in Ghent" and ", the bank".
func apposition(t []token) int {
	if isArticle(t[0].low) || t[0].low == "my" || t[0].low == "our" {
		return len(t)
	}
	return 0
}
