package extract

import (
	"strings"
	"sync"
)

// form is a set of the forms that a word may be of a verb.
type form int

const (
	base form = 1 << iota
	third
	ing
	past // also the participle
)

type verbForm struct {
	lemma string
	form  form
}

// verbs are the forms of the verbs that rules know, by form.
var verbs = sync.OnceValue(func() map[string]verbForm {
	table := map[string]verbForm{}
	for l := range strings.Lines(`live lives living lived
reside resides residing resided
move moves moving moved
relocate relocates relocating relocated
work works working worked
join joins joining joined
leave leaves leaving left
quit quits quitting quit
report reports reporting reported
manage manages managing managed
own owns owning owned
maintain maintains maintaining maintained
lead leads leading led
use uses using used
run runs running ran
switch switches switching switched
migrate migrates migrating migrated
upgrade upgrades upgrading upgraded
downgrade downgrades downgrading downgraded
bump bumps bumping bumped
pin pins pinning pinned
choose chooses choosing chose
pick picks picking picked
uninstall uninstalls uninstalling uninstalled
abandon abandons abandoning abandoned
retire retires retiring retired
sunset sunsets sunsetting sunsetted
decommission decommissions decommissioning decommissioned
cancel cancels cancelling cancelled
drop drops dropping dropped
ditch ditches ditching ditched
replace replaces replacing replaced
prefer prefers preferring preferred
like likes liking liked
love loves loving loved
enjoy enjoys enjoying enjoyed
hate hates hating hated
dislike dislikes disliking disliked
speak speaks speaking spoke
learn learns learning learned
study studies studying studied
decide decides deciding decided
agree agrees agreeing agreed
stop stops stopping stopped
deploy deploys deploying deployed
host hosts hosting hosted
start starts starting started
postpone postpones postponing postponed
reschedule reschedules rescheduling rescheduled
push pushes pushing pushed
become becomes becoming became
marry marries marrying married
take takes taking took
get gets getting got
go goes going went
have has having had
write writes writing wrote
begin begins beginning began
end ends ending ended
launch launches launching launched
ship ships shipping shipped
expire expires expiring expired
close closes closing closed
open opens opening opened
happen happens happening happened
standardise standardises standardising standardised
standardize standardizes standardizing standardized
settle settles settling settled
rely relies relying relied
play plays playing played
collect collects collecting collected
teach teaches teaching taught
coach coaches coaching coached
drive drives driving drove
volunteer volunteers volunteering volunteered
plan plans planning planned
adopt adopts adopting adopted
lose loses losing lost
finish finishes finishing finished
complete completes completing completed
graduate graduates graduating graduated
grow grows growing grew
visit visits visiting visited
fly flies flying flew
travel travels travelling travelled
attend attends attending attended
participate participates participating participated
sign signs signing signed
enrol enrols enrolling enrolled
enroll enrolls enrolling enrolled`) {
		f := strings.Fields(l)
		for i, w := range f {
			v := table[w]
			v.lemma, v.form = f[0], v.form|1<<i
			table[w] = v
		}
	}
	return table
})

func isBe(low string) bool {
	switch low {
	case "am", "is", "are", "was", "were", "be", "been", "being":
		return true
	}
	return false
}

// tense says of which time a verb group speaks.
type tense int

const (
	present tense = iota
	perfect       // have lived, have been living
	pastTense
	usedTo
	future
	modal // what would or should be
)

// group is the verb of a clause with its auxiliaries and adverbs.
type group struct {
	lemma    string // "be" for a copula
	tense    tense
	running  bool // progressive
	negated  bool
	noLonger bool // also "stopped using"
	hedges   int
	now      bool // "now" within the group
	again    bool // "actually" within the group
	bare     bool // the plain form of a verb, which "I" and "they" go with
}

// adverbs within a verb group that change nothing.
var adverbs = wordSet(`also still currently really just basically mostly mainly usually always generally typically already
obviously personally both all only recently finally officially definitely certainly often primarily exclusively presently largely
simply happily proudly even ever normally mostly sometimes originally absolutely totally truly very much all`)

// uncertain words make a claim a guess.
var uncertain = wordSet(`maybe perhaps probably possibly might may could likely presumably supposedly allegedly apparently seemingly
arguably almost nearly think guess believe assume suspect reckon suppose seems seem appears unsure hopefully iirc afaik afaict imo`)

