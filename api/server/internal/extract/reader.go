package extract

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// reader finds the claims of one turn.
type reader struct {
	turn   int
	role   formation.Role
	text   string
	now    time.Time
	orders [][]int // where the text addresses the reader
	claims []Claim
	// small says that the speaker writes without capitals.
	small    bool
	smallAll bool     // so does the whole conversation, "i" included
	whole    *voice   // whose the turn is; nil for the user, or an assistant
	voice    *voice   // whose the sentence is
	othersTo int      // up to where the text is of someone who has no name
	people   []string // persons named so far, and in the turn before
	named    []string // persons named in this turn
	there    *Thing   // the employer or place named last
	carried  bool     // the sentence before only took back what was said
	last     *spoken  // the clause whose claims are the last
	refusals int
	animal   string // the one named last without its own name
	animalAt int

	// Of the sentence:
	at         span
	corrects   bool // it takes back what was said
	secondHand bool
	supposed   bool
	hedges     int
	before     []token // subject and verb of the clause before
	actor      []token // subject of the clause before, when it plainly states something
	// Of the clause:
	quoted bool // someone else speaks
	greets bool // a greeting stands before the clause
	// greeted says that the sentence has a greeting, or a sentence before it has.
	greeted bool
	change  bool // words before the clause tell of a change
	shared  bool // the clause behind names another place or employer beside it
	retake  bool // words before the clause take back what was said
}

// read reads the whole turn.
func (r *reader) read() {
	if r.role == formation.RoleTool {
		r.refuseOrders()
		return
	}
	text := mask(r.text)
	text = text[:borrowedFrom(text)]
	orders := len(r.orders) > 0 // still to be refused
	for _, s := range sentences(text) {
		if len(r.orders) > 0 && s.end > r.orders[0][0] {
			// What follows an order is of the same hand.
			r.refuseOrders()
			return
		}
		r.small = r.smallAll && writesSmall(text[s.start:s.end])
		if s.end-s.start <= maxSentence && len(r.claims) < maxClaims {
			r.sentence(s, text[s.start:s.end])
		}
	}
	if orders {
		r.refuseOrders()
	}
}

// writesSmall says whether no word of a text has a capital.
func writesSmall(text string) bool {
	for _, w := range strings.Fields(text) {
		if first := firstLetter(w); unicode.IsUpper(first) {
			return false
		}
	}
	return true
}

// smallSpeech says whether the people of a conversation write without capitals: no sentence of theirs begins with one,
// and "i" is small.
func smallSpeech(turns []api.Turn) bool {
	for _, t := range turns {
		if t.Role != formation.RoleUser {
			continue
		}
		text := mask(t.Content)
		for _, s := range sentences(text) {
			first := firstLetter(text[s.start:s.end])
			if unicode.IsUpper(first) {
				return false
			}
		}
		for _, w := range strings.Fields(text) {
			if w == "I" || strings.HasPrefix(w, "I'") || strings.HasPrefix(w, "I’") {
				return false
			}
		}
	}
	return true
}

// firstLetter returns the first letter of a word, 0 when it has none.
func firstLetter(w string) rune {
	for _, r := range w {
		if unicode.IsLetter(r) {
			return r
		}
	}
	return 0
}

func (r *reader) refuseOrders() {
	last := -1
	for _, o := range r.orders {
		if o[0] < last {
			continue
		}
		start, end := lineAround(r.text, o[0], o[1])
		last = end
		r.refuse(span{start, end}, ReasonInstruction)
	}
}

// lineAround widens a match to its line, within bounds.
func lineAround(text string, start, end int) (int, int) {
	const most = 200
	for start > 0 && text[start-1] != '\n' && end-start < most {
		start--
	}
	for end < len(text) && text[end] != '\n' && end-start < 2*most {
		end++
	}
	return start, end
}

// refuse reports a sentence that nothing is made of.
func (r *reader) refuse(s span, reason string) {
	if r.refusals++; r.refusals > maxRefusals {
		return
	}
	r.claims = append(r.claims, Claim{
		Turn: r.turn, Start: s.start, End: s.end, Rejected: reason,
		Statement: strings.ToValidUTF8(strings.TrimSpace(r.text[s.start:s.end]), ""),
	})
}

