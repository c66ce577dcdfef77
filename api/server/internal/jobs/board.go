package jobs

import "sync"

// Board passes on news between the goroutines of one process. It is safe for concurrent use.
type Board struct {
	submitted chan struct{}
	mu        sync.Mutex
	watchers  map[key]map[chan struct{}]struct{}
}

type key struct{ workspace, handle string }

// NewBoard returns a board without news.
func NewBoard() *Board {
	return &Board{submitted: make(chan struct{}, 1), watchers: make(map[key]map[chan struct{}]struct{})}
}

// Submitted says that a formation waits in the queue. It never blocks.
func (b *Board) Submitted() {
	select {
	case b.submitted <- struct{}{}:
	default: // a worker that hasn't woken yet will find this one too
	}
}

// Watch returns a channel that is closed when the formation ends in this process. The caller looks at the store after
// it began to watch, so that nothing is missed, and calls stop when it no longer cares.
func (b *Board) Watch(workspace, handle string) (ended <-chan struct{}, stop func()) {
	k, ch := key{workspace, handle}, make(chan struct{})
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers[k] == nil {
		b.watchers[k] = make(map[chan struct{}]struct{})
	}
	b.watchers[k][ch] = struct{}{}
	return ch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers[k], ch)
		if len(b.watchers[k]) == 0 {
			delete(b.watchers, k)
		}
	}
}

// Ended wakes those who watch the formation.
func (b *Board) Ended(workspace, handle string) {
	k := key{workspace, handle}
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range b.watchers[k] {
		close(ch)
	}
	delete(b.watchers, k)
}