// parseGroup reads the verb group that begins at token i, and returns the index behind it.
func parseGroup(t []token, i int) (g group, next int, ok bool) {
	g.tense = present
	var aux form // the form that the auxiliary so far asks for
	for ; i < len(t); i++ {
		w := t[i].low
		switch {
		case w == "no" && i+1 < len(t) && t[i+1].low == "longer":
			g.noLonger = true
			i++
		case w == "not" || w == "never":
			g.negated = true
		case w == "now" || w == "nowadays":
			g.now = true
		case w == "actually":
			g.again = true
		case w == "may" && t[i].isName(): // the month
			return g, i, false
		case uncertain()[w]:
			g.hedges++
		case adverbs()[w] && (w != "like"):
		case w == "do" || w == "does":
			aux = base
		case w == "did":
			g.tense, aux = pastTense, base
		case w == "will" || w == "shall":
			g.tense, aux = future, base
		case w == "would" || w == "should" || w == "can" || w == "must":
			g.tense, aux = modal, base
		case (w == "have" || w == "has") && aux == 0 && followedByParticiple(t, i+1):
			g.tense, aux = perfect, past
		case w == "used" && i+1 < len(t) && t[i+1].low == "to" && aux != past:
			g.tense, aux = usedTo, base
			i++
		case aux == 0 && plans(t, i) > 0:
			g.tense, aux = future, base
			i += plans(t, i) - 1
		case aux == 0 && (w == "stopped" || w == "quit") && i+1 < len(t) && verbs()[t[i+1].low].form&ing != 0:
			g.noLonger, aux = true, ing
		case isBe(w):
			next, done := g.be(t, i, &aux)
			if done {
				return g, next, true
			}
		default:
			return g.main(t, i, aux)
		}
	}
	return g, i, false
}

// main reads the verb itself.
func (g group) main(t []token, i int, aux form) (group, int, bool) {
	v, ok := verbs()[t[i].low]
	if !ok || i == 0 || t[i].isName() && t[i].text != strings.ToUpper(t[i].text) {
		return g, i, false
	}
	if aux == 0 {
		switch {
		case v.form&(base|third) != 0 && v.form&past == 0:
			g.bare = v.form&third == 0
		case v.form&past != 0 && v.form&base == 0:
			g.tense = pastTense
		case v.form&past != 0: // quit: of both
			g.tense = pastTense
		default:
			return g, i, false
		}
	} else if v.form&aux == 0 {
		return g, i, false
	}
	g.lemma, g.running = v.lemma, aux == ing
	return g, i + 1, true
}

// be reads a form of "be": an auxiliary before "-ing" or a plan, else the verb itself. done is true for the latter.
func (g *group) be(t []token, i int, aux *form) (next int, done bool) {
	w := t[i].low
	if w == "was" || w == "were" {
		g.tense = pastTense
	}
	j := i + 1
	for ; j < len(t); j++ { // adverbs between
		switch a := t[j].low; {
		case a == "not":
			g.negated = true
			continue
		case a == "now" || a == "nowadays":
			g.now = true
			continue
		case a == "actually":
			g.again = true
			continue
		case a == "no" && j+1 < len(t) && t[j+1].low == "longer":
			g.noLonger = true
			j++
			continue
		case uncertain()[a] && !t[j].isName():
			g.hedges++
			continue
		case adverbs()[a]:
			continue
		}
		break
	}
	if j < len(t) {
		if n := plans(t, j); n > 0 && w != "was" && w != "were" && !goesSomewhere(t, j) {
			g.tense, *aux = future, base
			return g.skipTo(t, j+n, aux)
		}
		if v := verbs()[t[j].low]; v.form&ing != 0 && v.lemma != "run" || v.form&ing != 0 && j+1 < len(t) {
			g.lemma, g.running = v.lemma, true
			return j + 1, true
		}
	}
	g.lemma = "be"
	return j, true
}

// goesSomewhere says whether "going to" is a way to a place: "going to Iceland", "going to a conference".
func goesSomewhere(t []token, i int) bool {
	return t[i].low == "going" && i+2 < len(t) && (t[i+2].low == "a" || t[i+2].low == "an" || t[i+2].isName())
}

// skipTo reads the verb behind a plan ("going to switch").
func (g *group) skipTo(t []token, j int, aux *form) (int, bool) {
	for j < len(t) && adverbs()[t[j].low] {
		j++
	}
	if j < len(t) && t[j].low == "be" {
		*aux = base
		n, done := g.be(t, j, aux)
		g.tense = future
		return n, done
	}
	if j < len(t) {
		if v, ok := verbs()[t[j].low]; ok && v.form&*aux != 0 {
			g.lemma = v.lemma
			return j + 1, true
		}
	}
	g.lemma = ""
	return j, true
}

func followedByParticiple(t []token, i int) bool {
	for i < len(t) && (adverbs()[t[i].low] || t[i].low == "not" || t[i].low == "now" || t[i].low == "never") {
		i++
	}
	return i < len(t) && (t[i].low == "been" || verbs()[t[i].low].form&past != 0 && t[i].low != "had")
}

// plans returns how many tokens say that something is only planned, 0 when none do.
func plans(t []token, i int) int {
	for _, p := range planWords {
		n := 0
		for n < len(p) && i+n < len(t) && t[i+n].low == p[n] {
			n++
		}
		if n == len(p) {
			return n
		}
	}
	return 0
}

var planWords = [][]string{
	{"going", "to"}, {"about", "to"}, {"planning", "to"}, {"planning", "on"}, {"plan", "to"}, {"plans", "to"}, {"intend", "to"},
	{"intends", "to"}, {"intending", "to"}, {"set", "to"}, {"scheduled", "to"},
}
