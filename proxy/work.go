package proxy

import (
	"sync"
	"time"
)

// work counts what is still going on: calls that were read and not answered, and submissions.
type work struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // gets a value when n falls to 0
}

func newWork() *work { return &work{idle: make(chan struct{}, 1)} }

func (w *work) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.n > 0 {
		return
	}
	select {
	case w.idle <- struct{}{}:
	default:
	}
}

func (w *work) isIdle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.n == 0
}

// wait waits until nothing is going on, for at most limit, or until one of the channels is closed. Only one goroutine
// may wait at a time.
func (w *work) wait(limit time.Duration, stop, also <-chan struct{}) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !w.isIdle() {
		select {
		case <-w.idle:
		case <-timer.C:
			return
		case <-stop:
			return
		case <-also:
			return
		}
	}
}
