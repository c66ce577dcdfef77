package oauth

import (
	"slices"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// ClientCLI is the one client that is there by default: public, as the command line can't keep a secret.
const ClientCLI = "lukasa-cli"

// Client is a program that people sign in with. All are public clients (RFC 6749 section 2.1).
type Client struct {
	ID   string
	Name string // as people are told it
	// RedirectURIs are where codes may be sent to. One whose host is a loopback address takes any port (RFC 8252
	// section 7.3); everything else is compared exactly.
	RedirectURIs []string
}

// DefaultClients are the clients of a server: [ClientCLI].
func DefaultClients() []Client {
	return []Client{{
		ID: ClientCLI, Name: "the lukasa command line",
		RedirectURIs: []string{"http://127.0.0.1/callback", "http://[::1]/callback", "http://127.0.0.1/", "http://[::1]/"},
	}}
}

// Lifetimes say how long what signing in gives is good. Zero means the default.
type Lifetimes struct {
	Access  time.Duration // of an access token; 30 minutes
	Refresh time.Duration // of a refresh token from its making, at most; 30 days
	Session time.Duration // of all that comes of one sign-in; 90 days
	Grace   time.Duration // in which a used refresh token is answered with its successor again; 60 seconds
	Code    time.Duration // of an authorization code; 60 seconds
	Device  time.Duration // in which a device's user code has to be entered; 10 minutes
	Poll    time.Duration // between two polls of a device; 5 seconds
	Browser time.Duration // of a browser's sign-in; 12 hours
	Lockout time.Duration // in which tries are counted, and which ends a lock-out; 10 minutes
}

// withDefaults fills in what isn't set.
func (l Lifetimes) withDefaults() Lifetimes {
	const day = 24 * time.Hour
	for _, d := range []struct {
		of *time.Duration
		is time.Duration
	}{
		{&l.Access, 30 * time.Minute}, {&l.Refresh, 30 * day}, {&l.Session, 90 * day}, {&l.Grace, time.Minute},
		{&l.Code, time.Minute}, {&l.Device, 10 * time.Minute}, {&l.Poll, 5 * time.Second}, {&l.Browser, 12 * time.Hour},
		{&l.Lockout, 10 * time.Minute},
	} {
		if *d.of <= 0 {
			*d.of = d.is
		}
	}
	return l
}

// Store is what signing in keeps.
type Store interface {
	memory.TeamStore
	memory.SignInStore
}

// Options says what a [Server] works with. Store and Now are needed.
type Options struct {
	Store     Store
	Now       func() time.Time // UTC, to the microsecond
	Clients   []Client         // nil means DefaultClients
	Lifetimes Lifetimes
	Password  PasswordCost // the zero value means the default
}

// Server answers the requests that sign people in. It is safe for concurrent use.
type Server struct {
	store    Store
	now      func() time.Time
	clients  []Client
	life     Lifetimes
	password *hasher
}

// New returns a server.
func New(o Options) *Server {
	if o.Clients == nil {
		o.Clients = DefaultClients()
	}
	return &Server{
		store: o.Store, now: o.Now, clients: o.Clients, life: o.Lifetimes.withDefaults(), password: newHasher(o.Password),
	}
}

// Grace is how long a used refresh token is answered with its successor again.
func (s *Server) Grace() time.Duration { return s.life.Grace }

func (s *Server) client(id string) (Client, bool) {
	i := slices.IndexFunc(s.clients, func(c Client) bool { return c.ID == id })
	if i < 0 {
		return Client{}, false
	}
	return s.clients[i], true
}
