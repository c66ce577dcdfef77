package extract

import "strings"

// subject is what a clause is about.
type subject struct {
	thing Thing
	// of says what kind of words name it.
	of subjectKind
	// attribute is what of the speaker is meant, for "my editor" and "my sister's name".
	attribute string
	// many says that the attribute is of several: "my kids".
	many bool
	// owner is "our", "my" or "the" before a thing.
	owner string
}

type subjectKind int

const (
	speaker subjectKind = iota // I
	ours                       // we, our team
	person                     // a name, or a pronoun that can only mean one
	thing                      // the billing service
	mine                       // my sister, my editor
)

// parseSubject reads the subject that ends where a verb group begins. It tries the shortest first.
func (r *reader) parseSubject(t []token) (s subject, g group, next int, ok bool) {
	for i := 1; i < len(t) && i <= maxSubject; i++ {
		g, next, found := parseGroup(t, i)
		if found && g.lemma != "" {
			s, ok := r.subject(t[:i])
			switch {
			case s.of == person && g.bare: // "Sounds like" is not of someone called Sounds
			case s.many && g.lemma != "be":
			case g.lemma != "be" && next < len(t) && isBe(t[next].low): // "my team lead is"
			case ok:
				return s, g, next, true
			}
		}
		if t[i-1].stop || t[i-1].list {
			break
		}
	}
	return subject{}, group{}, 0, false
}

// maxSubject is how many words a subject has at most.
const maxSubject = 7

func (r *reader) subject(t []token) (subject, bool) {
	first := t[0].low
	if len(t) == 1 {
		switch first {
		case "i":
			return subject{thing: r.me(), of: speaker}, !r.quoted
		case "we":
			return subject{thing: Thing{Team, KindGroup}, of: ours}, !r.quoted
		case "he", "she":
			if name := r.onlyPerson(); name != "" {
				return subject{thing: Thing{name, KindPerson}, of: person}, true
			}
			return subject{}, false
		}
	}
	if (first == "my" || first == "our") && r.quoted {
		return subject{}, false
	}
	if len(t) == 2 && t[1].low == "team" && (first == "our" || first == "the" || first == "my") {
		return subject{thing: Thing{Team, KindGroup}, of: ours}, true
	}
	if first == "my" {
		return r.mySubject(t[1:])
	}
	if k, ok := kinOf(strings.ToLower(text(t[1:]))); first == "our" && ok && ofHouse(k.name) {
		return r.mySubject(t[1:])
	}
	if name, n := properName(t, 0); n == len(t) && !isCommonStart(t[0]) {
		kind := KindPerson
		if isTech(name) || strings.ContainsAny(name, "0123456789._/#") {
			kind = KindThing
		}
		of := person
		if kind == KindThing {
			of = thing
		}
		return subject{thing: Thing{name, kind}, of: of}, true
	}
	return thingSubject(t)
}

// mySubject reads what follows "my".
func (r *reader) mySubject(t []token) (subject, bool) {
	if len(t) == 0 {
		return subject{}, false
	}
	if s, ok := r.aside(t); ok {
		return s, true
	}
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(text(t)), " name"), "'s")
	if k, ok := kinOf(name); ok {
		return subject{thing: Thing{r.me().Name + "'s " + k.name, k.kind}, of: mine, attribute: k.name}, true
	}
	if k, many, ok := kinOrKins(name); ok && many {
		return subject{thing: Thing{r.me().Name + "'s " + k.name, k.kind}, of: mine, attribute: k.name, many: true}, true
	}
	if a := attributeOf(name); a != "" {
		return subject{thing: r.me(), of: mine, attribute: a}, true
	}
	return thingSubject(append([]token{{text: "my", low: "my"}}, t...))
}

// aside reads "sister Kat" and "manager Joanna" behind "my".
func (r *reader) aside(t []token) (subject, bool) {
	for i := 1; i < len(t) && i <= 3; i++ {
		p, n := r.person(t, i)
		if n == 0 || i+n != len(t) || !t[i].isName() {
			continue
		}
		words := strings.ToLower(text(t[:i]))
		k, ok := kinOf(words)
		switch {
		case isBoss(words):
			return subject{thing: p, of: person}, true
		case ok:
			return subject{thing: Thing{p.Name, k.kind}, of: person}, true
		}
	}
	return subject{}, false
}

// thingSubject reads a phrase such as "the billing service" or "our staging cluster".
func thingSubject(t []token) (subject, bool) {
	name, owner := t, ""
	switch t[0].low {
	case "the", "our", "my", "their":
		name, owner = t[1:], t[0].low
	default:
		// Without an article only something that is written as an identifier or a name is sure to be a subject.
		if !isIdentifier(t[0].text) && !t[0].isName() && len(t) > 2 {
			return subject{}, false
		}
	}
	if n := len(name); n > 1 && (name[n-1].low == "itself" || name[n-1].low == "themselves") {
		name = name[:n-1]
	}
	if len(name) == 0 || len(name) > 6 {
		return subject{}, false
	}
	if len(name) > 2 && ofRoles()[name[0].low] && (name[1].low == "for" || name[1].low == "of") {
		s, ok := thingSubject(append([]token{{text: "the", low: "the"}}, name[skip(name[2:], "the", "our", "my")+2:]...))
		s.thing.Name = name[0].text + " " + name[1].low + " " + s.thing.Name
		return s, ok
	}
	for _, w := range name {
		if notInSubject()[w.low] || strings.Contains(w.text, "\x01") || w.stop || w.list {
			return subject{}, false
		}
	}
	if noSubject()[name[0].low] {
		return subject{}, false
	}
	return subject{thing: Thing{text(name), KindThing}, of: thing, owner: owner}, true
}

// ofRoles are what a thing may have one of: "the owner of the billing service".
var ofRoles = wordSet(`owner maintainer lead head deadline`)

// notInSubject are words that no simple noun phrase has.
var notInSubject = wordSet(`i you he she it we they me him her us them who what which that this these those where when why how if whether
and or but because so not no yes is are am was were be been do does did have has had will would can could should may might must
to for from by as than then there here please thanks let ok okay all any some every each none user`)

// noSubject are words that look like a subject but name nothing that lasts.
var noSubject = wordSet(`everyone everybody someone somebody nobody anyone anybody one something nothing anything everything people folks guys
others other same first second last next thing things stuff issue problem question answer idea point plan way reason fix bug sounds looks feels seems smells tastes
error result output following above below rest whole user users today tomorrow yesterday monday tuesday wednesday thursday friday saturday
sunday please just only also again hello hi hey thanks ok yes no sure maybe sorry feel let make run use try check see look
add remove fix update delete set put get take give keep need want think know say tell ask show find go come do can
could would should will shall might may must team still actually currently usually always never often sometimes really`)

// isCommonStart says whether a capital is only that of a sentence.
func isCommonStart(t token) bool {
	return isArticle(t.low) || noSubject()[t.low] || notInSubject()[t.low] || stopWords()[t.low]
}

func isArticle(low string) bool { return low == "the" || low == "a" || low == "an" }

// isIdentifier says whether a word is one that programs have: snake_case, a path, a number of an issue.
func isIdentifier(w string) bool {
	return strings.ContainsAny(w, "_/#") || strings.Contains(strings.Trim(w, "."), ".") || strings.ContainsAny(w, "0123456789")
}
