package server

import (
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// pollEvery is how often a waiting request looks at the store, for formations that end in other processes.
const pollEvery = 500 * time.Millisecond

// awaitFormation returns a formation once it has ended, or as it is when the time is up, the caller has gone, or the
// server is to end.
func (c *call) awaitFormation(handle string, wait time.Duration) (api.Formation, error) {
	ended, stop := c.board.Watch(c.workspace, handle)
	defer stop()
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for last := wait <= 0; ; {
		f, err := c.store.Formation(c.ctx(), c.workspace, handle)
		if err != nil || f.State.Ended() || last {
			return f, err
		}
		select {
		case <-ended:
			ended = nil // closed: it would be chosen for ever
		case <-poll.C:
		case <-deadline.C:
			last = true
		case <-c.stopping:
			last = true
		case <-c.ctx().Done():
			return f, c.ctx().Err()
		}
	}
}