// sentence reads one sentence.
func (r *reader) sentence(s span, text string) {
	r.at, r.secondHand, r.supposed, r.hedges = s, false, false, 0
	r.corrects, r.carried, r.before, r.actor = r.carried, false, nil, nil
	r.listen(s)
	cs := clauses(r.unlabelled(text, s))
	asks := endsAsking(text)
	before := len(r.claims)
	question, supposition := false, r.supposed
	for i, c := range cs {
		t := tokenize(c.text)
		pretends := r.supposes(c, t)
		t = r.lead(t)
		r.retake = r.retake || i == 0 && r.corrects
		if i == 0 && len(cs) > 1 && r.elsewhere(t) {
			r.hedges++
		}
		switch {
		case r.role == formation.RoleAssistant && !r.isNamed():
		case pretends || r.supposes(c, t):
			supposition, r.supposed = true, true
		case beginsAsking(t) || asks && !answeredBehind(cs[i+1:]):
			question = true
			continue
		}
		if len(t) == 0 {
			r.carried = r.corrects
			r.givenAway(before)
			continue
		}
		r.carried = false
		if r.supposed || subordinate(c.join) {
			continue
		}
		if r.afterthought(t) {
			continue
		}
		if i+1 < len(cs) && conditional(cs[i+1]) {
			supposition = true
			continue
		}
		r.shared = i+1 < len(cs) && alsoElsewhere(cs[i+1])
		r.clause(t)
	}
	if len(r.claims) > before || r.role != formation.RoleUser {
		return
	}
	switch {
	case supposition:
		r.refuse(s, ReasonHypothetical)
	case question && len(strings.Fields(text)) > 2:
		r.refuse(s, ReasonQuestion)
	}
}

// answeredBehind says whether one of the clauses that follow asks: then the question is there, and not before.
func answeredBehind(cs []clause) bool {
	for _, c := range cs {
		if t := tokenize(c.text); beginsAsking(t) || len(t) > 0 && (t[0].low == "any" || t[0].low == "please") {
			return true
		}
	}
	return false
}

func endsAsking(text string) bool {
	text = strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ')' || r == '"' || r == '!' || isPicture(r) })
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") || strings.HasSuffix(text, "؟")
}

// beginsAsking says whether a clause begins as questions and requests do.
func beginsAsking(t []token) bool {
	if len(t) < 2 {
		return false
	}
	if t[0].low == "do" && t[1].low == "not" {
		return false // "don't use semicolons"
	}
	switch t[0].low {
	case "what", "who", "whom", "whose", "where", "why", "how", "which":
		return true
	case "is", "are", "am", "was", "were", "do", "does", "did", "can", "could", "would", "will", "should", "shall", "have", "has", "had", "may", "might":
		return !t[0].isName() || t[0].low != "will"
	case "any", "anyone", "anybody":
		return true
	}
	return false
}

// subordinate says whether a clause tells of circumstances only, in which nothing is stated for good.
func subordinate(join string) bool {
	switch join {
	case "when", "whenever", "once", "until", "which", "who", "where", "before", "after", "while", "whereas", "except":
		return true
	}
	return false
}

// alsoElsewhere says whether a clause only adds to the one before it: "and also at Google".
func alsoElsewhere(c clause) bool {
	t := tokenize(c.text)
	return len(t) > 1 && t[0].low == "also" && prepositions()[t[1].low]
}

// conditional says whether a clause restricts the one before it.
func conditional(c clause) bool {
	switch c.join {
	case "if", "unless", "whenever", "whether":
		return !c.comma
	case "when":
		return !c.comma && strings.HasPrefix(strings.ToLower(c.text), "i ")
	}
	return false
}

// elsewhere says whether a sentence begins by naming a world of its own: "in D&D, I live in Waterdeep".
func (r *reader) elsewhere(t []token) bool {
	if len(t) < 2 || len(t) > 5 || t[0].low != "in" {
		return false
	}
	_, _, n := date(t, 0, r.said())
	return n == 0 && t[len(t)-1].low != "addition" && t[len(t)-1].low != "short" && t[len(t)-1].low != "general"
}

