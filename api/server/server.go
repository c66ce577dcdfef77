package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/jobs"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// closeTime is how long [Server.Close] waits for calls that are still in flight.
const closeTime = 10 * time.Second

// Options says what a [Server] serves. Only Store is needed.
type Options struct {
	// Store is where memories are kept: "sqlite:PATH", or just a path. The file is made when it isn't there.
	Store string
	// Existing wants a store that is there already, and makes none: see [ErrNoStore].
	Existing bool
	// Logger gets one record a request and what goes wrong, never content or credentials; nil discards.
	Logger *slog.Logger
	// NoWorker leaves formations in the queue, for another process that shares the store.
	NoWorker bool
	// PublicURL is where people reach the server, such as "https://memory.example.com", without a path: it is what
	// tokens are issued by, and where links lead. Without it people can sign in on this machine alone, at the address
	// that they use.
	PublicURL string
	// ForwardedFor takes the address of callers, by which they are limited, from the last entry of X-Forwarded-For. It is
	// for servers that are reached through one reverse proxy alone, which sets that header.
	ForwardedFor bool
	// SignIn says how long what signing in gives is good.
	SignIn SignInOptions

	clock    func() time.Time   // nil is the real one
	password oauth.PasswordCost // the zero value is the default
	clients  []oauth.Client     // nil are the default ones
	limits   *limits            // nil are the default ones
}

// SignInOptions says how long what signing in gives is good. Zero means the default.
type SignInOptions struct {
	AccessToken  time.Duration // 30 minutes
	RefreshToken time.Duration // 30 days from each renewal
	Session      time.Duration // 90 days from the sign-in, however often it is renewed
	Grace        time.Duration // in which a renewal may be repeated, because its reply was lost: 60 seconds
	DevicePoll   time.Duration // between two polls of a device that waits to be allowed: 5 seconds
}

// Server is a memory API over a store. It is safe for concurrent use.
type Server struct {
	store   memory.Store
	former  former
	log     *slog.Logger
	board   *jobs.Board
	uses    keyUses
	oauth   *oauth.Server
	public  string // the issuer, "" when it is the address that the caller uses
	clock   func() time.Time
	limits  *limits
	behind  bool // one reverse proxy, which says who calls
	handler http.Handler
	// coming are the requests on their way.
	coming  arrivals
	exports chan struct{} // one entry for each that runs

	stopping   chan struct{} // closed when waiting requests should answer at once
	stopOnce   sync.Once
	stopWorker func()
	calls      inFlight
	closeOnce  sync.Once
	closeErr   error
}

// Open opens the store, brings its schema up to date, and starts a worker that forms what waits in the queue. The
// caller closes the server. ctx bounds the opening alone.
func Open(ctx context.Context, opts Options) (*Server, error) {
	store, err := openStore(ctx, opts.Store, opts.Existing)
	if err != nil {
		return nil, err
	}
	s, err := newServer(ctx, store, newFormer(store), opts)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return s, nil
}

func newServer(ctx context.Context, store memory.Store, former former, opts Options) (*Server, error) {
	s := &Server{
		store: store, former: former, log: opts.Logger, board: jobs.NewBoard(), stopping: make(chan struct{}),
		stopWorker: func() {}, exports: make(chan struct{}, maxExports),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.enableSignIn(opts); err != nil {
		return nil, err
	}
	s.uses.store = store
	s.uses.fail = func(err error) { s.log.Warn("recording the use of an API key", "error", err) }
	s.handler = s.observe(s.mux())
	if opts.NoWorker {
		return s, nil
	}
	owner, err := workerName()
	if err != nil {
		return nil, err
	}
	s.startWorker(context.WithoutCancel(ctx), owner)
	return s, nil
}

// workerName is unique among all processes, and says which process it is to whoever looks into the store.
func workerName() (string, error) {
	b := make([]byte, 8)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("naming the worker: %w", err)
	}
	return fmt.Sprintf("%d-%s", os.Getpid(), hex.EncodeToString(b)), nil
}

func (s *Server) startWorker(ctx context.Context, owner string) {
	ctx, cancel := context.WithCancel(ctx)
	worker := jobs.NewWorker(s.store, s.former, jobs.Options{Owner: owner, Board: s.board, Logger: s.log})
	done := make(chan struct{})
	go func() {
		defer close(done)
		worker.Run(ctx)
	}()
	s.stopWorker = func() {
		cancel()
		<-done // it has handed its lease back
	}
}

// Handler returns the API as a handler. It asks every caller for a credential.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends the server: requests that wait are answered, the worker hands back its lease, and the store is closed. It
// waits up to 10 s for calls of [Server.LocalTransport] that are in flight. Closing again returns the same error.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		s.stop()
		s.stopWorker()
		s.calls.close(closeTime)
		s.uses.close()
		if err := s.store.Close(); err != nil {
			s.closeErr = fmt.Errorf("closing the store: %w", err)
		}
	})
	return s.closeErr
}

// stop answers the requests that wait for something.
func (s *Server) stop() { s.stopOnce.Do(func() { close(s.stopping) }) }

// inFlight counts calls, so that the store isn't closed under them.
type inFlight struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

// enter reports whether a call may begin; one that does ends with leave.
func (f *inFlight) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.wg.Add(1)
	return true
}

func (f *inFlight) leave() { f.wg.Done() }

// close lets no more calls begin, and waits for the others up to a limit.
func (f *inFlight) close(limit time.Duration) {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	done := make(chan struct{})
	go func() {
		f.wg.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
