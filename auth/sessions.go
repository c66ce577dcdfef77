package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// ErrNotSignedIn is wrapped by the errors of sessions that are absent or have ended.
var ErrNotSignedIn = errors.New("not signed in")

// errLost says that a session was replaced or removed while it was being renewed.
var errLost = errors.New("the session was replaced meanwhile")

// Sessions keeps what people signed in with, one session an endpoint, in a folder of its own. Several processes may use
// it at once. Make one with [NewSessions].
type Sessions struct {
	dir  string
	ring ring

	mu   sync.Mutex
	keys map[string][]byte // what the keyring said, by endpoint: it is asked once
}

// NewSessions returns the sessions of a folder, such as "/home/me/.local/share/lukasa/sessions". Nothing is read or
// made yet. waiting is called when the keyring takes long, and it then has a minute; when waiting is nil, it has three
// seconds in all, and a locked keyring is not asked to unlock itself.
func NewSessions(dir string, waiting func()) *Sessions {
	return &Sessions{dir: dir, ring: systemRing{waiting: waiting}, keys: map[string][]byte{}}
}

// file is where the session of an endpoint is. The host is in its name for people alone.
func (s *Sessions) file(endpoint string) string {
	digest := sha256.Sum256([]byte(endpoint))
	name := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(digest[:15]))
	host := "endpoint"
	if u, err := url.Parse(endpoint); err == nil {
		host = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
				return r
			}
			return '_'
		}, strings.TrimLeft(u.Hostname(), "."))
	}
	if len(host) > 60 {
		host = host[:60]
	}
	return filepath.Join(s.dir, host+"-"+name+".json")
}

// File is where the session of an endpoint, see [Canonical], is kept, for people to look at.
func (s *Sessions) File(endpoint string) string { return s.file(endpoint) }

// Load returns the session of an endpoint, see [Canonical]. Its errors wrap [ErrNotSignedIn] when there is none, and
// else [ErrUnusable]; those of a keyring wrap [ErrKeyringLocked], [ErrKeyringAbsent] or [ErrKeyringSilent] as well.
func (s *Sessions) Load(ctx context.Context, endpoint string) (*Session, error) {
	session, _, err := s.load(ctx, endpoint)
	return session, err
}

func (s *Sessions) load(ctx context.Context, endpoint string) (*Session, stamp, error) {
	path := s.file(endpoint)
	if err := checkFolder(s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, stamp{}, fmt.Errorf("reading the sessions in %s: %w: %w", s.dir, ErrUnusable, err)
	}
	data, at, err := readSecure(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, stamp{}, fmt.Errorf("%w at %s", ErrNotSignedIn, endpoint)
	}
	var e *envelope
	if err == nil {
		e, err = decodeEnvelope(data, endpoint)
	}
	if err != nil {
		return nil, at, fmt.Errorf("reading the session file %s: %w: %w", path, ErrUnusable, err)
	}
	session, err := s.open(ctx, e)
	if err != nil {
		return nil, at, fmt.Errorf("opening the session file %s: %w: %w", path, ErrUnusable, err)
	}
	return session, at, nil
}

// open asks the keyring for the key, unless it is known. A known key that doesn't fit was replaced by a later login.
func (s *Sessions) open(ctx context.Context, e *envelope) (*Session, error) {
	if e.Place == PlaceFile {
		return e.session(nil)
	}
	if key := s.known(e.Endpoint); key != nil {
		if session, err := e.session(key); err == nil {
			return session, nil
		}
	}
	key, err := s.ring.get(ctx, e.Endpoint)
	if errors.Is(err, errRingHasNone) {
		return nil, errors.New("the keyring does not have its key any more")
	}
	if err != nil {
		return nil, err
	}
	session, err := e.session(key)
	if err == nil {
		s.remember(e.Endpoint, key)
	}
	return session, err
}

func (s *Sessions) known(endpoint string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[endpoint]
}

func (s *Sessions) remember(endpoint string, key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[endpoint] = key
}

// PlaceOf returns where the session of an endpoint, see [Canonical], is kept, without opening it; "" when there is none that can be read.
func (s *Sessions) PlaceOf(endpoint string) Place {
	data, _, err := readSecure(s.file(endpoint))
	if err != nil {
		return ""
	}
	e, err := decodeEnvelope(data, endpoint)
	if err != nil {
		return ""
	}
	return e.Place
}

