package formation

import (
	"container/list"
	"sync"
)

// State is how far a tracked formation has come, seen from the process that submitted it.
type State string

// The states of a tracked formation. The last three are final.
const (
	StateSubmitting     State = "submitting"      // registered; the API has not accepted the turns yet
	StateRunning        State = "running"         // accepted; the outcome is not known yet
	StateFinished       State = "finished"        // memories were written
	StateNothingWritten State = "nothing_written" // it ended, and nothing was worth writing
	StateFailed         State = "failed"          // it ended for good with an error
)

// Final reports whether s never changes again by itself.
func (s State) Final() bool {
	return s == StateFinished || s == StateNothingWritten || s == StateFailed
}

// DefaultTrackerLimit is how many handles a [Tracker] holds unless told otherwise.
const DefaultTrackerLimit = 10_000

// Tracker remembers in memory which formations this process submitted, and how they ended. It is bounded: when it is
// full, the oldest final handles leave first. It is safe for concurrent use. T is what is kept of a final outcome.
type Tracker[T any] struct {
	mu      sync.Mutex
	limit   int
	entries map[string]*entry[T]
	final   *list.List // handles in a final state, oldest first
	open    *list.List // handles still open, oldest first
}

// entry counts the submissions on their way, because the same conversation may be sent twice at once and one of them
// be refused.

type entry[T any] struct {
	state   State
	outcome T
	sending int
	element *list.Element
}

// NewTracker returns a tracker for at most limit handles; limit ≤ 0 means [DefaultTrackerLimit].
func NewTracker[T any](limit int) *Tracker[T] {
	if limit <= 0 {
		limit = DefaultTrackerLimit
	}
	return &Tracker[T]{limit: limit, entries: make(map[string]*entry[T]), final: list.New(), open: list.New()}
}

// Begin registers handle as submitting, before its turns are sent. A handle that is already tracked keeps its state,
// except a failed one, which begins again. It returns the state that holds afterwards.
func (t *Tracker[T]) Begin(handle string) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.entries[handle]; ok {
		if e.state == StateFailed {
			t.move(handle, e, StateSubmitting)
		}
		e.sending++
		return e.state
	}
	e := &entry[T]{state: StateSubmitting, sending: 1, element: t.open.PushBack(handle)}
	t.entries[handle] = e
	t.evict()
	return StateSubmitting
}

// Accepted marks handle as running: the API has the turns. A final state stays.
func (t *Tracker[T]) Accepted(handle string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[handle]
	if !ok {
		return
	}
	e.sending--
	if e.state == StateSubmitting {
		e.state = StateRunning
	}
}

// Refused ends a submission that was not accepted. The handle is forgotten unless it was accepted before or is being
// sent again at the same time. Every Begin is followed by one Accepted or one Refused.
func (t *Tracker[T]) Refused(handle string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[handle]
	if !ok {
		return
	}
	e.sending--
	if e.state == StateSubmitting && e.sending <= 0 {
		t.open.Remove(e.element)
		delete(t.entries, handle)
	}
}

// End records the final state of handle and its outcome. A handle that isn't tracked, or a state that isn't final,
// changes nothing.
func (t *Tracker[T]) End(handle string, state State, outcome T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[handle]
	if !ok || !state.Final() {
		return
	}
	t.move(handle, e, state)
	e.outcome = outcome
}

// Get returns the state of handle and, when that is final, its outcome. ok is false for a handle that this process
// did not submit, or that has left.
func (t *Tracker[T]) Get(handle string) (state State, outcome T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, ok := t.entries[handle]
	if !ok {
		return "", outcome, false
	}
	return e.state, e.outcome, true
}

// Len returns how many handles are tracked.
func (t *Tracker[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries)
}

func (t *Tracker[T]) move(handle string, e *entry[T], state State) {
	from, to := t.listOf(e.state), t.listOf(state)
	from.Remove(e.element)
	e.element = to.PushBack(handle)
	e.state = state
	if !state.Final() {
		var none T
		e.outcome = none
	}
}

func (t *Tracker[T]) listOf(s State) *list.List {
	if s.Final() {
		return t.final
	}
	return t.open
}

func (t *Tracker[T]) evict() {
	for len(t.entries) > t.limit {
		from := t.final
		if from.Len() == 0 {
			from = t.open
		}
		oldest := from.Front()
		from.Remove(oldest)
		delete(t.entries, oldest.Value.(string))
	}
}
