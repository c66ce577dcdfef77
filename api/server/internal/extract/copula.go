package extract

import "strings"

// copula finds the claims of "X is Y".
func (s *statement) copula() {
	t := s.rest
	if len(t) == 0 {
		return
	}
	if s.subject.of == mine && s.subject.attribute != "" {
		s.attribute(t)
		return
	}
	if s.fondOf(t) || s.participle(t) || s.prepositional(t) {
		return
	}
	if s.subject.of == thing {
		s.thingIs(t)
		return
	}
	s.personIs(t)
}

// participle reads "is called", "is based in", "is written in", "is pinned to", "is owned by".
func (s *statement) participle(t []token) bool {
	second := ""
	if len(t) > 1 {
		second = t[1].low
	}
	switch t[0].low {
	case "called", "named":
		if p, n := s.person(t, 1); n > 0 {
			s.about(Named, p, false)
		}
	case "based":
		if i := skip(t[1:], "out", "of", "in"); i > 0 {
			if p, n := s.placeName(t, 1+i); n > 0 {
				s.about(LivesIn, p, false)
			}
		}
	case "employed":
		if second == "at" || second == "by" {
			if o, n := s.organization(t, 2); n > 0 {
				s.about(WorksAt, o, false)
			}
		}
	case "married":
		if p, n := s.person(t, 2); n > 0 && second == "to" {
			s.about(MarriedTo, p, false)
		}
	case "written", "implemented", "coded", "built":
		if (second == "in" || second == "with") && s.subject.of == thing {
			s.named(WrittenIn, t, 2)
		}
	case "hosted", "deployed", "running":
		if (second == "on" || second == "at" || second == "to" || second == "in" || second == "with") && s.subject.of == thing {
			s.named(RunsOn, t, 2)
		}
	case "pinned", "locked", "frozen", "upgraded", "updated", "bumped":
		if v, n := versionName(t, 2); n > 0 && (second == "to" || second == "at" || second == "on") {
			s.emit(Version, v, t[0].low[len(t[0].low)-2:] == "ed" && t[0].low != "pinned" && t[0].low != "locked")
		}
	case "owned", "maintained", "led", "managed", "run":
		s.ownedBy(t)
	case "scheduled", "set", "planned", "due", "moved", "postponed", "pushed", "rescheduled", "delayed":
		s.scheduled(t)
	case "allergic":
		if second == "to" {
			s.each(AllergicTo, t, 2)
		}
	case "born", "raised":
		if p, n := s.placeName(t, 2); n > 0 && second == "in" && s.subject.of != thing {
			s.group.tense = present
			s.about(map[string]string{"born": ComesFrom, "raised": GrewUpIn}[t[0].low], p, false)
		}
	case "fluent", "native":
		if second == "in" {
			s.speaks(t, 2)
		}
	case "fixed", "released", "shipped":
		if v, n := versionName(t, 2); n > 0 && second == "in" && s.subject.of == thing {
			s.emit(FixedIn, v, false)
		}
	case "promoted":
		if second == "to" {
			s.changed(func() { s.profession(t, 2) })
		}
	default:
		return false
	}
	return true
}

func (s *statement) speaks(t []token, i int) {
	list, _ := things(t, i)
	for _, o := range list {
		if isLanguage(strings.ToLower(o.Name)) {
			s.emit(Speaks, o, false)
		}
	}
}

// ownedBy reads "is owned by Priya".
func (s *statement) ownedBy(t []token) {
	relation := map[string]string{"owned": Owns, "maintained": Maintains, "led": Leads, "managed": Leads, "run": Leads}[t[0].low]
	if len(t) < 3 || t[1].low != "by" || s.subject.of != thing && s.subject.of != person {
		return
	}
	i := 2 + skip(t[2:], "the", "our")
	if o, n := phrase(t, i); n > 0 && isGroup(o.Name) {
		s.emitFrom(Thing{o.Name, KindGroup}, relation, s.subject.thing, false)
		return
	}
	if p, n := s.person(t, i); n > 0 {
		s.emitFrom(p, relation, s.subject.thing, false)
	}
}

