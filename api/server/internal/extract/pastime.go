package extract

import (
	"slices"
	"strings"
)

// pastime reads "I play the clarinet", "I've been teaching maths since 2019".
func (s *statement) pastime() {
	relation := map[string]string{"play": Plays, "collect": Collects, "teach": Teaches, "coach": Teaches, "drive": Drives}[s.group.lemma]
	s.practised(relation, s.rest, 0, false)
}

// practised emits what someone plays, collects or teaches, when the words name it.
func (s *statement) practised(relation string, t []token, i int, change bool) {
	if s.subject.of != speaker && s.subject.of != person && s.subject.of != mine {
		return
	}
	switch relation {
	case Plays:
		if i+1 < len(t) && t[i].low == "the" && instruments()[t[i+1].low] {
			i++
		}
		if o, n := phrase(t, i); n > 0 && plays(o.Name) {
			s.emit(Plays, o, change)
		}
	case Drives:
		if o, n := phrase(t, i); n > 0 && isNamed(o.Name) && i < len(t) && isArticle(t[i].low) {
			s.emit(Drives, o, change)
		}
	case Teaches:
		if o, n := phrase(t, i); n > 0 && !people()[t[i].low] && !pointers()[t[i].low] && !personal()[t[i].low] {
			s.emit(Teaches, o, change)
		}
	default:
		list, _ := things(t, i)
		for _, o := range list {
			s.emit(relation, o, change)
		}
	}
}

// plays says whether one plays what is named: an instrument or a game, not a part or a trick.
func plays(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	return instruments()[words[len(words)-1]] || games()[words[len(words)-1]] || games()[strings.Join(words, " ")]
}

var instruments = wordSet(`piano guitar cello violin viola bass drums drum clarinet flute oboe saxophone sax trumpet trombone tuba horn harp
accordion banjo mandolin ukulele keyboard keyboards organ bassoon harmonica recorder fiddle synth bagpipes percussion oud sitar`)

var games = wordSet(`chess go football soccer basketball volleyball tennis badminton squash padel hockey rugby cricket baseball softball golf
handball bridge poker dnd d&d dungeons minecraft fortnite factorio warhammer magic darts pool snooker ping-pong table-tennis pickleball lacrosse
frisbee netball valorant`)

// people are words for those whom one teaches, or does something with.
var people = wordSet(`kids children people students adults teens beginners others me us them him her classes class myself a an`)

// volunteers reads "I volunteer at a homeless shelter".
func (s *statement) volunteers() {
	t := s.rest
	if len(t) < 2 || t[0].low != "at" && t[0].low != "with" && t[0].low != "for" {
		return
	}
	i := 1
	if o, n := s.organization(t, i); n > 0 && t[i].low != "a" && t[i+n-1].isName() {
		s.about(Volunteers, o, false)
		return
	}
	if !isArticle(t[i].low) {
		return
	}
	if o, n := phrase(t, i+skip(t[i:], "the", "a", "an", "local")); n > 0 && bodies()[lastWord(o.Name)] {
		s.about(Volunteers, Thing{o.Name, KindOrganization}, false)
	}
}

func lastWord(name string) string {
	return strings.ToLower(name[strings.LastIndexByte(name, ' ')+1:])
}

// bodies are what one joins, attends or helps at.
var bodies = wordSet(`shelter kitchen hospital hospice library museum church mosque temple synagogue school charity foundation club gym center
centre bank zoo clinic garden farm sanctuary choir band orchestra league group programme program team community organization organisation
association union society committee board co-op cooperative collective society troupe squad studio party guild meetup parish congregation`)

// courses are what one takes, starts or finishes.
var courses = wordSet(`class classes course courses lessons workshop bootcamp degree phd doctorate masters master's bachelor's mba diploma training
apprenticeship internship programme program residency thesis dissertation certification marathon therapy`)

// ventures are what one starts and goes on with.
var ventures = wordSet(`business company studio store shop blog podcast channel club newsletter band startup bakery restaurant cafe café agency
nonprofit charity garden diet petition campaign career practice gallery brand bookclub foundation collection job novel`)

// pursuits are what people take up: they start running, but not debugging.
var pursuits = wordSet(`volunteering running jogging hiking swimming knitting crocheting painting drawing cooking baking gardening climbing
bouldering cycling dancing meditating journaling fencing surfing skiing skating sewing sculpting woodworking birdwatching kayaking rowing sailing
fishing photography yoga pilates pottery boxing judo karate weightlifting freelancing blogging homeschooling fasting therapy`)

