package auth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

const (
	// renewLimit bounds one renewal with its save, which goes on when the call that needed it has ended.
	renewLimit = 15 * time.Second
	// renewPause is how long a renewal that failed for a passing reason is not tried again before a call; a call that is
	// refused tries again at once.
	renewPause = 10 * time.Second
	// renewWait is how long a call waits for a renewal while its token is still good.
	renewWait = 2 * time.Second
	// renewFresh is how young a token is that a refusal does not renew: another one would be refused as well.
	renewFresh = 2 * time.Second
)

// renewError says that a session could not be renewed now. The session is kept. It is a net.Error, so that callers
// count it as a connection that failed and try again.
type renewError struct{ err error }

func (e *renewError) Error() string   { return "renewing the session: " + e.err.Error() }
func (e *renewError) Unwrap() error   { return e.err }
func (e *renewError) Timeout() bool   { return errors.Is(e.err, context.DeadlineExceeded) }
func (e *renewError) Temporary() bool { return true }

// errFresh says that a token was refused that is too young for another one to help.
var errFresh = errors.New("the token is new")

// endedError says that a login is over, and what to do.
func endedError(endpoint string) error {
	return fmt.Errorf("%w any more at %s: the session has ended", ErrNotSignedIn, endpoint)
}

// source hands out the access token of the session of one endpoint, renewed in time. It follows what other processes do
// to the session: they renew it, end it, or sign in again.
type source struct {
	sessions *Sessions
	endpoint string
	refresh  func(ctx context.Context, s *Session) (*Session, error)
	now      func() time.Time
	share    float64 // the part of its lifetime after which a token is renewed

	mu      sync.Mutex
	held    *Session
	at      stamp
	unsaved bool      // held is newer than the file, which could not be written
	pause   time.Time // no renewal before a call until then
	flight  *flight
}

// flight is a renewal under way, which all calls of the process share.
type flight struct {
	done chan struct{}
	err  error
}

// newSource spreads the renewals of processes that share a session: 75 to 85 % of the lifetime.
func newSource(sessions *Sessions, endpoint string, client *http.Client) *source {
	return &source{
		sessions: sessions, endpoint: endpoint, now: time.Now, share: 0.75 + rand.Float64()/10,
		refresh: func(ctx context.Context, s *Session) (*Session, error) { return refreshed(ctx, client, s) },
	}
}

// current returns the session as it is kept now. It looks at the file each time, and reads it when it was replaced.
func (s *source) current(ctx context.Context) (*Session, error) {
	at, err := statFile(s.sessions.file(s.endpoint))
	if err != nil {
		return nil, fmt.Errorf("reading the session: %w: %w", ErrUnusable, err)
	}
	s.mu.Lock()
	held, same := s.held, s.held != nil && at.same(s.at)
	s.mu.Unlock()
	if !same {
		if held, at, err = s.sessions.load(ctx, s.endpoint); err != nil {
			s.hold(nil, stamp{})
			return nil, err
		}
		s.hold(held, at)
	}
	if held.Ended {
		return nil, endedError(s.endpoint)
	}
	return held, nil
}

func (s *source) hold(session *Session, at stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.at, s.pause, s.unsaved = session, at, time.Time{}, false
}

func (s *source) expires() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return time.Time{}
	}
	return s.held.ExpiresAt()
}

// token returns what to send with a request. A session that is due is renewed first; when that fails for a passing
// reason, the old token is sent all the same: only the server knows whether it is still good, whatever the clock says.
func (s *source) token(ctx context.Context) (string, error) {
	session, err := s.current(ctx)
	if err != nil {
		return "", err
	}
	if !s.due(session) {
		return session.bearer(), nil
	}
	waiting := ctx
	if s.now().Before(session.secrets.Expires) {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, renewWait)
		defer cancel()
	}
	var passing *renewError
	switch err := s.renew(waiting, session.bearer()); {
	case errors.As(err, &passing), waiting.Err() != nil && ctx.Err() == nil:
		return session.bearer(), nil
	case err != nil:
		return "", err
	}
	if session, err = s.current(ctx); err != nil {
		return "", err
	}
	return session.bearer(), nil
}

// due reports whether a session is to be renewed before it is used.
func (s *source) due(session *Session) bool {
	if session.Kind == KindKey || !session.Renewable() || session.secrets.Expires.IsZero() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return (s.unsaved || s.old(session)) && !s.now().Before(s.pause)
}

// old reports whether a token has lived for its share.
func (s *source) old(session *Session) bool {
	life := session.secrets.Expires.Sub(session.secrets.Obtained)
	return !s.now().Before(session.secrets.Obtained.Add(time.Duration(float64(life) * s.share)))
}

// fresh reports whether a token is too young to be renewed.
func (s *source) fresh(session *Session) bool {
	limit := renewFresh
	if life := session.secrets.Expires.Sub(session.secrets.Obtained); life > 0 {
		limit = min(limit, life/2)
	}
	age := s.now().Sub(session.secrets.Obtained)
	return age >= 0 && age < limit
}