// scheduled reads "is due on Friday", "is scheduled for May 3", "was moved to Tuesday".
func (s *statement) scheduled(t []token) {
	if s.subject.of != thing {
		return
	}
	relation, change := Scheduled, false
	i := 1 + skip(t[1:], "back", "out", "forward", "again")
	switch t[0].low {
	case "due":
		relation = DueOn
	case "moved", "postponed", "pushed", "rescheduled", "delayed":
		change = true
		i += skip(t[min(i, len(t)):], "to", "until")
	}
	s.date(relation, t, i, change)
}

// date emits a date that a thing is set for. The date is the target: it is not when that was set.
func (s *statement) date(relation string, t []token, i int, change bool) bool {
	d, n := dateTarget(t, i, s.said())
	if n == 0 || s.group.tense != present && !(change && s.group.tense != modal) {
		return false
	}
	source := Thing{withoutDate(s.subject.thing.Name), KindThing}
	if due, ok := strings.CutPrefix(strings.ToLower(source.Name), "deadline for "); ok {
		relation, source.Name = DueOn, strings.TrimPrefix(due, "the ")
	}
	w, g := s.when, s.group
	s.when = when{}
	s.group.tense = present
	s.emitFrom(source, relation, d, change)
	s.when, s.group = w, g
	return true
}

// prepositional reads "is in", "is on", "is from", "is at".
func (s *statement) prepositional(t []token) bool {
	if len(t) < 2 {
		return false
	}
	switch t[0].low {
	case "from":
		if p, n := s.placeName(t, 1); n > 0 {
			s.about(ComesFrom, p, false)
		}
	case "in":
		s.isIn(t)
	case "on", "at":
		s.isOn(t)
	case "responsible":
		if t[1].low == "for" {
			s.onPeople(func() { s.each(Owns, t, 2) })
		}
	case "using":
		s.uses(t[1:])
	default:
		return false
	}
	return true
}

func (s *statement) onPeople(emit func()) {
	if s.subject.of != thing {
		emit()
	}
}

// isIn reads "is in us-east-1", "in charge of X", "in the CET time zone".
func (s *statement) isIn(t []token) {
	if t[1].low == "charge" && len(t) > 3 && t[2].low == "of" {
		s.onPeople(func() { s.each(Owns, t, 3) })
		return
	}
	if z := indexOf(t, "zone"); z > 1 && t[z-1].low == "time" || indexOf(t, "timezone") > 1 {
		i := 1 + skip(t[1:], "the")
		end := max(z-1, indexOf(t, "timezone"))
		if end > i && end-i <= 3 {
			s.onPeople(func() { s.emit(TimeZone, Thing{text(t[i:end]), KindThing}, false) })
		}
		return
	}
	if s.subject.of != thing {
		return
	}
	if o, n := phrase(t, 1); n > 0 && isNamed(o.Name) && !isMonth(t[1].low) && !isWeekday(t[1].low) && !startsWithDigit(t[1].text) && !isQuarter(t[1].low) {
		if base, _, _ := strings.Cut(strings.ToLower(o.Name), " "); codes()[base] {
			s.emit(WrittenIn, o, false)
			return
		}
		s.emit(LocatedIn, Thing{o.Name, KindPlace}, false)
		return
	}
	s.date(Scheduled, t, 1, false)
}

// codes are languages that programs are written in.
var codes = wordSet(`go golang rust python java kotlin scala swift ruby php perl c c++ c# f# haskell ocaml elixir erlang clojure javascript js
typescript ts react vue svelte angular dart lua zig julia r cobol fortran`)

