package extract

import (
	"strings"
	"time"
	"unicode"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// spoken is a clause of which claims were made.
type spoken struct {
	tokens []token
	next   int // behind the verb
	claims int // how many there were before it
}

// clause finds the claims of a clause that begins with its subject.
func (r *reader) clause(t []token) {
	if r.role == formation.RoleAssistant && !r.isNamed() {
		if t = aboutUser(t); t == nil {
			return
		}
	}
	if r.callMe(t) {
		return
	}
	r.relatives(t)
	if r.namesPet(t) || r.passion(t) {
		return
	}
	if len(t) > 4 && t[1].low == "can" && t[2].low == "not" && t[3].low == "stand" {
		t = append(append(t[:1:1], token{text: "hate", low: "hate"}), t[4:]...)
	}
	if lostJob(t) {
		t = append(tokenize("I"), t...)
		t[1].text = t[1].low
	}
	if r.actor != nil && continuations()[t[0].low] {
		t = append(append([]token(nil), r.actor...), t...)
	}
	r.actor = nil
	s, g, next, ok := r.parseSubject(t)
	if !ok {
		r.mention(t)
		if r.continues(t) {
			r.clause(append(append([]token(nil), r.before...), t...))
			return
		}
		r.substitute(t)
		return
	}
	r.before = nil
	if s.of == thing && g.lemma == "be" && g.tense == present && !g.negated && !g.noLonger {
		r.before = append([]token(nil), t[:next]...)
	}
	r.actor = actorOf(s, g, t)
	before := len(r.claims)
	st := statement{reader: r, subject: s, group: g, rest: t[next:], when: whenOf(t[next:], r.said())}
	st.cue = g.now || r.change || saysNow(t[next:])
	st.read()
	r.mention(t)
	if len(r.claims) > before {
		r.last = &spoken{t, next, before}
	}
}

// actorOf returns the subject of a clause that plainly states something of a person. What one wants, used to or does not
// do says nothing of what follows "and".
func actorOf(s subject, g group, t []token) []token {
	plain := (g.tense == present || g.tense == pastTense) && !g.negated && !g.noLonger && g.hedges == 0
	if !plain || s.of != speaker && s.of != person && s.of != ours {
		return nil
	}
	for i := range t {
		if _, next, ok := parseGroup(t, i); ok && i > 0 && next > i {
			return t[:i:i]
		}
	}
	return nil
}

// continues says whether a clause goes on with what the one before it was about: "the crash is #12, fixed in v2".
func (r *reader) continues(t []token) bool {
	return r.before != nil && participles()[t[0].low]
}

var participles = wordSet(`fixed written hosted owned deployed maintained pinned released`)

// callMe reads "call me Sam".
func (r *reader) callMe(t []token) bool {
	if len(t) < 3 || t[0].low != "call" || t[1].low != "me" || r.quoted || r.role != formation.RoleUser || r.isNamed() {
		return false
	}
	if p, n := r.person(t, 2); n > 0 && 2+n == len(t) {
		s := statement{reader: r}
		s.emitFrom(r.me(), Named, p, false)
	}
	return true
}

// mention keeps in mind the name behind "at", which "there" may mean later.
func (r *reader) mention(t []token) {
	for i, w := range t {
		if w.low == "at" && i+1 < len(t) && t[i+1].isName() {
			if o, n := r.organization(t, i+1); n > 0 {
				r.there = &o
			}
		}
	}
}

// maxCorrection is how many words a value has at most that replaces the one before it.
const maxCorrection = 6

// substitute reads a correction that only says the value ("no wait, Tuesday"): the clause before it is read again with
// that value. When that gives nothing, what was said before is not sure any more, and is dropped.
func (r *reader) substitute(t []token) {
	if !r.retake || r.last == nil || len(t) > maxCorrection {
		return
	}
	before := r.last
	r.last = nil
	again := append([]token(nil), before.tokens[:before.next]...)
	if rest := before.tokens[before.next:]; len(rest) > 0 && prepositions()[rest[0].low] && !prepositions()[t[0].low] {
		again = append(again, rest[0])
	}
	n := len(r.claims)
	r.clause(append(again, t...))
	if len(r.claims) > n {
		return
	}
	for i := before.claims; i < n; i++ {
		if r.claims[i].Rejected == "" {
			r.claims[i].Rejected = ReasonCorrected
		}
	}
}

var prepositions = wordSet(`in on at to for from with by as`)

// aboutUser turns what an assistant says of the person it speaks to ("you work at") into the first person, and
// returns nil for anything else.
func aboutUser(t []token) []token {
	out := append([]token(nil), t...)
	switch out[0].low {
	case "you":
		out[0].text, out[0].low = "I", "i"
	case "your":
		out[0].text, out[0].low = "my", "my"
	default:
		return nil
	}
	if len(out) > 1 && out[1].low == "are" {
		out[1].text, out[1].low = "am", "am"
	}
	return out
}

func saysNow(t []token) bool {
	for _, w := range t {
		if w.low == "now" || w.low == "nowadays" || w.low == "instead" {
			return true
		}
	}
	return false
}

func saysNoMore(t []token) bool {
	for i, w := range t {
		if w.low == "anymore" || (w.low == "any" && i+1 < len(t) && (t[i+1].low == "more" || t[i+1].low == "longer")) {
			return true
		}
	}
	return false
}

// statement is a clause with its subject and verb read.
type statement struct {
	*reader
	subject subject
	group   group
	rest    []token // behind the verb
	when    when
	cue     bool
	ending  bool // the verb itself tells of an end
	// happened says that the change was, although its outcome is told as present: "I was promoted to lead in May".
	happened bool
}

// emit adds a claim that the subject has a relation to a target.
func (s *statement) emit(relation string, target Thing, change bool) {
	s.emitFrom(s.subject.thing, relation, target, change)
}

// emitFrom adds a claim in the tense of the statement. change says that the verb itself tells of a change.
func (s *statement) emitFrom(source Thing, relation string, target Thing, change bool) {
	c := Claim{
		Turn: s.turn, Start: s.at.start, End: s.at.end, Source: source, Relation: relation, Target: target,
		Corrects: s.corrects, Cue: s.cue || change || s.corrects,
	}
	if source.Name == Team && s.isNamed() {
		return // who they are is not known
	}
	if s.restricts(&c) || strings.IndexFunc(target.Name, unicode.IsLetter) < 0 && relation == Uses {
		return
	}
	if !s.tensed(&c, change) || source.Name == "" || target.Name == "" || strings.Contains(target.Name+source.Name, "\x01") {
		return
	}
	s.doubts(&c)
	s.dateBy(&c)
	c.Statement = sentenceOf(c)
	s.meet(source)
	s.meet(target)
	s.claims = append(s.claims, c)
}

// dateBy gives a claim of a dated line the date of that line.
func (s *statement) dateBy(c *Claim) {
	if s.voice == nil || s.voice.at == nil || c.Unqualified == api.UnqualifiedPlanned || c.InvalidAt != nil {
		return
	}
	day := day(s.said())
	if c.Ends {
		c.InvalidAt = &day
	} else if c.ValidAt == nil {
		c.ValidAt = &day
	}
}

// end adds a claim that the subject has a relation no more.
func (s *statement) end(relation string, target Thing) { s.endFrom(s.subject.thing, relation, target) }

// endOf is like end of something else than the subject: it only counts where that is held.
func (s *statement) endOf(source Thing, relation string, target Thing) {
	if before := len(s.claims); s.group.tense != future {
		s.endFrom(source, relation, target)
		if len(s.claims) > before {
			s.claims[before].Denies = true
		}
	}
}

func (s *statement) endFrom(source Thing, relation string, target Thing) {
	g := s.group
	s.group.noLonger, s.group.negated, s.ending = true, false, true
	s.emitFrom(source, relation, target, true)
	s.group, s.ending = g, false
}

// tensed sets the time and the mood of a claim by the tense of its verb. It returns false when the tense states
// nothing.
func (s *statement) tensed(c *Claim, change bool) bool {
	g, w := s.group, s.when
	switch {
	case g.tense == modal:
		return false
	case g.noLonger || g.negated && saysNoMore(s.rest):
		c.Ends, c.Cue = true, true
		c.InvalidAt = either(either(w.at, w.since), w.before)
		if g.tense == future {
			c.Unqualified = api.UnqualifiedPlanned
		}
	case g.negated && g.tense == present && !change && !scoped(s.rest[min(1, len(s.rest)):]):
		c.Ends, c.Denies = true, true
	case g.negated:
		return false
	case g.tense == usedTo:
		c.Ends, c.Cue = true, true
		c.InvalidAt = w.until
	case g.tense == future || g.running && change:
		c.Unqualified, c.ValidAt = api.UnqualifiedPlanned, either(w.next, w.since)
	case change && (g.tense == pastTense || g.tense == perfect):
		c.Event = true
		c.ValidAt = either(either(w.at, w.since), w.before)
	case change && g.lemma == "start" && w.next != nil:
		c.Unqualified, c.ValidAt = api.UnqualifiedPlanned, w.next
	case change && g.lemma != "be":
		return false
	case g.tense == pastTense:
		return s.pastWindow(c)
	case g.tense == perfect:
		c.ValidAt = w.since
		return w.since != nil || g.running
	default:
		c.ValidAt, c.InvalidAt = w.since, laterThan(w.until, s.said())
		if s.happened {
			c.Event, c.ValidAt = true, either(either(w.at, w.since), w.before)
		}
		if w.next != nil && c.ValidAt == nil && s.dated() {
			c.Unqualified, c.ValidAt = api.UnqualifiedPlanned, w.next
		}
	}
	return true
}

// dated says whether a time to come in a present statement is that of its beginning: "from Monday on I work at X".
func (s *statement) dated() bool { return s.group.lemma == "start" }

// pastWindow sets the time of a statement in the past tense, which needs one to state anything.
func (s *statement) pastWindow(c *Claim) bool {
	w := s.when
	switch {
	case w.since != nil && w.until != nil:
		c.ValidAt, c.InvalidAt = w.since, w.until
	case w.until != nil:
		c.InvalidAt = w.until
	case w.at != nil && w.period.Sub(*w.at) > 27*24*time.Hour: // "in 2016", but not "yesterday"
		c.ValidAt, c.InvalidAt = w.at, w.period
	default:
		return false
	}
	return c.InvalidAt.Before(s.said()) && (c.ValidAt == nil || c.ValidAt.Before(*c.InvalidAt))
}

// scoped says whether a negation is only of some cases: "I don't use Docker for this".
func scoped(t []token) bool {
	for _, w := range t {
		switch w.low {
		case "for", "in", "on", "from", "when", "if", "every", "much", "often", "always", "yet", "with", "only", "unless", "until", "because", "just", "that", "any":
			return true
		}
	}
	return false
}

// either returns a, or else b.
func either(a, b *time.Time) *time.Time {
	if a != nil {
		return a
	}
	return b
}

func laterThan(t *time.Time, now time.Time) *time.Time {
	if t != nil && t.After(now) {
		return t
	}
	return nil
}

// doubts sets why a claim is not sure, or not to be made at all.
func (s *statement) doubts(c *Claim) {
	hedges := s.hedges + s.group.hedges
	for _, w := range s.rest {
		if uncertain()[w.low] && !w.isName() {
			hedges++
		}
	}
	switch {
	case s.role == formation.RoleAssistant && !s.isNamed():
		c.Rejected = ReasonAssistant
	case hedges > 1:
		c.Rejected = ReasonHedged
	case c.Unqualified != "":
	case hedges == 1:
		c.Unqualified = api.UnqualifiedHedged
	case s.role == formation.RoleAssistant:
		c.Unqualified = api.UnqualifiedSaidByAssistant
	case s.secondHand || s.isNamed() && !s.voice.sure:
		c.Unqualified = api.UnqualifiedSecondHand
	}
}

// sentenceOf makes a statement that can be read by itself.
func sentenceOf(c Claim) string {
	verb := RelationOf(c.Relation).Verb
	said := c.Source.Name + " " + verb + " " + c.Target.Name
	switch {
	case c.Ends && c.Denies:
		return "not so: " + said
	case c.Ends:
		return c.Source.Name + " no longer " + verb + " " + c.Target.Name
	case c.Unqualified == api.UnqualifiedPlanned:
		return "planned: " + said
	case c.InvalidAt != nil && c.ValidAt != nil:
		return "formerly: " + said + ", " + c.ValidAt.Format("2006-01") + " to " + c.InvalidAt.Format("2006-01")
	case c.InvalidAt != nil:
		return "formerly: " + said + ", until " + c.InvalidAt.Format("2006-01")
	}
	return said
}