// supposes says whether a clause, and what follows it in its sentence, is only supposed.
func (r *reader) supposes(c clause, t []token) bool {
	switch c.join {
	case "if", "unless", "whether":
		return true
	}
	if len(t) == 0 {
		return false
	}
	low := strings.ToLower(text(t[:min(len(t), 6)])) + " "
	for _, p := range []string{
		"what if ", "if ", "suppose ", "supposing ", "imagine ", "let us say ", "say we ", "say i ", "assume ", "assuming ", "pretend ",
		"let us pretend ", "let us imagine ", "let us assume ", "let us suppose ", "hypothetically ", "for example ", "for instance ", "e.g ",
		"i wish ", "unless ", "whether ", "in case ", "had i ", "were i ", "in my novel ", "in the novel ", "in my story ", "in the story ",
		"in my book ", "in my game ", "in the game ", "my character ", "the character ", "role play ", "roleplay ", "in a world ",
		"i would ", "we would ", "as if ", "as though ", "as a joke ", "in this story ", "in this game ", "in my dream ", "in a dream ",
		"for the sake of argument ", "for argument's sake ", "in another life ", "in an alternate ", "in a parallel ", "in fiction ",
		"in this scenario ", "in this example ", "in that case ", "in this case ", "in my head ", "in theory ", "once upon a time ", "in this novel ",
		"in this book ", "in this world ", "in the book ", "in my fantasy ", "in this fantasy ", "in my imagination ",
	} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	return false
}

// givenAway makes what was found in a sentence second-hand, from a claim on, when its last words give it to someone else:
// "…, she told me".
func (r *reader) givenAway(from int) {
	for i := from; i < len(r.claims) && r.secondHand; i++ {
		if c := &r.claims[i]; c.Unqualified == "" {
			c.Unqualified = api.UnqualifiedSecondHand
		}
	}
}

// afterthought reads a clause that only makes what was just said less sure ("not sure", "I think").
func (r *reader) afterthought(t []token) bool {
	low := strings.ToLower(text(t))
	switch low {
	case "not really", "just kidding", "kidding", "i am kidding", "i am just kidding", "jk", "just joking", "joking", "i am joking", "i am just joking",
		"only joking", "only kidding", "not true", "that is not true", "not", "no not really", "that was a joke", "it was a joke", "psych", "in the game",
		"in a game", "in my dreams", "in a dream", "in my novel", "in the story", "in theory", "on paper", "i wish":
		for i := len(r.claims) - 1; i >= 0 && r.at.start-r.claims[i].End < 40; i-- {
			if c := &r.claims[i]; c.Rejected == "" {
				c.Rejected = ReasonHypothetical
			}
		}
		return true
	case "i think", "i guess", "i believe", "i suppose", "i reckon", "maybe", "probably", "perhaps", "not sure", "i am not sure", "not sure though",
		"not 100% sure", "not entirely sure", "i forget", "i do not remember", "do not quote me on that", "iirc", "afaik", "if i remember correctly",
		"if i recall correctly", "i could be wrong", "could be wrong", "might be wrong", "i might be wrong", "i may be wrong", "no idea", "who knows",
		"or maybe not", "or not", "or something", "or something like that", "or so i heard", "or so i think", "i am guessing", "just guessing":
		for i := len(r.claims) - 1; i >= 0 && r.at.start-r.claims[i].End < 40; i-- {
			if c := &r.claims[i]; c.Rejected == "" && c.Unqualified == "" {
				c.Unqualified = api.UnqualifiedHedged
			}
		}
		return true
	}
	return false
}

// onlyPerson returns the person that "she" or "he" can only be, or "".
func (r *reader) onlyPerson() string {
	if len(r.people) == 1 {
		return r.people[0]
	}
	return ""
}

func (r *reader) meet(t Thing) {
	if t.Kind != KindPerson || t.Name == r.me().Name {
		return
	}
	if !slices.Contains(r.named, t.Name) {
		r.named = append(r.named, t.Name)
	}
	if !slices.Contains(r.people, t.Name) {
		r.people = append(slices.Clone(r.people), t.Name)
	}
}
