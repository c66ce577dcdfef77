package formation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Role says who spoke a [Turn].
type Role string

// The four roles of a turn.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// Valid reports whether r is one of the four roles.
func (r Role) Valid() bool {
	switch r {
	case RoleUser, RoleAssistant, RoleSystem, RoleTool:
		return true
	}
	return false
}

// The limits of one conversation. They are refused by name, never cut.
const (
	MaxTurns     = 500       // turns in one conversation
	MaxTurnBytes = 64 * 1024 // bytes of UTF-8 in one turn's content
)

// Turn is one utterance of a conversation.
type Turn struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// TurnError says what is wrong with the turns of a conversation.
type TurnError struct {
	// Turn is the index of the offending turn, or -1 when it is the conversation as a whole.
	Turn int
	// Field is "role" or "content", or empty when it is the conversation as a whole.
	Field string
	// Reason is a clause such as "is blank".
	Reason string
	// TooLarge is set when a limit was exceeded rather than a rule broken.
	TooLarge bool
}

func (e *TurnError) Error() string {
	if e.Turn < 0 {
		return "turns " + e.Reason
	}
	return fmt.Sprintf("turns[%d].%s %s", e.Turn, e.Field, e.Reason)
}

// CheckTurns returns a *[TurnError] for the first turn that a formation can't take: no turns at all or more than
// [MaxTurns], an unknown role, content that is blank, longer than [MaxTurnBytes], not UTF-8, or that has a NUL.
func CheckTurns(turns []Turn) error {
	if len(turns) == 0 {
		return &TurnError{Turn: -1, Reason: "is empty: send at least one turn"}
	}
	if len(turns) > MaxTurns {
		return &TurnError{
			Turn: -1, TooLarge: true,
			Reason: fmt.Sprintf("has %d entries: send at most %d in one conversation", len(turns), MaxTurns),
		}
	}
	for i, t := range turns {
		if err := checkTurn(i, t); err != nil {
			return err
		}
	}
	return nil
}

func checkTurn(i int, t Turn) error {
	content := func(reason string) *TurnError { return &TurnError{Turn: i, Field: "content", Reason: reason} }
	switch {
	case !t.Role.Valid():
		return &TurnError{Turn: i, Field: "role", Reason: "must be one of user, assistant, system, tool"}
	case len(t.Content) > MaxTurnBytes:
		e := content(fmt.Sprintf("has %d bytes: the limit is %d", len(t.Content), MaxTurnBytes))
		e.TooLarge = true
		return e
	case !utf8.ValidString(t.Content):
		return content("is not valid UTF-8")
	case strings.ContainsRune(t.Content, 0):
		return content("contains a NUL character")
	case strings.TrimSpace(t.Content) == "":
		return content("is blank")
	}
	return nil
}
