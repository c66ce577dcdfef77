package extract

import "strings"

// changes finds the claims of verbs that tell of a change: to move, to switch, to join, to leave.
func (s *statement) changes() {
	t := s.rest
	switch s.group.lemma {
	case "move", "relocate":
		s.moves()
	case "switch", "migrate", "upgrade", "downgrade":
		s.switches()
	case "join":
		s.joins()
	case "start":
		if !s.takesUp() {
			s.starts()
		}
	case "begin", "open", "launch":
		s.takesUp()
	case "finish", "complete", "graduate":
		s.completes()
	case "sign", "enrol", "enroll":
		s.signsUp()
	case "leave", "quit":
		s.leaves()
	case "lose":
		s.loses()
	case "adopt", "choose", "pick":
		if !s.pet(true) {
			s.adopts(t, 0)
		}
	case "standardise", "standardize", "settle", "rely":
		if skipTo(t, 0, "on") > 0 {
			s.adopts(t, 1)
		}
	case "drop", "ditch", "uninstall", "abandon", "retire", "sunset", "decommission", "cancel":
		s.drops(t, 0)
	case "replace":
		s.replaces()
	case "become":
		s.becomes()
	case "marry":
		if p, n := s.person(t, 0); n > 0 {
			s.about(MarriedTo, p, true)
		}
	case "take":
		if i := skip(t, "over"); i == 1 && s.subject.of == person {
			s.changed(func() { s.each(Owns, t, i) })
		}
	case "get", "go":
		s.getsOrGoes()
	case "decide", "agree":
		s.decides()
	case "bump", "pin", "postpone", "reschedule", "push":
		s.shifts()
	case "stop":
	}
}

// isChat says whether one joins something without working there.
func isChat(name string) bool {
	switch strings.ToLower(name) {
	case "slack", "discord", "teams", "zoom", "telegram", "signal", "matrix", "whatsapp", "mattermost", "github", "gitlab", "linkedin", "mastodon", "reddit",
		"instagram", "facebook", "twitter", "tiktok", "snapchat", "pinterest", "strava", "duolingo", "netflix", "spotify", "patreon", "substack", "medium",
		"bluesky", "threads", "quora", "tinder", "hinge", "peloton", "youtube", "twitch", "steam", "x", "kaggle", "hacker news", "stack overflow":
		return true
	}
	return false
}

// changed runs emit with the cue of a change.
func (s *statement) changed(emit func()) {
	cue := s.cue
	s.cue = true
	g := s.group
	if g.tense == pastTense || g.tense == perfect {
		s.group.tense, s.happened = present, true
	}
	emit()
	s.cue, s.group, s.happened = cue, g, false
}

// moves reads "moved to Ghent", "moved from X to Y", "moved the launch to March".
func (s *statement) moves() {
	t := s.rest
	i := skip(t, "back", "over", "all", "away", "everything", "fully", "completely")
	if i >= len(t) {
		return
	}
	from, to := -1, -1
	for j := i; j < len(t) && j < i+12; j++ {
		switch t[j].low {
		case "from", "off":
			if from < 0 {
				from = j
			}
		case "to":
			if to < 0 {
				to = j
			}
		}
	}
	if i != from && i != to {
		if s.subject.of == ours || s.subject.of == speaker || s.subject.of == person {
			s.shifts()
		}
		return
	}
	if to >= 0 {
		if p, n := s.placeName(t, to+1); n > 0 && s.movesHome() {
			s.about(LivesIn, p, true)
			return
		}
		if o, n := phrase(t, to+1); n > 0 && isTech(o.Name) {
			s.switches()
		}
		return
	}
	if p, n := s.placeName(t, from+1); n > 0 && s.subject.of != thing && s.subject.of != ours && t[from].low == "from" {
		s.ends(LivesIn, p)
		return
	}
	s.switches()
}

