package segment_test

import (
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
)

// TestAnswersAreKept: what steers elsewhere may answer a question; thanks and acknowledgements establish nothing there
// either.
func TestAnswersAreKept(t *testing.T) {
	for answer, chatter := range map[string]bool{
		"Go.": false, "Next.": false, "No, never.": false, "Both.": false, "It works.": false, "Later.": false, "test": false,
		"yes please": true, "ok": true, "no thanks": true, "thanks!": true, "Sure.": true, "sounds good": true, "👍": true,
	} {
		turns := []api.Turn{{Role: "assistant", Content: "Which of the two should the service use?"}, {Role: "user", Content: answer}}
		got := segment.Turns(turns)
		if len(got) != 2 || got[1].Chatter != chatter {
			t.Errorf("%q after a question: %+v, want chatter %v", answer, got[1:], chatter)
		}
	}
}
