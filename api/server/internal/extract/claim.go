package extract

import (
	"context"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// Conversation is what claims are looked for in. Its turns are redacted and plain text.
type Conversation struct {
	Turns []api.Turn
	// ObservedAt is when the conversation took place, in the UTC offset of the speakers: "yesterday" is counted from it.
	ObservedAt time.Time
}

// Extractor finds the claims of a conversation. It is safe for concurrent use.
type Extractor interface {
	Name() string
	Version() string
	// Extract returns claims in the order in which they were made.
	Extract(ctx context.Context, c Conversation) ([]Claim, error)
}

// The names of the entities that the speaker is, alone and with others.
const (
	User = "user"
	Team = "team"
)

// Kinds of entity.
const (
	KindPerson       = "person"
	KindGroup        = "group"
	KindPlace        = "place"
	KindOrganization = "organization"
	KindDate         = "date"
	KindThing        = "thing"
)

// Thing is an end of a claim, by name.
type Thing struct{ Name, Kind string }

// Claim is one statement that was found.
type Claim struct {
	Turn       int // index of the turn
	Start, End int // bytes of the turn's content that are the evidence
	Source     Thing
	Relation   string // a name in [Relations]
	Target     Thing
	Statement  string // readable by itself

	// Rejected is why nothing is to be made of it, such as [ReasonQuestion]. Then Source, Relation and Target may be
	// empty, and Statement is the sentence.
	Rejected string
	// Ends says that the relation holds no more.
	Ends bool
	// Denies says that the relation does not hold, and not whether it ever did; with Ends.
	Denies bool
	// Cue says that the words tell of a change ("moved to", "now", "no longer").
	Cue bool
	// Event says that the words tell of what happened ("I moved to"), and not of what is ("I live in").
	Event bool
	// Corrects says that the words take back what was said before in the conversation.
	Corrects bool
	// Unqualified is a lasting reason for which it is not a verified fact, such as [api.UnqualifiedHedged].
	Unqualified string
	// ValidAt is a stated start, InvalidAt a stated end; nil when none was stated.
	ValidAt, InvalidAt *time.Time
}

// Past says whether the claim is of a time that was over when it was made.
func (c Claim) Past(observed time.Time) bool {
	return !c.Ends && c.InvalidAt != nil && !c.InvalidAt.After(observed)
}

// Key is what a claim is about: two claims of one key and different targets contradict each other when the relation
// holds one target at a time.
func (c Claim) Key() string { return c.Source.Name + "\x00" + c.Relation }

// Reasons for which nothing is made of a claim or a passage.
const (
	ReasonQuestion     = "question: it asks, and states nothing"
	ReasonHypothetical = "hypothetical: it supposes, and states nothing"
	ReasonInstruction  = "instruction to the reader: it is never taken as a fact"
	ReasonNothing      = "nothing durable: only greeting, acknowledgement or steering"
	ReasonSecret       = "secret only: nothing is left once the secret is taken out"
	ReasonHedged       = "hedged beyond use"
	ReasonOlder        = "older than what it would replace"
	ReasonDuplicate    = "duplicate within the formation"
	ReasonCorrected    = "corrected later in the conversation"
	ReasonAssistant    = "said by the assistant: not the user's own statement"
)

// Info names an extractor as outcomes do.
func Info(e Extractor) api.Extractor { return api.Extractor{Name: e.Name(), Version: e.Version()} }