// movesHome says whether a move to a place is one of people. A team may move to a tool that is not known here.
func (s *statement) movesHome() bool {
	switch s.subject.of {
	case speaker, person:
		return true
	case mine:
		return s.subject.thing.Kind == KindPerson
	case ours:
		for w := range strings.FieldsSeq(strings.ToLower(s.text[s.at.start:s.at.end])) {
			if household()[strings.Trim(w, ".,;:!?()")] {
				return true
			}
		}
	case thing:
	}
	return false
}

// household are words of a move of people rather than of a team.
var household = wordSet(`kids kid family flat apartment house home husband wife partner baby boxes movers school neighbourhood neighborhood dog cat`)

// ends emits an end for verbs that tell of one.
func (s *statement) ends(relation string, target Thing) {
	g := s.group
	tells := g.tense == pastTense || g.tense == perfect || g.tense == future
	if !tells || g.negated || g.running || s.subject.of == thing || s.subject.of == ours && relation != Uses {
		return
	}
	s.end(relation, target)
}

// switches reads "switched from X to Y", "migrated to Y", "upgraded PostgreSQL to 17".
func (s *statement) switches() {
	t := s.rest
	i := skip(t, "over", "back", "away", "all", "everything", "fully", "completely")
	if i < len(t) && t[i].low != "to" && t[i].low != "from" && t[i].low != "off" {
		s.shifts()
		return
	}
	for i < len(t) {
		word := t[i].low
		if word == "the" || word == "of" {
			i++
			continue
		}
		o, n := phrase(t, i+1)
		if (word == "to" || word == "from" || word == "off") && n == 0 {
			return
		}
		switch word {
		case "to":
			if s.tool(o, t, i+1) {
				s.emit(Uses, o, true)
			}
		case "from", "off":
			if s.tool(o, t, i+1) {
				s.ends(Uses, o)
			}
		default:
			return
		}
		i += n + 1
	}
}

// tool says whether what one switches to is something one uses.
func (s *statement) tool(o Thing, t []token, i int) bool {
	return s.subject.of != mine && (isNamed(o.Name) || len(strings.Fields(o.Name)) == 1 && isPlainWord(t[i]))
}

func (s *statement) adopts(t []token, i int) {
	if s.subject.of == thing || i < len(t) && (t[i].low == "up" || t[i].low == "to") {
		return
	}
	list, next := things(t, i)
	for _, o := range list {
		if isNamed(o.Name) {
			s.emit(Uses, o, s.group.lemma != "rely")
		}
	}
	if j := insteadOf(t, next); j > 0 && len(list) > 0 {
		if o, n := phrase(t, j); n > 0 && isNamed(o.Name) {
			s.endOf(s.subject.thing, Uses, o)
		}
	}
}

// drops reads "dropped X", "ditched X for Y".
func (s *statement) drops(t []token, i int) {
	o, n := phrase(t, i)
	if n == 0 || !isNamed(o.Name) || s.subject.of == thing {
		return
	}
	s.ends(Uses, o)
	if j := skipTo(t, i+n, "for"); j > 0 {
		if o, n := phrase(t, j); n > 0 && isNamed(o.Name) {
			s.emit(Uses, o, true)
		}
	}
}

// replaces reads "replaced X with Y".
func (s *statement) replaces() {
	o, n := phrase(s.rest, 0)
	if n == 0 || !isNamed(o.Name) || s.subject.of == thing {
		return
	}
	j := max(skipTo(s.rest, n, "with"), skipTo(s.rest, n, "by"))
	if j == 0 {
		return
	}
	if by, n := phrase(s.rest, j); n > 0 && isNamed(by.Name) {
		s.ends(Uses, o)
		s.emit(Uses, by, true)
	}
}