// again returns the token to repeat a call with that was refused with another one, or "" when there is none.
func (s *source) again(ctx context.Context, refused string) (string, error) {
	session, err := s.current(ctx)
	if err != nil {
		return "", err
	}
	if session.bearer() != refused {
		return session.bearer(), nil
	}
	if session.Kind == KindKey {
		return "", nil
	}
	if err := s.renew(ctx, refused); errors.Is(err, errFresh) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	if session, err = s.current(ctx); err != nil {
		return "", err
	}
	return session.bearer(), nil
}

// renew gets a successor of the token that is used up, once for all calls that wait for it. It goes on when ctx ends.
func (s *source) renew(ctx context.Context, used string) error {
	s.mu.Lock()
	f := s.flight
	if f == nil {
		f = &flight{done: make(chan struct{})}
		s.flight = f
		go func() {
			detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewLimit)
			defer cancel()
			f.err = s.renewOnce(detached, used)
			s.mu.Lock()
			s.flight = nil
			var passing *renewError
			if errors.As(f.err, &passing) {
				s.pause = s.now().Add(renewPause)
			}
			s.mu.Unlock()
			close(f.done)
		}()
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// renewOnce takes the lock that all processes share, looks whether another one was faster, and else asks the server.
func (s *source) renewOnce(ctx context.Context, used string) error {
	unlock, err := s.sessions.lock(ctx, s.endpoint)
	if err != nil {
		return &renewError{err}
	}
	defer unlock()
	session, at, err := s.sessions.load(ctx, s.endpoint)
	if err != nil {
		s.hold(nil, stamp{})
		return err
	}
	if kept := s.savedNow(ctx, at); kept != nil {
		session, at = kept.session, kept.at
		if !s.old(session) {
			return nil
		}
	}
	if session.Ended || session.bearer() != used {
		s.hold(session, at)
		return nil
	}
	if s.fresh(session) {
		return errFresh
	}
	if !session.Renewable() {
		return s.end(ctx, session, at)
	}
	next, err := s.ask(ctx, session)
	var answered *grantError
	switch {
	case errors.As(err, &answered) && answered.code == "invalid_grant":
		return s.end(ctx, session, at)
	case err != nil:
		return &renewError{err}
	}
	s.keep(ctx, next, at)
	return nil
}

// ask sends the refresh token. A connection that breaks is tried again at once, for as long as the renewal may take: the
// server may never have got the request. One that is merely slow is waited for: a request sent twice may come twice, and
// a server that takes the second for a replay ends the session.
func (s *source) ask(ctx context.Context, session *Session) (*Session, error) {
	for pause := 100 * time.Millisecond; ; pause *= 3 {
		next, err := s.refresh(ctx, session)
		var answered *grantError
		if err == nil || ctx.Err() != nil || errors.As(err, &answered) {
			return next, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// saved is a session with the stamp of its file.
type saved struct {
	session *Session
	at      stamp
}

// savedNow tries once more to save what an earlier renewal could not. It returns nil when there is no such thing, or
// when somebody wrote the file meanwhile.
func (s *source) savedNow(ctx context.Context, at stamp) *saved {
	s.mu.Lock()
	held, due := s.held, s.unsaved && at.same(s.at)
	s.mu.Unlock()
	if !due || held == nil {
		return nil
	}
	s.keep(ctx, held, at)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != held {
		return nil
	}
	return &saved{held, s.at}
}

// keep saves a renewed session. Tokens that could not be saved are used by this process all the same, and saved when
// that works again: the ones before them are used up.
func (s *source) keep(ctx context.Context, next *Session, before stamp) {
	at, err := s.sessions.replace(ctx, next, before)
	switch {
	case err == nil:
		s.hold(next, at)
	case errors.Is(err, errLost):
		s.hold(nil, stamp{}) // whoever signed in or out meanwhile has the word
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.held, s.at, s.unsaved, s.pause = next, before, true, s.now().Add(renewPause)
	}
}

// end marks a session as over, so that no process asks the server again, and takes the secrets out of it.
func (s *source) end(ctx context.Context, session *Session, before stamp) error {
	over := *session
	over.Ended, over.secrets = true, secrets{}
	at, err := s.sessions.replace(ctx, &over, before)
	if err == nil {
		s.hold(&over, at)
	} else {
		s.hold(&over, before)
	}
	return endedError(s.endpoint)
}

// settle waits for a renewal that is under way, for a moment: a program that ends between the server's answer and the
// save would lose the session.
func (s *source) settle(limit time.Duration) {
	s.mu.Lock()
	f := s.flight
	s.mu.Unlock()
	if f == nil {
		return
	}
	select {
	case <-f.done:
	case <-time.After(limit):
	}
}
