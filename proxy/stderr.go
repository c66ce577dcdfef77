package proxy

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	stderrPending = 64 * 1024 // bytes that may wait for a host that does not read
	stderrFlush   = 200 * time.Millisecond
)

// Stderr is a writer for people that never blocks: hosts exist that never read a server's standard error, and a full
// pipe must not hold up a reply. What does not fit is dropped, and the count is told once there is room again. Writes
// always succeed. The zero value is not usable; use [NewStderr].
type Stderr struct {
	w io.Writer

	mu      sync.Mutex
	pending [][]byte
	size    int
	dropped int
	running bool
	broken  bool
	idle    *sync.Cond
}

// NewStderr returns a writer in front of w; a *Stderr is returned as it is. Nothing is started until the first write.
func NewStderr(w io.Writer) *Stderr {
	if s, ok := w.(*Stderr); ok {
		return s
	}
	s := &Stderr{w: w}
	s.idle = sync.NewCond(&s.mu)
	return s
}

// Write queues p, or drops and counts it when too much is waiting.
func (s *Stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.broken:
	case s.size+len(p) > stderrPending:
		s.dropped++
	default:
		s.pending = append(s.pending, append([]byte(nil), p...))
		s.size += len(p)
		if !s.running {
			s.running = true
			go s.drain()
		}
	}
	return len(p), nil
}

// drain writes what is pending, and ends when nothing is.
func (s *Stderr) drain() {
	for {
		p := s.next()
		if p == nil {
			return
		}
		_, err := s.w.Write(p)
		s.mu.Lock()
		s.size -= len(p)
		if err != nil { // the host closed it: carry on without
			s.broken, s.pending, s.size = true, nil, 0
		}
		s.mu.Unlock()
	}
}

func (s *Stderr) next() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 && s.dropped > 0 && !s.broken {
		notice := fmt.Appendf(nil, "lukasa mcp: dropped %d messages, for standard error was not being read.\n", s.dropped)
		s.dropped = 0
		s.size += len(notice)
		return notice
	}
	if len(s.pending) == 0 {
		s.running = false
		s.idle.Broadcast()
		return nil
	}
	p := s.pending[0]
	s.pending = s.pending[1:]
	return p
}

// Flush waits until everything was written, for at most a fifth of a second.
func (s *Stderr) Flush() {
	late := false
	timer := time.AfterFunc(stderrFlush, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.idle.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running && !late {
		s.idle.Wait()
	}
}
