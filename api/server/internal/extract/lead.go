package extract

import (
	"regexp"
	"strings"
	"sync"
)

// unlabelled takes bullets, times and labels off a sentence ("- ", "11:51", "for the 1:1 doc:"). A label that may name
// a speaker makes the line someone else's.
func (r *reader) unlabelled(s string, at span) string {
	if n := r.speaks(s, at); n > 0 {
		return s[n:]
	}
	s = strings.TrimSpace(bullet().ReplaceAllString(s, ""))
	m := label().FindStringSubmatch(s)
	if m == nil {
		return s
	}
	name := strings.TrimSpace(m[1])
	rest := s[len(m[0]):]
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 || len(words) > 14 {
		return s
	}
	first := strings.ToLower(words[0])
	if first == "correction" {
		r.corrects = true
	}
	if !labels()[first] && !labels()[strings.ToLower(name)] && len(words) <= 2 {
		r.quoted = true
		r.othersTo = lineEnd(r.text, at.start)
	}
	return rest
}

var bullet = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s*(?:[-*•+]|\d{1,2}[.)]|#{1,6}|\[[ xX]?\]|\[?\(?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?\)?\]?)\s+)+`)
})

var label = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^((?:[^:.,;!?\n]|\d:\d){1,100}):\s+`) })

// labels are words before a colon that name no speaker.
var labels = wordSet(`decision decided note notes update fyi btw ps edit reminder background context fact facts me info remember ok okay so also
about for question answer summary tldr tl;dr todo correction status agreed result heads hey hi hello sorry quick first second third finally
important warning please self setup stack profile bio intro introduction work home location name role job`)

// lead takes off what comes before the subject of a clause, and keeps in mind what it tells.
func (r *reader) lead(t []token) []token {
	r.change, r.retake, r.greets = false, false, false
	for len(t) > 0 {
		if n := r.leadWords(t); n > 0 {
			t = t[n:]
			continue
		}
		n := r.timeInFront(t)
		if n == 0 {
			return t
		}
		// A time in front means the same behind.
		front := t[:n]
		t = append([]token(nil), t[n:]...)
		t[len(t)-1].stop = true
		return append(t, front...)
	}
	return t
}

// timeInFront returns how many tokens say when, at the start of a clause that goes on with its subject.
func (r *reader) timeInFront(t []token) int {
	i := 0
	if t[0].low == "since" || t[0].low == "from" || t[0].low == "until" {
		i = 1
	}
	_, _, n := date(t, i, r.said())
	if n == 0 || i+n >= len(t) {
		return 0
	}
	n += i
	switch next := t[n]; {
	case isBe(next.low):
		return 0 // "Tuesday is fine"
	case next.isName(), next.low == "i", next.low == "we", next.low == "my", next.low == "our", next.low == "the", next.low == "he", next.low == "she":
		return n
	}
	return 0
}

// leadWords returns how many tokens at the start of a clause come before its subject.
func (r *reader) leadWords(t []token) int {
	low := strings.ToLower(text(t[:min(len(t), 6)])) + " "
	for _, l := range leads() {
		if strings.HasPrefix(low, l.words+" ") {
			if l.needsMore && len(strings.Fields(l.words)) >= len(t) {
				continue
			}
			r.note(l)
			return len(strings.Fields(l.words))
		}
	}
	return r.reported(t)
}

// leadIn are words before a subject.
type leadIn struct {
	words     string
	tells     leadKind
	needsMore bool
}

type leadKind int

const (
	nothing leadKind = iota
	correction
	cue
	guess
	hearsay
	greeting
)

func (r *reader) note(l leadIn) {
	switch l.tells {
	case correction:
		r.corrects, r.change, r.retake = true, true, true
	case cue:
		r.change = true
	case guess:
		r.hedges++
	case hearsay:
		r.secondHand = true
	case greeting:
		r.greets = true
	case nothing:
	}
}

// leads are tried in order: the longer before the shorter that they begin with.
var leads = sync.OnceValue(func() []leadIn {
	var list []leadIn
	add := func(kind leadKind, more bool, words string) {
		for w := range strings.SplitSeq(words, ", ") {
			list = append(list, leadIn{strings.TrimSpace(w), kind, more})
		}
	}
	add(correction, false, `no wait, wait no, oh wait, wait, oops sorry, oops, whoops, scratch that, correction, sorry, my bad, my mistake, typo, autocorrect, i mean, i meant, make that, er, erm, rather, no sorry`)
	add(guess, true, `i think that, i guess that, i believe that, i suppose that, i assume that, i think, i guess, i believe, i suppose, i assume, i suspect, i reckon, i feel like, maybe, perhaps, probably, possibly, presumably, it seems that, it seems like, it seems, it looks like, looks like, seems like, i am pretty sure, i am fairly sure, pretty sure, not sure but, if i remember correctly, if i recall correctly, iirc, afaik, chances are, i am not sure but, i do not know if, i have a feeling`)
	add(hearsay, true, `apparently, supposedly, allegedly, reportedly, rumor has it that, rumour has it that, rumor has it, rumour has it, i heard that, i heard, i hear that, i hear, i read that, i read somewhere that, i read, i was told that, i was told, word is, they say that, they say, people say that, people say, someone said, somebody said, it is said that`)
	add(cue, true, `as of now, as of today, as of this week, from now on, these days, nowadays, by now, now, actually, update, news, change of plans, good news, big news`)
	add(greeting, false, `hey there, hi there, hello there, hi again, hey again, hi all, hey, hi, hello, yo, good morning, good evening`)
	add(nothing, false, `morning, ok so, ok, okay, alright, all right, right, so, well, anyway, anyways, btw, by the way, fyi, for your information, also, and also, and, but, plus, then, oh, ah, aha, yes, yeah, yep, yup, no, nope, nah, sure, cool, great, nice, perfect, good, thanks, thank you, thx, ty, sigh, lol, haha, hahaha, hm, hmm, um, uh, ugh, wow, omg, like i said, as i said, as i told you, like i told you, i told you that, i told you, as mentioned, as you know, you know, heads up, for the record, for context, for reference, for background, for what it is worth, fwiw, note that, note, please note that, please note, remember that, remember, please remember that, please remember, do not forget that, do not forget, keep in mind that, keep in mind, just so you know, just fyi, so you know, to be clear, to be honest, tbh, honestly, basically, in fact, in general, generally, usually, normally, typically, of course, obviously, luckily, fortunately, unfortunately, sadly, finally, officially, quick context, context, quick note, small update, one more thing, another thing, because, cause, since, as, though, although, still, currently, at the moment, right now, at work, at home, personally, me, myself, in my case, for me, my setup, about me, a bit about me, some background, reminder, decision, decided, agreed, it is official, again, just, please know that, know that, i want you to know that, you should know that, you should know, the thing is, thing is, fun fact, same here, guys, folks, everyone, claude, in short, long story short, in case it helps, that said, on my side, on our side, for now, and yes, and yeah, and no, and me, hey again, hi all, true, fair, exactly, that`)
	return list
})

// sayings are verbs by which someone else's words are told.
var sayings = wordSet(`says said say claims claimed claim mentioned mentions told tells thinks thought believes believed heard reckons insists insisted
wrote writes tweeted posted reports announced suggests suggested argues confirmed swears`)

// reported reads "Anna says that …" and "according to …" at the start of a clause: what follows is second-hand.
func (r *reader) reported(t []token) int {
	if len(t) > 2 && t[0].low == "according" && t[1].low == "to" {
		r.secondHand = true
		for i := 2; i < len(t); i++ {
			if t[i].list || t[i].stop {
				return i + 1
			}
		}
		return len(t)
	}
	if len(t) > 0 && (t[0].low == "i" || t[0].low == "we") {
		return 0
	}
	for i := 1; i < len(t) && i <= 5; i++ {
		if t[i-1].list || t[i-1].stop {
			return 0
		}
		if !sayings()[t[i].low] || t[i].isName() || i+1 == len(t) {
			continue
		}
		r.secondHand = true
		n := i + 1
		for n < len(t) && (t[n].low == "me" || t[n].low == "us" || t[n].low == "that" || t[n].low == "to") {
			n++
		}
		return n
	}
	return 0
}