// starts reads "I started at Globex", "started using X", "started a new job at X".
func (s *statement) starts() {
	t := s.rest
	i := 0
	if j := indexOf(t, "job"); j >= 0 && j < 4 {
		i = j + 1
	}
	i += skip(t[min(i, len(t)):], "working", "work")
	if i < len(t) && (t[i].low == "at" || t[i].low == "with" && i > 0) {
		if o, n := s.organization(t, i+1); n > 0 {
			s.about(WorksAt, o, true)
		}
		return
	}
	if i == 0 && len(t) > 1 && (t[0].low == "using" || t[0].low == "learning") {
		relation := Uses
		if t[0].low == "learning" {
			relation = Learns
		}
		list, _ := things(t, 1)
		for _, o := range list {
			s.emit(relation, o, true)
		}
	}
}

// leaves reads "she left Acme", "I quit my job at Acme".
func (s *statement) leaves() {
	t := s.rest
	i := 0
	if len(t) > 1 && (t[0].low == "my" || t[0].low == "the" || t[0].low == "her" || t[0].low == "his") {
		if t[1].low != "job" && t[1].low != "role" && t[1].low != "position" {
			return
		}
		i = 2
		if i >= len(t) || t[i].low != "at" {
			return
		}
		i++
	}
	o, n := s.organization(t, i)
	if n > 0 && i == 0 && !t[0].isName() && t[0].low != "the" {
		return // "i quit smoking"
	}
	if n == 0 || isGroup(o.Name) || i+n < len(t) && (t[i+n].low == "on" || t[i+n].low == "a" || t[i+n].low == "at" || t[i+n].low == "for") && s.when.at == nil {
		return
	}
	relation := WorksAt
	if isTech(o.Name) {
		relation = Uses
	}
	s.ends(relation, o)
}

func (s *statement) becomes() {
	if s.subject.of != thing && s.subject.of != ours {
		s.changed(func() { s.profession(s.rest, 0) })
	}
}

// getsOrGoes reads "got rid of X", "got a job at X", "got promoted to X", "went with X".
func (s *statement) getsOrGoes() {
	t := s.rest
	low := strings.ToLower(text(t[:min(len(t), 3)])) + " "
	switch {
	case s.group.lemma == "get" && (strings.HasPrefix(low, "laid off ") || strings.HasPrefix(low, "fired ")):
		i := skip(t, "laid", "off", "fired", "from", "by", "at")
		if o, n := s.organization(t, i); n > 0 && s.subject.of != thing && s.subject.of != ours {
			s.ends(WorksAt, o)
		}
	case s.group.lemma == "get" && strings.HasPrefix(low, "rid of "):
		s.drops(t, 2)
	case s.group.lemma == "get" && strings.HasPrefix(low, "promoted to "):
		s.changed(func() { s.profession(t, 2) })
	case s.group.lemma == "get" && s.pet(true):
	case s.group.lemma == "get" && indexOf(t, "job") >= 0 && indexOf(t, "job") < 4:
		s.starts()
	case strings.HasPrefix(low, "with ") && s.group.lemma == "go":
		s.adopts(t, 1)
	}
}

// decides reads "we decided to use X", "agreed on X".
func (s *statement) decides() {
	t := s.rest
	if s.group.tense != pastTense && s.group.tense != perfect || s.group.negated || len(t) < 2 {
		return
	}
	if s.subject.of == thing || s.subject.of == mine {
		return
	}
	switch t[0].low {
	case "on":
		if o, n := phrase(t, 1); n > 0 {
			s.emit(Decided, o, true)
			if isTech(o.Name) {
				s.emit(Uses, o, true)
			}
		}
	case "to":
		if o, n := phrase(t, 2); n > 0 && isNamed(o.Name) && (t[1].low == "use" || t[1].low == "adopt") {
			s.emit(Uses, o, true)
		}
		if what := until(t[1:]); len(what) > 1 && len(what) <= 14 && !strings.Contains(text(what), "\x01") {
			s.emit(Decided, Thing{"to " + text(what), KindThing}, true)
		}
	}
}

// until returns tokens up to one that ends a phrase by its punctuation.
func until(t []token) []token {
	for i, w := range t {
		if w.stop {
			return t[:i+1]
		}
	}
	return t
}

