package extract

import "strings"

// read finds the claims of a statement by its verb.
func (s *statement) read() {
	if s.subject.of == mine && s.subject.thing.Name == s.me().Name && s.group.lemma != "be" {
		s.subject = s.possession()
	}
	switch s.group.lemma {
	case "be":
		s.copula()
	case "live", "reside":
		s.lives()
	case "work":
		s.works()
	case "use":
		s.uses(s.rest)
	case "run":
		s.runs()
	case "own", "maintain", "lead", "manage":
		s.inCharge()
	case "report":
		if p, n := s.after("to"); n > 0 {
			s.about(ReportsTo, p, false)
		}
	case "like", "love", "enjoy", "prefer", "hate", "dislike":
		s.taste()
	case "speak", "learn", "study":
		s.knows()
	case "have":
		s.has()
	case "write":
		s.writes()
	case "deploy", "host":
		s.deploys()
	case "begin", "start", "end", "launch", "ship", "go", "expire", "close", "open", "happen":
		s.begins()
	case "play", "collect", "teach", "coach", "drive":
		s.pastime()
	case "volunteer":
		s.volunteers()
	case "take":
		if !s.attends() {
			s.changes()
		}
	case "plan":
		s.plans()
	case "visit", "fly", "travel", "attend", "participate":
		s.travels()
	case "grow":
		s.grewUp()
	default:
		s.changes()
	}
}

// possession is what "my laptop" is about when it does something: what it runs its owner uses, the rest is its own.
func (s *statement) possession() subject {
	switch s.subject.attribute {
	case "manager":
		return subject{thing: Thing{s.me().Name + "'s manager", KindPerson}, of: person}
	case "company", "employer":
		return subject{thing: Thing{Team, KindGroup}, of: ours}
	}
	if s.group.lemma == "run" || s.group.lemma == "use" {
		return subject{thing: s.subject.thing, of: speaker}
	}
	return subject{thing: Thing{s.subject.attribute, KindThing}, of: thing}
}

// about emits a claim about people only: "the service lives in the cluster" says nothing of a home.
func (s *statement) about(relation string, target Thing, change bool) {
	switch s.subject.of {
	case speaker, person:
		s.emit(relation, target, change)
	case ours:
		s.emitFrom(s.me(), relation, target, change)
	case mine:
		if s.subject.thing.Kind == KindPerson && s.subject.thing.Name != s.me().Name {
			s.emit(relation, target, change)
		}
	case thing:
	}
}

// after reads a person behind a preposition.
func (s *statement) after(prep string) (Thing, int) {
	if len(s.rest) > 1 && s.rest[0].low == prep {
		return s.person(s.rest, 1)
	}
	return Thing{}, 0
}

// skip returns the index behind any of some words at the start of t.
func skip(t []token, words ...string) int {
	for i, w := range t {
		found := false
		for _, x := range words {
			found = found || w.low == x
		}
		if !found {
			return i
		}
	}
	return len(t)
}

func (s *statement) lives() {
	i := skip(s.rest, "now", "currently", "together", "alone", "here", "happily", "back")
	if i >= len(s.rest) || s.rest[i].low != "in" && s.rest[i].low != "at" {
		return
	}
	if p, n := s.reader.placeName(s.rest, i+1); n > 0 {
		s.about(LivesIn, p, false)
	}
}

// placeName reads a place that is no tool.
func (r *reader) placeName(t []token, i int) (Thing, int) {
	p, n := r.readPlace(t, i)
	if n == 0 || isTech(p.Name) || isRoleNoun(strings.ToLower(p.Name)) || noPlaces()[t[i].low] || isChat(p.Name) || startsWithDigit(lastWord(p.Name)) {
		return Thing{}, 0
	}
	return p, n
}

// noPlaces are words with a capital that one moves to without moving house.
var noPlaces = wordSet(`engineering sales marketing support finance hr legal operations ops product design research qa security management
infra platform leadership accounting procurement logistics compliance growth data it room floor desk building team table seat page chapter step
phase plan section tab branch channel trash done backlog review progress inbox archive production staging zoom slack teams bed plan`)

func (s *statement) works() {
	t := s.rest
	i := skip(t, "now", "currently", "remotely", "mostly", "mainly", "here", "full-time", "part-time", "fulltime", "together")
	if i >= len(t) {
		return
	}
	switch t[i].low {
	case "at", "for":
		if o, n := s.organization(t, i+1); n > 0 {
			s.about(WorksAt, o, false)
			if j := skipTo(t, i+1+n, "as"); j > 0 {
				s.profession(t, j)
			}
		}
	case "there":
		if s.there != nil && !s.secondHand {
			s.about(WorksAt, *s.there, false)
		}
	case "as":
		s.profession(t, i+1)
	case "on":
		if s.group.running && s.subject.of != person {
			return // what one is working on just now
		}
		s.each(WorksOn, t, i+1)
	}
}

