package reconcile

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
)

// passages decides on every segment, and links those that are kept to their neighbours.
func (d *decider) passages(ctx context.Context) error {
	var kept []string // ids in the order of the conversation
	place := map[string]int{}
	for _, s := range d.in.Segments {
		id := memory.PassageID(s.Role, s.Text)
		c := api.Candidate{ID: id, Kind: api.KindFact, Text: s.Text, Turns: []int{s.Turn}}
		_, twice := place[id]
		reason := refusal(s)
		if twice && reason == "" {
			c.Matched, reason = id, extract.ReasonDuplicate
		}
		if reason != "" {
			c.ID, c.Decision, c.Reason = "", api.DecisionRejected, reason
			e := evidence{end: s.End}
			if twice {
				e = d.evidenceFor(id, s.End)
			}
			d.evidence[s.Turn] = append(d.evidence[s.Turn], e)
			d.add(c)
			continue
		}
		known, err := d.held.HasPassage(ctx, id)
		if err != nil {
			return fmt.Errorf("looking up a passage: %w", err)
		}
		c.Decision = api.DecisionNew
		if known {
			c.Decision, c.Matched = api.DecisionAlreadyKnown, id
		} else {
			d.out.Passages = append(d.out.Passages, memory.NewPassage{Passage: d.passage(id, s)})
		}
		d.evidence[s.Turn] = append(d.evidence[s.Turn], evidence{s.End, id, known})
		place[id] = len(kept)
		kept = append(kept, id)
		d.add(c)
	}
	link(d.out.Passages, kept, place)
	return nil
}

// evidenceFor repeats the evidence of a passage for a segment that is its duplicate.
func (d *decider) evidenceFor(id string, end int) evidence {
	for _, list := range d.evidence {
		for _, e := range list {
			if e.passage == id {
				return evidence{end, id, e.known}
			}
		}
	}
	return evidence{end: end}
}

func (d *decider) passage(id string, s segment.Segment) api.Passage {
	p := api.Passage{
		ID: id, Text: s.Text, Role: s.Role, Turn: s.Turn, Formation: d.in.Handle, SaidAt: d.in.ObservedAt,
	}
	if s.AddressesReader {
		p.Flags = []string{api.FlagAddressesReader}
	}
	return p
}

// link gives new passages the ids of those before and after them.
func link(passages []memory.NewPassage, kept []string, place map[string]int) {
	for i := range passages {
		at := place[passages[i].ID]
		if at > 0 {
			passages[i].Prev = kept[at-1]
		}
		if at+1 < len(kept) {
			passages[i].Next = kept[at+1]
		}
	}
}

// refusal says why a segment is not worth a passage, or "".
func refusal(s segment.Segment) string {
	if s.Chatter {
		return extract.ReasonNothing
	}
	if !strings.Contains(s.Text, "[redacted:") {
		return ""
	}
	if segment.IsChatter(redactedMark().ReplaceAllString(s.Text, " ")) {
		return extract.ReasonSecret
	}
	return ""
}

var redactedMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[redacted:[a-z_]+\]`) })