// attends reads "I'm taking a poetry class".
func (s *statement) attends() bool {
	if s.subject.of == thing || s.group.tense == pastTense || s.group.tense == modal {
		return false
	}
	if o, n := phrase(s.rest, 0); n > 0 && courses()[lastWord(o.Name)] {
		s.about(Attends, o, false)
		return true
	}
	return false
}

// joins reads "I joined a gym last week". An employer has a name.
func (s *statement) joins() {
	t := s.rest
	if o, n := s.organization(t, 0); n > 0 {
		if !isGroup(o.Name) && t[0].low != "team" && !isChat(o.Name) && !isGathering(lastWord(o.Name)) && s.hires(o, t, n) {
			s.about(WorksAt, o, true)
		}
		return
	}
	if len(t) > 1 && isArticle(t[0].low) {
		if o, n := phrase(t, skip(t[:1], "the", "a", "an")); n > 0 && bodies()[lastWord(o.Name)] && s.subject.of != ours {
			s.about(MemberOf, Thing{o.Name, KindGroup}, true)
		}
	}
}

// hires says whether the words behind "joined Globex" or its name make it a job. "I joined Anna for lunch" has a name too.
func (s *statement) hires(o Thing, t []token, n int) bool {
	if legalForms()[lastWord(o.Name)] || n < len(t) && t[n].low == "as" {
		return true
	}
	if slices.Contains(s.people, o.Name) || n < len(t) && (t[n].low == "for" || t[n].low == "in" && s.when.at == nil) {
		return false
	}
	w := s.when
	return w.since != nil || w.next != nil || w.before != nil || w.at != nil && (w.at.Before(day(s.said()).AddDate(0, 0, -1)))
}

// legalForms end the names of companies.
var legalForms = wordSet(`corp corporation inc ltd llc gmbh ag bv nv co company labs technologies systems software group holdings plc oy ab sa srl`)

// isGathering says whether one joins something for an hour.
func isGathering(low string) bool {
	switch low {
	case "call", "meeting", "standup", "session", "chat", "channel", "webinar", "huddle", "conversation", "party", "trip", "retro", "sync":
		return true
	}
	return false
}

// takesUp reads what someone started, opened or signed up for. It says whether it was one of those.
func (s *statement) takesUp() bool {
	t := s.rest
	if s.subject.of != speaker && s.subject.of != person || len(t) == 0 {
		return false
	}
	if s.group.lemma == "start" || s.group.lemma == "begin" {
		switch t[0].low {
		case "playing", "collecting", "teaching":
			s.practised(map[string]string{"playing": Plays, "collecting": Collects, "teaching": Teaches}[t[0].low], t, 1, true)
			return true
		}
		if pursuits()[t[0].low] {
			s.undertake(Thing{t[0].low, KindThing})
			return true
		}
	}
	if !isArticle(t[0].low) && t[0].low != "my" && t[0].low != "our" {
		return false
	}
	i := skip(t, "a", "an", "the", "my", "our", "own", "new")
	if o, n := phrase(t, i); n > 0 && (courses()[lastWord(o.Name)] || ventures()[lastWord(o.Name)]) && lastWord(o.Name) != "job" {
		s.undertake(o)
		return true
	}
	return false
}

// undertake emits what was started; what is to be started is a plan.
func (s *statement) undertake(o Thing) {
	if s.group.tense == future || s.group.running {
		s.emit(Plans, Thing{"to start " + o.Name, KindThing}, true)
		return
	}
	s.emit(Started, o, true)
}

// signsUp reads "I signed up for a pottery class", "enrolled in a course".
func (s *statement) signsUp() {
	t := s.rest
	i := skip(t, "up")
	if s.subject.of != speaker && s.subject.of != person || i >= len(t) || t[i].low != "for" && t[i].low != "in" {
		return
	}
	if o, n := phrase(t, i+1); n > 0 && (courses()[lastWord(o.Name)] || bodies()[lastWord(o.Name)]) {
		s.emit(Attends, o, true)
	}
}

// completes reads "I finished my PhD in May", "I graduated from Porto".
func (s *statement) completes() {
	t := s.rest
	if s.subject.of != speaker && s.subject.of != person || len(t) == 0 || s.group.running {
		return
	}
	if s.group.lemma == "graduate" {
		if t[0].low == "from" {
			if o, n := s.organization(t, 1); n > 0 {
				s.about(Graduated, o, true)
			}
		}
		return
	}
	i := skip(t, "a", "an", "the", "my", "first")
	if o, n := phrase(t, i); n > 0 && i > 0 && courses()[lastWord(o.Name)] {
		s.emit(Finished, o, true)
	}
}

