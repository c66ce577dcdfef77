package reconcile

import (
	"context"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/extract"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/segment"
)

// Input is what was found in one conversation.
type Input struct {
	Handle     string
	ObservedAt time.Time // when the conversation took place, or else when it was submitted
	Dated      bool      // false when nothing says when it took place
	Now        time.Time // when the outcome is believed from
	Segments   []segment.Segment
	Claims     []extract.Claim
	Extractor  api.Extractor
}

// Decide returns what to write, and a candidate with its decision for every segment and every claim.
func Decide(ctx context.Context, held memory.Held, in Input) (memory.Outcome, error) {
	in.Now = stamp(in.Now)
	in.ObservedAt = stamp(in.ObservedAt)
	d := &decider{in: in, held: newView(held), evidence: map[int][]evidence{}, retaken: map[string]bool{}}
	d.out.Extractor = in.Extractor
	if err := d.passages(ctx); err != nil {
		return memory.Outcome{}, err
	}
	if err := d.claims(ctx); err != nil {
		return memory.Outcome{}, err
	}
	d.held.collect(&d.out)
	return d.out, nil
}

// stamp is a time as stores keep it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func stamped(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := stamp(*t)
	return &u
}

type decider struct {
	in       Input
	held     *view
	out      memory.Outcome
	evidence map[int][]evidence // by turn
	retaken  map[string]bool    // held assertions that the conversation itself corrects
}

// evidence is the passage that a part of a turn is remembered as.
type evidence struct {
	end     int    // behind its last byte
	passage string // id; "" when nothing is remembered
	known   bool   // it was held before this formation
}

// evidenceOf finds the passage that holds a byte of a turn.
func (d *decider) evidenceOf(turn, at int) evidence {
	for _, e := range d.evidence[turn] {
		if at < e.end {
			return e
		}
	}
	return evidence{}
}

func (d *decider) add(c api.Candidate) {
	if c.ID == "" {
		c.ID = memory.CandidateID(d.in.Handle, len(d.out.Candidates))
	}
	d.out.Candidates = append(d.out.Candidates, c)
}