// shifts reads what is done to a thing: "moved the launch to March 3", "upgraded the cluster to 1.29", "pinned X to Y".
func (s *statement) shifts() {
	t := s.rest
	to := indexOf(t, "to")
	if s.subject.of == thing && to == 0 { // "the launch moved to March 3"
		if d, n := dateTarget(t, 1, s.said()); n > 0 {
			s.emit(Scheduled, d, true)
		}
		return
	}
	if from := indexOf(t, "from"); from > 0 && from < to && s.subject.of != thing && s.replacesTool(t, from, to) {
		return
	}
	end := to
	if end > 0 && (t[end-1].low == "back" || t[end-1].low == "forward" || t[end-1].low == "out") {
		end--
	}
	if to < 1 || end < 1 || s.subject.of == thing {
		return
	}
	what, ok := thingSubject(t[:end])
	if !ok {
		return
	}
	what.thing.Name = withoutDate(what.thing.Name)
	if d, n := dateTarget(t, to+1, s.said()); n > 0 && !startsWithDigit(d.Name) || n > 0 && strings.Contains(d.Name, "-") {
		s.when.next, s.when.at = nil, nil
		s.emitFrom(what.thing, Scheduled, d, true)
		return
	}
	v, n := versionName(t, to+1)
	if n == 0 && to+1 < len(t) && startsWithDigit(t[to+1].low) && s.group.lemma == "upgrade" {
		v = Thing{t[to+1].text, KindThing}
	}
	switch {
	case v.Name == "":
	case isTech(what.thing.Name):
		s.emit(Uses, Thing{what.thing.Name + " " + v.Name, KindThing}, true)
	default:
		s.emitFrom(what.thing, Version, v, true)
	}
}

// replacesTool reads "moved our CI from Jenkins to GitHub Actions".
func (s *statement) replacesTool(t []token, from, to int) bool {
	old, n := phrase(t, from+1)
	next, m := phrase(t, to+1)
	what, ok := thingSubject(t[:from])
	if n == 0 || m == 0 || !ok || !isNamed(old.Name) || !isNamed(next.Name) {
		return false
	}
	if _, n := dateTarget(t, to+1, s.said()); n > 0 {
		return false
	}
	s.ends(Uses, old)
	s.emit(Uses, next, true)
	if words := strings.Fields(strings.ToLower(what.thing.Name)); hosted()[words[len(words)-1]] {
		s.emitFrom(what.thing, RunsOn, next, true)
		s.endOf(what.thing, RunsOn, old)
	}
	return true
}

// hosted are things that run on something.
var hosted = wordSet(`cluster service services database db server servers api site website staging production prod backend frontend infra
infrastructure deployment environment env workloads app apps registry runner runners`)

// withoutDate takes the word "date" off what has one: the launch date is that of the launch.
func withoutDate(name string) string {
	for _, suffix := range []string{" date", " day"} {
		if len(name) > len(suffix) && strings.HasSuffix(strings.ToLower(name), suffix) {
			return name[:len(name)-len(suffix)]
		}
	}
	return name
}

// versionName reads "5.8.2", "v2.14.0-rc.3", "firmware 5.8.2", "version 3".
func versionName(t []token, i int) (Thing, int) {
	for j := i; j < len(t) && j < i+3; j++ {
		v := strings.TrimPrefix(t[j].low, "v")
		numeric := startsWithDigit(v) && strings.Trim(v, "0123456789.-+abcdefghijklmnopqrstuvwxyz") == ""
		if numeric && (strings.Contains(v, ".") || j > i || t[j].low != v) {
			if _, ok := yearOf(v); ok && j > i {
				return Thing{}, 0
			}
			name := t[i : j+1]
			if len(name) > 1 && (name[0].low == "version" || name[0].low == "release") {
				name = name[1:]
			}
			return Thing{text(name), KindThing}, j + 1 - i
		}
		if stopWords()[t[j].low] || t[j].stop || t[j].list {
			break
		}
	}
	return Thing{}, 0
}