// Prepare checks that a session of an endpoint, see [Canonical], can be kept in a place, so that nobody signs in for nothing. Errors of the
// keyring wrap [ErrKeyringLocked], [ErrKeyringAbsent] or [ErrKeyringSilent].
func (s *Sessions) Prepare(ctx context.Context, endpoint string, place Place) error {
	if err := secureFolder(s.dir); err != nil {
		return fmt.Errorf("keeping sessions in %s: %w", s.dir, err)
	}
	if info, err := os.Lstat(s.file(endpoint)); err == nil {
		if err := checkSecure(info); err != nil {
			return fmt.Errorf("keeping the session in %s: %w", s.file(endpoint), err)
		}
	}
	if place == PlaceFile {
		return nil
	}
	_, err := s.sealKey(ctx, endpoint)
	return err
}

// sealKey returns the keyring's key of an endpoint, and makes one when there is none. One that is there is used again:
// an end between the two writes of a login must not lose the session before it.
func (s *Sessions) sealKey(ctx context.Context, endpoint string) ([]byte, error) {
	if key := s.known(endpoint); key != nil {
		return key, nil
	}
	key, err := s.ring.get(ctx, endpoint)
	if errors.Is(err, errRingHasNone) {
		key = newSealKey()
		if err = s.ring.set(ctx, endpoint, key); err == nil {
			var kept []byte
			if kept, err = s.ring.get(ctx, endpoint); err == nil && !bytes.Equal(kept, key) {
				err = errors.New("the keyring did not keep the key")
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("using the keyring: %w", err)
	}
	s.remember(endpoint, key)
	return key, nil
}

// Save keeps a session in its place, in the stead of one that is there.
func (s *Sessions) Save(ctx context.Context, session *Session) error {
	if err := s.Prepare(ctx, session.Endpoint, session.Place); err != nil {
		return err
	}
	unlock, err := s.lock(ctx, session.Endpoint)
	if err != nil {
		return err
	}
	defer unlock()
	was := s.PlaceOf(session.Endpoint)
	if _, err := s.write(ctx, session); err != nil {
		return err
	}
	if was == PlaceKeyring && session.Place == PlaceFile {
		_ = s.ring.remove(ctx, session.Endpoint) // a key that opens nothing any more: no harm if it stays
	}
	return nil
}

// write saves a session whose lock is held.
func (s *Sessions) write(ctx context.Context, session *Session) (stamp, error) {
	var key []byte
	if session.Place == PlaceKeyring {
		var err error
		if key, err = s.sealKey(ctx, session.Endpoint); err != nil {
			return stamp{}, err
		}
	}
	data, err := session.encode(key)
	if err != nil {
		return stamp{}, fmt.Errorf("encoding the session: %w", err)
	}
	at, err := writeSecure(s.file(session.Endpoint), data)
	if err != nil {
		return stamp{}, fmt.Errorf("writing the session file %s: %w", s.file(session.Endpoint), err)
	}
	return at, nil
}

// replace saves a renewed session whose lock is held, unless the one it was made of is no longer there.
func (s *Sessions) replace(ctx context.Context, session *Session, before stamp) (stamp, error) {
	now, err := statFile(s.file(session.Endpoint))
	if err != nil {
		return stamp{}, err
	}
	if !now.same(before) {
		return stamp{}, errLost
	}
	return s.write(ctx, session)
}

// remove deletes a session, and its key in the keyring. It reports what could not be deleted.
func (s *Sessions) remove(ctx context.Context, endpoint string, place Place) error {
	s.mu.Lock()
	delete(s.keys, endpoint)
	s.mu.Unlock()
	err := os.Remove(s.file(endpoint))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("deleting the session file: %w", err)
	}
	if place == PlaceFile {
		return err
	}
	// A file that can't be read doesn't say where its key is: then one is looked for, and may well not be there.
	if ringErr := s.ring.remove(ctx, endpoint); ringErr != nil && !errors.Is(ringErr, errRingHasNone) && place == PlaceKeyring {
		err = errors.Join(err, fmt.Errorf("deleting the key in the keyring: %w", ringErr))
	}
	return err
}

// lock takes the lock that processes sharing a session renew it under. When ctx ends first, whoever gets the lock in
// the end gives it back at once.
func (s *Sessions) lock(ctx context.Context, endpoint string) (unlock func(), err error) {
	type taken struct {
		unlock func()
		err    error
	}
	result := make(chan taken, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(s.file(endpoint) + ".lock").Lock()
		result <- taken{unlock, err}
	}()
	select {
	case t := <-result:
		if t.err != nil {
			return nil, fmt.Errorf("locking the session: %w", t.err)
		}
		return t.unlock, nil
	case <-ctx.Done():
		go func() {
			if t := <-result; t.err == nil {
				t.unlock()
			}
		}()
		return nil, fmt.Errorf("locking the session, which another process holds: %w", ctx.Err())
	}
}
