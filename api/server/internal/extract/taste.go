package extract

import "strings"

// taste reads "I love live music", "I enjoy finding new trends for my store".
func (s *statement) taste() {
	relation := Likes
	switch s.group.lemma {
	case "prefer":
		relation = Prefers
	case "hate", "dislike":
		relation = Dislikes
	}
	if s.subject.of == thing || s.group.tense == usedTo {
		return // what one used to love one may love still
	}
	t := s.rest
	i := skip(t, "to")
	if i > 1 {
		return
	}
	if relation != Prefers {
		if i == 1 {
			s.likesTo(relation, t)
			return
		}
		s.likes(relation, t, i)
		return
	}
	if i == 0 && len(t) > 1 && isGerund(t[0].low) && !s.cue {
		s.likes(Prefers, t, 0)
		return
	}
	list, next := things(t, i)
	for _, o := range list {
		s.emit(relation, o, false)
	}
	if len(list) > 0 && s.cue {
		if j := skipTo(t, next, "over") + skipTo(t, next, "to"); j > 0 {
			if o, n := phrase(t, j); n > 0 {
				s.end(Prefers, o)
			}
		}
	}
}

// likesTo reads "I like to read novels".
func (s *statement) likesTo(relation string, t []token) {
	if len(t) < 2 || manners()[t[1].low] || s.subject.of == ours {
		return
	}
	if o, n := activity(t, 1+skip(t[1:], "just", "also", "sometimes", "really")); n > 0 {
		s.emit(relation, Thing{"to " + o.Name, KindThing}, false)
	}
}

// manners are verbs behind "I like to" that tell of no liking.
var manners = wordSet(`think say believe know see have be get point add note imagine hear call pretend remind mention joke do make keep thank
ask hope assume consider feel start begin use`)

// likes emits a claim for every thing of a list, or for what one likes to do.
func (s *statement) likes(relation string, t []token, i int) {
	if i < len(t) && isGerund(t[i].low) {
		if o, n := activity(t, i); n > 1 && s.subject.of != ours {
			s.emit(relation, o, false)
			return
		} else if n != 1 {
			return
		}
	}
	list, _ := things(t, i)
	for _, o := range list {
		// What "we" like to do is as often that of a family as of a team.
		if s.subject.of != ours || isNamed(o.Name) {
			s.emit(relation, o, false)
		}
	}
}

// isGerund says whether a word is most likely a verb that ends in "-ing".
func isGerund(low string) bool {
	return len(low) > 5 && strings.HasSuffix(low, "ing") && !nounsInIng()[low]
}

var nounsInIng = wordSet(`something anything nothing everything wedding evening morning spring string ceiling clothing pudding building
stuffing seasoning lightning offspring darling sibling dumpling meaning feeling hosting linting typing tooling styling`)

// activity reads what someone does from a verb in "-ing" on: "finding new trends for my store". It returns a length of 1
// for a verb alone, which may begin a list, and 0 for what can't be read by itself.
func activity(t []token, i int) (Thing, int) {
	j := i
	for ; j < len(t); j++ {
		w := t[j]
		if strings.Contains(w.text, "\x01") || j > i && (beyondActivity()[w.low] || isDuration(t, j)) {
			break
		}
		if personal()[w.low] || j > i && isBe(w.low) {
			return Thing{}, 0 // "the friends I have", "making sure veterans are"
		}
		if w.list && j > i && isArticle(t[j-1].low) {
			return Thing{}, 0 // "a safe, inviting place"
		}
		if w.stop || w.list {
			j++
			break
		}
	}
	words := t[i:j]
	for len(words) > 1 && dangling()[words[len(words)-1].low] {
		words = words[:len(words)-1]
	}
	if len(words) > 8 || len(words) > 1 && (pointers()[words[1].low] || pointers()[words[len(words)-1].low]) {
		return Thing{}, 0
	}
	out := make([]token, len(words))
	for k, w := range words {
		if w.low == "my" || w.low == "our" {
			w.text = "their"
		}
		if k == 0 {
			w.text = w.low
		}
		out[k] = w
	}
	return Thing{text(out), KindThing}, len(words)
}