// lostJob says whether a clause leaves out the "I" before a loss.
func lostJob(t []token) bool {
	return len(t) > 4 && (t[0].low == "lost" || t[0].low == "quit") && t[1].low == "my" && t[2].low == "job"
}

// loses reads "I lost my job at Door Dash", "I lost my job as a banker".
func (s *statement) loses() {
	t := s.rest
	if s.subject.of == thing || s.subject.of == ours || len(t) < 3 || t[1].low != "job" && t[1].low != "position" {
		return
	}
	switch t[2].low {
	case "at", "with":
		if o, n := s.organization(t, 3); n > 0 {
			s.ends(WorksAt, o)
		}
	case "as":
		g := s.group
		s.group.noLonger = !g.negated
		s.profession(t, 3)
		s.group = g
	}
}

// plans reads "I'm planning a trip to Oaxaca", which has not been yet.
func (s *statement) plans() {
	t := s.rest
	if s.subject.of != speaker && s.subject.of != person || !s.group.running || s.group.negated || len(t) < 2 || !isArticle(t[0].low) {
		return
	}
	switch t[1].low {
	case "trip", "holiday", "vacation", "visit", "wedding", "party", "move", "sabbatical":
	default:
		return
	}
	what := t[1:2]
	if len(t) > 3 && (t[2].low == "to" || t[2].low == "in") && !t[1].stop && !t[1].list {
		j := 3 + skip(t[3:], "the")
		if _, n := properName(t, j); n > 0 {
			what = t[1 : j+n]
		}
	}
	s.emit(Plans, Thing{text(what), KindThing}, true)
}

// grewUp reads "I grew up in Porto", which stays true.
func (s *statement) grewUp() {
	if i := skip(s.rest, "up", "mostly"); i > 0 && i < len(s.rest) && s.rest[i].low == "in" && s.group.tense == pastTense && !s.group.negated {
		if p, n := s.placeName(s.rest, i+1); n > 0 {
			s.group.tense, s.when = present, when{}
			s.about(GrewUpIn, p, false)
		}
	}
}

// studies reads "I study law at Porto".
func (s *statement) studies(t []token) {
	at := 0
	if o, n := phrase(t, 0); n > 0 && s.subject.of != thing && s.subject.of != ours && (n == len(t) || t[n-1].stop || t[n-1].list || t[n].low == "at" || t[n].low == "in") {
		s.emit(Studies, o, false)
		at = n
	}
	if at < len(t) && t[at].low == "at" {
		if o, n := s.organization(t, at+1); n > 0 {
			s.about(StudiesAt, o, false)
		}
	}
}

// travels reads "I'm visiting Rome in May", "I'm going to a conference next week", "I went to Oslo last week". Without a
// time it is one of the many ways that people and their programs take.
func (s *statement) travels() {
	if s.subject.of == thing || s.group.negated {
		return
	}
	t := s.rest
	i := skip(t, "to", "in", "back")
	if i == 0 && s.group.lemma != "visit" && s.group.lemma != "attend" || i > 0 && t[i-1].low == "back" {
		return
	}
	where := s.destination(t, i)
	w := s.when
	ahead := s.group.tense == future || s.group.running && s.group.tense == present && (w.next != nil || w.at != nil)
	switch {
	case where == "":
	case ahead:
		words := "to " + s.group.lemma + " "
		if i > 0 {
			words += t[i-1].low + " "
		}
		s.when.at = nil
		s.about(Plans, Thing{words + where, KindThing}, true)
	case s.group.tense == pastTense && (w.at != nil || w.before != nil):
		relation := Visited
		if s.group.lemma == "attend" || s.group.lemma == "participate" {
			relation = Attended
		}
		s.about(relation, Thing{where, KindThing}, true)
	}
}

// destination reads where one goes: a place, or an event that says what it is.
func (s *statement) destination(t []token, i int) string {
	named := i + skip(t[min(i, len(t)):min(i+1, len(t))], "the")
	if p, n := s.placeName(t, named); n > 0 && t[named].isName() {
		return p.Name
	}
	if i+1 >= len(t) || t[i].low != "a" && t[i].low != "an" {
		return ""
	}
	if o, n := phrase(t, i); n > 0 && occasions()[lastWord(o.Name)] {
		return o.Name
	}
	return ""
}

// occasions are what one goes to once.
var occasions = wordSet(`conference concert festival wedding funeral party parade workshop exhibition museum group meetup retreat fair play show
musical opera game match race run hackathon convention summit seminar lecture class gallery circus zoo beach reunion fundraiser gala event
protest rally march conference ceremony graduation camp cafe café restaurant spa`)