// isOn reads "is on Monday", "is on version 5.8", "we are on Go 1.23", "is on the platform team".
func (s *statement) isOn(t []token) {
	if s.subject.of == thing {
		if !s.date(Scheduled, t, 1, false) {
			if v, n := versionName(t, 1); n > 0 {
				s.emit(Version, v, false)
			}
		}
		return
	}
	if s.subject.of == person && s.date(Scheduled, t, 1, false) {
		return
	}
	if o, n := phrase(t, 1); n > 0 && t[0].low == "on" {
		_, v := versionName(t, 1)
		switch {
		case isGroup(o.Name):
			s.emit(MemberOf, Thing{o.Name, KindGroup}, false)
		case (isTech(o.Name) || v > 1) && isNamed(o.Name) && !isMonth(t[1].low) && !isWeekday(t[1].low):
			s.emit(Uses, o, false)
		}
		return
	}
	if i := 1 + skip(t[1:], "the", "our"); t[0].low == "on" && i < len(t) {
		if o, n := phrase(t, i); n > 0 && isGroup(o.Name) {
			s.emit(MemberOf, Thing{o.Name, KindGroup}, false)
		}
	}
	if t[0].low == "at" && s.when.since != nil && s.group.tense != pastTense {
		if o, n := s.organization(t, 1); n > 0 && !startsWithDigit(o.Name) {
			s.about(WorksAt, o, false)
		}
	}
}

// thingIs reads "the launch date is March 14", "the deadline for X is Friday", "the owner of X is Priya".
func (s *statement) thingIs(t []token) {
	if s.date(Scheduled, t, 0, false) {
		return
	}
	name := strings.ToLower(s.subject.thing.Name)
	for _, role := range []struct{ of, relation string }{
		{"owner of ", Owns}, {"maintainer of ", Maintains}, {"lead of ", Leads}, {"head of ", Leads}, {"lead for ", Leads}, {"owner for ", Owns},
	} {
		if what, ok := strings.CutPrefix(name, role.of); ok {
			if p, n := s.person(t, 0); n > 0 {
				what = s.subject.thing.Name[len(s.subject.thing.Name)-len(what):]
				s.emitFrom(p, role.relation, Thing{strings.TrimPrefix(strings.TrimPrefix(what, "the "), "our "), KindThing}, false)
			}
			return
		}
	}
	if strings.HasSuffix(name, "version") {
		if v, n := versionName(t, 0); n > 0 {
			s.emitFrom(Thing{strings.TrimSpace(s.subject.thing.Name[:len(s.subject.thing.Name)-len("version")]), KindThing}, Version, v, false)
		}
		return
	}
	if len(t) > 1 && t[0].low == "my" {
		s.isMy(t)
		return
	}
	if o, n := phrase(t, 0); n > 0 && s.subject.owner == "our" && slots()[lastWord(name)] && isTech(o.Name) && s.group.tense == present && !s.group.negated {
		s.emitFrom(Thing{Team, KindGroup}, Uses, o, false)
	}
}

// slots are what a team has something of: "our database is Postgres".
var slots = wordSet(`database db datastore ci framework queue broker cache cloud provider registry bundler linter formatter orm editor proxy
gateway shell backend frontend vcs tracker monitoring`)

// personIs reads "I'm Dana", "Ines is our designer", "Tom is my manager", "Priya is the owner of billing".
func (s *statement) personIs(t []token) {
	if t[0].low == "my" && s.subject.of == person {
		s.isMy(t)
		return
	}
	what := t[min(skip(t, "a", "an", "strictly", "strict"), len(t)-1)]
	switch what.low {
	case "vegan", "vegetarian", "pescatarian", "celiac", "coeliac", "gluten-free", "lactose-intolerant", "kosher", "halal":
		s.about(Diet, Thing{what.text, KindThing}, false)
		return
	}
	if s.subject.of == speaker && !s.group.negated && s.mayBeName(t[0]) {
		if p, n := s.person(t, 0); n > 0 && (n == len(t) || t[n-1].list || t[n-1].stop || t[n].low == "from" || t[n].low == "and") && s.group.tense == present {
			s.emit(Named, p, false)
			if n < len(t) && t[n-1].list {
				s.profession(t, n)
			}
			return
		}
	}
	if s.subject.of != ours {
		s.profession(t, 0)
	}
}

// mayBeName says whether "I'm …" may tell a name. Without a capital it does so only behind a greeting: "hi, im theo",
// but not "im dead".
func (s *statement) mayBeName(w token) bool {
	if vague()[w.low] || moods()[w.low] {
		return false
	}
	if w.isName() {
		return true
	}
	for _, suffix := range []string{"ed", "ing", "ful", "ous", "ish", "able", "less", "ic", "al"} {
		if strings.HasSuffix(w.low, suffix) {
			return false
		}
	}
	return s.greets
}

