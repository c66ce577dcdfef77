package extract

import (
	"slices"
	"strings"

	"github.com/lukasa-dev/lukasa/formation"
)

// relatives emits what a clause says by the way of who belongs to the speaker: "my sister Kat", "my manager Joanna",
// "our cats, Max and Coco".
func (r *reader) relatives(t []token) {
	if r.quoted || r.role != formation.RoleUser && !r.isNamed() {
		return
	}
	for i := 0; i+2 < len(t); i++ {
		if t[i].low != "my" && t[i].low != "our" || i > 0 && t[i-1].low == "not" {
			continue
		}
		j := i + 1
		if _, ok := number(t, j); ok || t[j].low == "both" {
			j++
		}
		r.relative(t, i, j)
	}
	r.keepsPet(t)
}

// relative reads who is meant behind "my", which stands at i; the words for them begin at j.
func (r *reader) relative(t []token, i, j int) {
	for n := 3; n >= 1; n-- {
		end := j + n
		if end >= len(t) || slices.ContainsFunc(t[j:end-1], func(w token) bool { return w.stop || w.list }) {
			continue
		}
		words := strings.ToLower(text(t[j:end]))
		k, many, ok := kinOrKins(words)
		switch {
		case isBoss(words) && t[i].low == "my" && !t[end-1].list && !t[end-1].stop:
			r.belongs(t, end, ReportsTo, KindPerson, false)
			return
		case !ok || t[end-1].stop || t[i].low == "our" && !ofHouse(k.name) || gone(t, k.kind):
		case many:
			r.belongs(t, end, relationName(k.name), k.kind, true)
			return
		case !t[end-1].list:
			r.belongs(t, end, relationName(k.name), k.kind, false)
			return
		}
	}
}

// belongs emits the relation of the speaker to those named from token i on.
func (r *reader) belongs(t []token, i int, relation, kind string, many bool) {
	var names []string
	for i < len(t) && len(names) < maxList {
		if !t[i].isName() {
			break
		}
		p, n := r.person(t, i)
		own := strings.TrimSuffix(t[i].text, "'s")
		if n == 0 && own != t[i].text && isPersonName([]token{{text: own, low: strings.ToLower(own)}}) {
			p, n = Thing{own, KindPerson}, 1
		}
		if n == 0 || n > 3 {
			break
		}
		names = append(names, p.Name)
		i += n
		if !many || i >= len(t) || t[i-1].stop {
			break
		}
		i += skip(t[i:min(i+1, len(t))], "and", "&")
	}
	if many && len(names) < 2 {
		return // "my kids Anna's age"
	}
	s := statement{reader: r, subject: subject{thing: r.me(), of: speaker}}
	for _, name := range names {
		if name != r.me().Name {
			s.emitFrom(r.me(), relation, Thing{name, kind}, false)
		}
	}
}

// kinOrKins is kinOf for several too.
func kinOrKins(words string) (k kinship, many, ok bool) {
	if k, ok = kinOf(words); ok {
		return k, false, true
	}
	one, plural := strings.CutSuffix(words, "s")
	if strings.HasSuffix(words, "ies") {
		one = strings.TrimSuffix(words, "ies") + "y"
	}
	if words == "children" {
		one, plural = "child", true
	}
	if !plural {
		return k, false, false
	}
	k, ok = kinOf(one)
	return k, true, ok
}

// ofHouse says whether "our" makes them the speaker's own.
func ofHouse(kin string) bool {
	switch kin {
	case "dog", "cat", "pet", "horse", "rabbit", "son", "daughter", "child", "kid", "baby":
		return true
	}
	return false
}

// gone says whether a clause tells of someone who is no more.
func gone(t []token, kind string) bool {
	return slices.ContainsFunc(t, func(w token) bool {
		switch w.low {
		case "died", "passed", "late", "deceased", "funeral", "killed", "buried":
			return true
		case "was", "were", "had", "grew":
			return kind == KindThing // of an animal that means the same
		}
		return false
	})
}

// keepsPet keeps in mind the animal that is named next: "we adopted a dog, her name is Momo".
func (r *reader) keepsPet(t []token) {
	for i := 0; i+1 < len(t); i++ {
		if t[i].low != "a" && t[i].low != "another" && t[i].low != "new" {
			continue
		}
		if k, ok := kinOf(t[i+1].low); ok && k.kind == KindThing {
			r.animal, r.animalAt = k.name, r.at.end
		}
	}
}

// namesPet reads "her name is Momo" right behind the mention of an animal.
func (r *reader) namesPet(t []token) bool {
	if r.animal == "" || r.quoted || len(t) < 4 || t[1].low != "name" || t[2].low != "is" || r.at.start > r.animalAt+3 {
		return false
	}
	switch t[0].low {
	case "her", "his", "its", "their":
	default:
		return false
	}
	if p, n := r.person(t, 3); n > 0 {
		s := statement{reader: r, subject: subject{thing: r.me(), of: speaker}}
		s.emitFrom(r.me(), relationName(r.animal), Thing{p.Name, KindThing}, false)
	}
	return true
}

// pet reads "a dog named Rex" behind "I have" or "we got". It says whether that is what it is.
func (s *statement) pet(change bool) bool {
	t := s.rest
	if s.subject.of != speaker && s.subject.of != ours && s.subject.of != mine {
		return false
	}
	for i := 0; i+2 < len(t) && i < 4; i++ {
		if k, many, ok := kinOrKins(t[i].low); ok && many && i > 0 && !change {
			s.belongs(t, i+1+skip(t[i+1:], "named", "called"), relationName(k.name), k.kind, true)
			return true
		}
		if t[i+1].low != "named" && t[i+1].low != "called" {
			continue
		}
		k, ok := kinOf(t[i].low)
		if !ok || change && k.kind != KindThing {
			return false
		}
		if p, n := s.person(t, i+2); n > 0 {
			s.emitFrom(s.me(), relationName(k.name), Thing{p.Name, k.kind}, change)
		}
		return true
	}
	return false
}