// beyondActivity are words that no description of an activity goes across.
var beyondActivity = wordSet(`and but or so because cause since when while if as though although which who that where until whenever for_me
too anymore again lately now today yesterday tomorrow tonight these those this last every always sometimes often whenever instead more most
really just also will would can could should has have had do does did not even especially like`)

// dangling are words that nothing ends with.
var dangling = wordSet(`to in on at for with from by of into about and the a an my our their some lot very much a out`)

// pointers stand for something that was said before.
var pointers = wordSet(`it this that these those them him her things something anything everything stuff one ones`)

// personal are words with which a clause of its own begins.
var personal = wordSet(`i he she we they you it's`)

// fondOf reads "passionate about X", "a big fan of X", "into X" behind "I am".
func (s *statement) fondOf(t []token) bool {
	i := skip(t, "so", "super", "pretty", "quite", "big", "huge", "massive", "a", "an", "such")
	if i+2 >= len(t) || s.subject.of == thing {
		return false
	}
	if s.group.negated {
		if t[i].low == "fan" && t[i+1].low == "of" {
			s.group.negated = false
			s.likes(Dislikes, t, i+2)
			return true
		}
		return false
	}
	switch pair := t[i].low + " " + t[i+1].low; pair {
	case "passionate about", "keen on", "fond of", "crazy about", "obsessed with", "fan of", "lover of", "enthusiastic about", "addicted to":
		j := i + 2 + skip(t[i+2:], "both")
		s.likes(Likes, t, j)
		return true
	}
	if t[i].low == "into" {
		if s.group.tense == perfect {
			s.group.tense = present // "I've been into dancing since I was a kid"
		}
		s.likes(Likes, t, i+1)
		return true
	}
	return false
}

// passions are what someone calls what they like.
func isPassion(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "passion", "passions", "hobby", "hobbies", "fave", "faves", "favourite", "favorite", "favourites", "favorites", "jam":
		return len(words) == 1
	}
	return false
}

// passion reads "dance is my passion", "painting is one of my hobbies". It says whether that is what the clause is.
func (r *reader) passion(t []token) bool {
	be := -1
	for i, w := range t {
		if w.low == "is" || w.low == "are" {
			be = i
			break
		}
		if w.stop || w.list || personal()[w.low] || stopWords()[w.low] && w.low != "and" && w.low != "in" && w.low != "with" {
			return false
		}
	}
	if be < 1 || be > 5 || r.quoted {
		return false
	}
	j := be + 1 + skip(t[be+1:], "definitely", "really", "still", "always", "one", "some", "of")
	if j+1 >= len(t) || t[j].low != "my" || len(t) > j+2 && !t[j+1].stop && !t[j+1].list {
		return false
	}
	if !isPassion([]string{t[j+1].low}) {
		return false
	}
	if be == 1 && (vague()[t[0].low] || t[0].low == "life") {
		return true // "still life is my favourite"
	}
	what := append([]token(nil), t[:be]...)
	if pointers()[what[0].low] || noSubject()[what[0].low] || notInSubject()[what[0].low] || isArticle(what[0].low) {
		return true
	}
	s := statement{reader: r, subject: subject{thing: r.me(), of: speaker}, group: group{lemma: "like"}, rest: what}
	if what[0].isName() && !isTech(what[0].text) && len(what[0].low) > 1 && r.lowers(what[0]) {
		what[0].text = what[0].low
	}
	s.likes(Likes, what, 0)
	return true
}

// lowers says whether a word has its capital only from the sentence that it begins.
func (r *reader) lowers(w token) bool {
	return isGerund(w.low) || w.low == "dance" || w.low == "music" || w.low == "art" || w.low == "fashion" || w.low == "food" || w.low == "coffee"
}
