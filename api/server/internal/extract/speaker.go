package extract

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// Some conversations are transcripts of people with names: each turn or line begins with who speaks, "Mira: …". There
// "I" is that person, in whichever role the turn was submitted, and never the user.

// voice is who says "I" in a part of a turn.
type voice struct {
	self Thing
	// sure says that the whole conversation is a transcript. A single line with a name may be a paste.
	sure bool
	// at is when it was said, when the line says so.
	at *time.Time
	// end is the byte of the turn that the voice reaches to.
	end int
}

// me is the entity that "I" stands for.
func (r *reader) me() Thing {
	if r.voice != nil {
		return r.voice.self
	}
	return Thing{User, KindPerson}
}

// isNamed says whether the speaker is someone with a name of their own.
func (r *reader) isNamed() bool { return r.voice != nil }

// said is the time from which "yesterday" is counted.
func (r *reader) said() time.Time {
	if r.voice == nil || r.voice.at == nil {
		return r.now
	}
	y, m, d := r.voice.at.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, r.now.Location())
}

// listen finds out whose a sentence is that bears no name itself.
func (r *reader) listen(s span) {
	if r.voice == nil || s.start >= r.voice.end {
		r.voice = r.whole
	}
	r.quoted = s.start < r.othersTo
}

// speaks reads the name at the start of a sentence, and returns how many bytes it takes. In the middle of a turn only a
// line with a date or a time is surely of a chat; "Backend: " is no speaker.
func (r *reader) speaks(text string, at span) int {
	name, day, n := speakerOf(text)
	switch {
	case name == "":
		return 0
	case r.whole != nil && r.whole.self.Name == name:
		r.voice = r.whole
		return n
	case !strings.HasPrefix(strings.TrimSpace(text), "["):
		return 0
	}
	r.voice = &voice{self: Thing{name, KindPerson}, at: day, end: lineEnd(r.text, at.start)}
	r.quoted, r.othersTo = r.role == formation.RoleAssistant, 0
	return n
}

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// voices returns, for each turn, whose voice it begins with; nil where it is that of its role.
func voices(turns []api.Turn) []*voice {
	list := make([]*voice, len(turns))
	labelled, all := 0, 0
	for i, t := range turns {
		if t.Role != formation.RoleUser && t.Role != formation.RoleAssistant {
			continue
		}
		all++
		name, at, _ := speakerOf(t.Content)
		if name == "" {
			continue
		}
		labelled++
		list[i] = &voice{self: Thing{name, KindPerson}, at: at, end: len(t.Content)}
	}
	for i, v := range list {
		if v != nil && labelled < 2 && labelledLines(turns[i].Content) < 2 {
			list[i] = nil // one word before one colon is no transcript
		}
	}
	transcript := labelled >= 2 && 4*labelled >= 3*all
	for i, v := range list {
		switch {
		case v == nil:
		case transcript && !strings.Contains(turns[i].Content, "\n"):
			v.sure = true
		case transcript:
			v.sure = !otherVoices(turns[i].Content, v.self.Name)
		case turns[i].Role == formation.RoleAssistant:
			list[i] = nil // an assistant that writes a dialogue
		}
	}
	return list
}

// labelledLines counts the lines of a text that begin with what may be a speaker's label.
func labelledLines(text string) int {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if lineLabel().MatchString(line) {
			n++
		}
	}
	return n
}

var lineLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:\[[^\]\n]{3,40}\]\s*\p{L}|\p{Lu})[\p{L}'’.-]{0,24}(?: \p{Lu}[\p{L}'’.-]{0,24}){0,2}:\s`)
})

// otherVoices says whether a line of a turn is of someone else than who began it: then the turn is a paste.
func otherVoices(text, name string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if other, _, _ := speakerOf(line); other != "" && other != name {
			return true
		}
	}
	return false
}

// speakerOf reads "Mira: " or "[2023-05-08] Ana: " at the start of a text: the name, the date if there is one, and how
// many bytes that takes. The name is "" when the text begins otherwise.
func speakerOf(text string) (name string, at *time.Time, n int) {
	m := speakerLabel().FindStringSubmatch(text)
	if m == nil {
		return "", nil, 0
	}
	t := tokenize(m[2])
	if len(t) == 0 || len(t) > 3 || !isPersonName(t) || labels()[t[0].low] || noSpeakers()[t[len(t)-1].low] {
		return "", nil, 0
	}
	if d := dateInLabel().FindString(m[1]); d != "" {
		if day, err := time.Parse(time.DateOnly, d); err == nil {
			at = &day
		}
	}
	return m[2], at, len(m[0])
}

var speakerLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(\[[^\]\n]{3,40}\]\s*)?(\p{Lu}[\p{L}'’.-]{0,24}(?: \p{Lu}[\p{L}'’.-]{0,24}){0,2}):\s+`)
})

var dateInLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{4}-\d{2}-\d{2}`) })

// noSpeakers are words with a capital before a colon that name no person.
var noSpeakers = wordSet(`user assistant system human ai bot agent tool customer support client model chatbot narrator backend frontend database
server client stack editor shell language languages framework hosting deployment ci cd os tools tooling goal goals problem problems issue issues
expected actual steps example examples task tasks todo done plan plans idea ideas option options pros cons hint tip tips warning caution error
errors output input result results usage requirements requirement features feature bugs bug fix changes change changelog description title
subject from to cc date time when where who what why how topic agenda team project company address phone hobbies hobby interests family pets pet
kids job jobs skills experience education contact links link source sources reference references question questions answer answers summary
conclusion background context details detail note notes update updates status test tests testing build scenario case use caveat disclaimer
translation english german french spanish original draft message mail email reply comment comments review feedback yes no ok okay hi hello
thanks sure also again first second third finally next then now later today yesterday tomorrow likes dislikes preferences preference favorites
translate summarize summarise rewrite proofread explain correct check improve edit complete continue false true suppose assume imagine pretend
say joke story fiction hypothetical favourites facts fact personal professional general other misc bonus quote spoiler ps nb ingredients method setup config configuration settings`)