// isMy reads "Tom is my manager", "Lumen Health is my employer", "Kat is my sister".
func (s *statement) isMy(t []token) {
	words := make([]string, 0, 3)
	for _, w := range t[1:] {
		if stopWords()[w.low] || len(words) == 3 {
			break
		}
		words = append(words, w.low)
		if w.stop || w.list {
			break
		}
	}
	what := strings.Join(words, " ")
	user := s.me()
	switch k, ok := kinOf(what); {
	case isBoss(what):
		s.emitFrom(user, ReportsTo, Thing{s.subject.thing.Name, KindPerson}, strings.HasPrefix(what, "new "))
	case what == "employer" || what == "company" || what == "new employer" || what == "current employer":
		s.emitFrom(user, WorksAt, Thing{s.subject.thing.Name, KindOrganization}, strings.HasPrefix(what, "new "))
	case ok:
		s.emitFrom(user, relationName(k.name), Thing{s.subject.thing.Name, k.kind}, false)
	default:
		if a := attributeOf(what); a != "" && a != "name" {
			s.emitFrom(user, relationName(a), Thing{s.subject.thing.Name, KindThing}, false)
		}
	}
}

// attribute reads what is said of the speaker's own: "my editor is Helix", "my sister's name is Kat".
func (s *statement) attribute(t []token) {
	user := s.me()
	if s.subject.many {
		k, _ := kinOf(s.subject.attribute)
		if s.group.tense == present && !s.group.negated {
			s.belongs(t, skip(t, "called", "named"), relationName(k.name), k.kind, true)
		}
		return
	}
	if s.subject.thing.Kind != "" && s.subject.thing.Name != s.me().Name { // kin
		i := skip(t, "called", "named")
		k, _ := kinOf(s.subject.attribute)
		if p, n := s.person(t, i); n > 0 && (i+n == len(t) || t[i+n-1].list || t[i+n-1].stop || stopWords()[t[i+n].low]) {
			s.emitFrom(user, relationName(k.name), Thing{p.Name, k.kind}, false)
			return
		}
		if i == 0 && !s.participle(t) && !s.prepositional(t) && (t[0].low == "a" || t[0].low == "an") {
			s.profession(t, 0)
		}
		return
	}
	s.own(user, t)
}

// takesAnything says whether an attribute's value may be any word. "My phone is dead" names no phone.
func takesAnything(attribute string) bool {
	switch attribute {
	case "theme", "color scheme", "pronouns", "nickname", "username", "handle", "github handle", "github username", "blood type", "shoe size",
		"commit style", "native language", "mother tongue", "language", "package manager", "default branch":
		return true
	}
	first, _, more := strings.Cut(attribute, " ")
	return more && (first == "favourite" || first == "preferred" || first == "default")
}

// own reads the attributes that have a relation of their own, and any other.
func (s *statement) own(user Thing, t []token) {
	switch a := s.subject.attribute; a {
	case "name", "full name", "first name":
		if p, n := s.person(t, 0); n > 0 {
			s.emitFrom(user, Named, p, false)
		}
	case "manager":
		i := skip(t, "called", "named", "now")
		if p, n := s.person(t, i); n > 0 {
			s.emitFrom(user, ReportsTo, p, false)
		}
	case "employer", "company":
		if o, n := s.organization(t, skip(t, "called", "now")); n > 0 {
			s.emitFrom(user, WorksAt, o, false)
		}
	case "birthday":
		if d, n := dateTarget(t, 0, s.said()); n > 0 {
			s.when = when{}
			s.emitFrom(user, Birthday, d, false)
		}
	case "time zone", "timezone":
		if o, n := phrase(t, 0); n > 0 && isNamed(o.Name) {
			s.emitFrom(user, TimeZone, o, false)
		}
	case "job title":
		s.profession(t, 0)
	case "hometown":
		if p, n := s.placeName(t, 0); n > 0 {
			s.emitFrom(user, ComesFrom, p, false)
		}
	default:
		if o, n := phrase(t, skip(t, "set", "to", "now")); n > 0 && (isNamed(o.Name) || takesAnything(a)) {
			s.emitFrom(user, relationName(a), o, false)
		}
	}
}