// each emits a claim for every thing of a list.
func (s *statement) each(relation string, t []token, i int) {
	if i < len(t) && (t[i].low == "the" || t[i].low == "our" || t[i].low == "my") {
		i++
	}
	list, _ := things(t, i)
	for _, o := range list {
		s.emit(relation, o, false)
	}
}

// profession reads what someone is by profession, and where.
func (s *statement) profession(t []token, i int) {
	if i < len(t) {
		switch t[i].low {
		case "a", "an", "the", "our", "their", "your":
			i++
		}
		i += skip(t[min(i, len(t)):min(i+1, len(t))], "new", "current")
	}
	end := -1
	for j := i; j < len(t) && j-i < 6; j++ {
		if stopWords()[t[j].low] || strings.Contains(t[j].text, "\x01") || noObject()[t[j].low] {
			break
		}
		if isRoleNoun(t[j].low) {
			end = j + 1
		}
		if t[j].stop || t[j].list {
			break
		}
	}
	if end < 0 || goesFurther(t, end) {
		return
	}
	if end < len(t) && t[end].low == "of" {
		s.headOf(t, i, end+1)
		return
	}
	if j := skipTo(t, end, "at"); j > 0 {
		if o, n := s.organization(t, j); n > 0 {
			relation := WorksAt
			if t[end-1].low == "student" {
				relation = StudiesAt
			}
			s.about(relation, o, false)
		}
	}
	s.about(HasRole, Thing{text(t[i:end]), KindThing}, false)
}

// goesFurther says whether a profession goes on behind what is known of it: "nurse practitioner", "tech person".
func goesFurther(t []token, end int) bool {
	if end >= len(t) || t[end-1].stop || t[end-1].list || stopWords()[t[end].low] || adverbs()[t[end].low] || t[end].isName() {
		return false
	}
	_, isVerb := verbs()[t[end].low]
	return !isVerb && !isGerund(t[end].low) && !strings.HasSuffix(t[end].low, "ed") && t[end].low != "turned"
}

// skipTo returns the index behind a word that stands at i, or 0.
func skipTo(t []token, i int, word string) int {
	if i < len(t) && t[i].low == word {
		return i + 1
	}
	return 0
}

// headOf reads "the owner of the billing service".
func (s *statement) headOf(t []token, role, i int) {
	var relation string
	switch t[i-2].low {
	case "owner":
		relation = Owns
	case "maintainer":
		relation = Maintains
	case "lead", "leader", "head", "manager":
		relation = Leads
	default:
		s.roleOf(t, role, i)
		return
	}
	s.each(relation, t, i)
}

// roleOf reads "the CTO of Brightwater" and "a professor of history".
func (s *statement) roleOf(t []token, role, i int) {
	if o, n := s.organization(t, i); n > 0 {
		s.about(WorksAt, o, false)
		s.about(HasRole, Thing{text(t[role : i-1]), KindThing}, false)
	} else if o, n := phrase(t, i); n > 0 {
		s.about(HasRole, Thing{text(t[role:i-1]) + " of " + o.Name, KindThing}, false)
	}
}

func (s *statement) uses(t []token) {
	if s.group.running && s.subject.of == thing {
		return
	}
	list, i := things(t, 0)
	for _, o := range list {
		s.emit(Uses, o, false)
	}
	if len(list) == 0 {
		return
	}
	if j := insteadOf(t, i); j > 0 {
		if o, n := phrase(t, j); n > 0 {
			s.endOf(s.subject.thing, Uses, o)
		}
	}
}

// insteadOf returns the index behind "instead of" or "rather than" somewhere from i on, or 0.
func insteadOf(t []token, i int) int {
	for ; i+1 < len(t); i++ {
		if t[i].low == "instead" && t[i+1].low == "of" || t[i].low == "rather" && t[i+1].low == "than" {
			return i + 2
		}
	}
	return 0
}

func (s *statement) runs() {
	if len(s.rest) == 0 {
		return
	}
	if s.rest[0].low == "on" || s.rest[0].low == "in" {
		relation := RunsOn
		if s.subject.of == ours || s.subject.of == speaker {
			relation = Uses
		}
		s.named(relation, s.rest, 1)
		return
	}
	if o, n := phrase(s.rest, 0); n > 0 && !isArticle(s.rest[0].low) && (s.rest[0].isName() || isTech(o.Name)) {
		s.emit(Uses, o, false)
	}
}

// named emits a claim for every thing of a list that is written as a name: "runs on Hetzner", not "runs on time".
func (s *statement) named(relation string, t []token, i int) {
	if i < len(t) && (t[i].low == "the" || t[i].low == "our" || t[i].low == "a" || t[i].low == "an") {
		i++
	}
	list, _ := things(t, i)
	for _, o := range list {
		if isNamed(o.Name) {
			s.emit(relation, o, false)
		}
	}
}

// isNamed says whether a thing has a name or an identifier in it.
func isNamed(name string) bool {
	for w := range strings.FieldsSeq(name) {
		if (token{text: w}).isName() || isTech(w) || isIdentifier(w) {
			return true
		}
	}
	return false
}

func (s *statement) inCharge() {
	if s.group.lemma == "manage" && len(s.rest) > 0 {
		switch s.rest[0].low {
		case "me", "us":
			s.emitFrom(s.me(), ReportsTo, s.subject.thing, false)
			return
		}
		if p, n := s.person(s.rest, 0); n > 0 && s.subject.of == person {
			s.emitFrom(p, ReportsTo, s.subject.thing, false)
			return
		}
	}
	relation := map[string]string{"own": Owns, "maintain": Maintains, "lead": Leads, "manage": Leads}[s.group.lemma]
	if s.subject.of == thing && !isGroup(s.subject.thing.Name) || len(s.rest) == 0 || s.rest[0].low == "to" || s.rest[0].low == "a" || s.rest[0].low == "an" {
		return
	}
	s.each(relation, s.rest, 0)
}

func isGroup(name string) bool {
	low := strings.ToLower(name)
	return strings.HasSuffix(low, "team") || strings.HasSuffix(low, "squad") || strings.HasSuffix(low, "group") || strings.HasSuffix(low, "guild")
}

func (s *statement) knows() {
	if s.group.lemma == "study" {
		s.studies(s.rest)
		return
	}
	relation := Speaks
	if s.group.lemma == "learn" {
		relation = Learns
		if s.group.tense == pastTense {
			return
		}
	}
	i := skip(s.rest, "a", "some", "bit", "of", "little", "fluent", "native", "both", "basic", "decent", "conversational")
	list, _ := things(s.rest, i)
	for _, o := range list {
		if isLanguage(strings.ToLower(o.Name)) || relation == Learns && isNamed(o.Name) {
			s.emit(relation, o, false)
		}
	}
}

// has reads "I have a dog named Rex" and "I have an allergy to nuts".
func (s *statement) has() {
	if s.subject.of != speaker && s.subject.of != ours || s.group.tense != present || s.pet(false) {
		return
	}
	for _, w := range s.rest[:min(len(s.rest), 4)] {
		if w.low == "allergy" {
			if j := indexOf(s.rest, "to"); j >= 0 {
				s.each(AllergicTo, s.rest, j+1)
			}
			return
		}
	}
}

func indexOf(t []token, word string) int {
	for i, w := range t {
		if w.low == word {
			return i
		}
	}
	return -1
}

// writes reads "we write the backend in Go".
func (s *statement) writes() {
	in := indexOf(s.rest, "in")
	if in < 1 || s.subject.of == thing || s.group.tense != present {
		return
	}
	what, ok := thingSubject(s.rest[:in])
	if !ok {
		return
	}
	list, _ := things(s.rest, in+1)
	for _, o := range list {
		if isTech(o.Name) {
			s.emitFrom(what.thing, WrittenIn, o, false)
		}
	}
}

func (s *statement) deploys() {
	for i, w := range s.rest {
		if w.low == "to" || w.low == "on" || w.low == "with" {
			if i == 0 {
				s.named(Uses, s.rest, 1)
			} else if what, ok := thingSubject(s.rest[:i]); ok && s.subject.of != thing {
				list, _ := things(s.rest, i+1)
				for _, o := range list {
					if isNamed(o.Name) {
						s.emitFrom(what.thing, RunsOn, o, false)
					}
				}
			}
			return
		}
	}
}

// begins reads "the sprint starts on Monday".
func (s *statement) begins() {
	if s.subject.of != thing || s.group.lemma == "go" && (len(s.rest) == 0 || s.rest[0].low != "live") {
		if s.group.lemma == "go" {
			s.travels()
		}
		if l := s.group.lemma; l == "start" || l == "begin" || l == "open" || l == "launch" {
			s.changes()
		}
		return
	}
	i := skip(s.rest, "live")
	if d, n := dateTarget(s.rest, i, s.said()); n > 0 && (s.group.tense == present || s.group.tense == future) {
		g := s.group
		s.group.tense, s.group.lemma = present, "be"
		s.emit(Scheduled, d, false)
		s.group = g
	}
}
