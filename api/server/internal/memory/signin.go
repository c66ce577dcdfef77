package memory

import (
	"context"
	"errors"
	"time"
)

// What a [SignInStore] answers to a grant that can't be had, now or at all.
var (
	ErrPending  = errors.New("not decided yet")
	ErrSlowDown = errors.New("asked again too soon")
	ErrDenied   = errors.New("denied")
	ErrExpired  = errors.New("expired")
	// ErrReplayed is of a credential for one use that was used before. What came of it is revoked by now.
	ErrReplayed = errors.New("used before")
)

// Session is one sign-in of a client: the family of all tokens that come of it.
type Session struct {
	ID        string
	Client    string
	User      User
	CreatedAt time.Time
	ExpiresAt time.Time // whatever is renewed: no token of it lives longer
	RevokedAt *time.Time
}

// Token is an access or refresh token as it is stored.
type Token struct {
	Session   Session
	Refresh   bool
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time // a refresh token that has a successor
}

// Tokens are a new pair of tokens, by their digests. Sealed is what a replay of their predecessor is answered with.
type Tokens struct {
	Access, Refresh               [32]byte
	AccessExpires, RefreshExpires time.Time
	Sealed                        []byte
}

// Code is an authorization code as it is stored (RFC 6749 section 4.1).
type Code struct {
	Hash        [32]byte
	Client      string
	RedirectURI string
	Challenge   string // of PKCE with S256 (RFC 7636)
	UserID      string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// Device is a device's request to be signed in, as it is stored (RFC 8628).
type Device struct {
	Hash      [32]byte // of the device code
	UserCode  [32]byte // digest
	Client    string
	CreatedAt time.Time
	ExpiresAt time.Time
	Interval  time.Duration // between two polls
}

// Grant is what a new session begins with.
type Grant struct {
	SessionID string
	ExpiresAt time.Time
	Tokens    Tokens
}

// SignInStore keeps what signing in takes: browsers' sign-ins, codes, devices, sessions and their tokens. Secrets are
// stored by their digests alone.
type SignInStore interface {
	// CreateLogin records that a browser is signed in as a member, whose last sign-in it becomes.
	CreateLogin(ctx context.Context, hash [32]byte, userID string, now, expires time.Time) error
	// LoginUser returns whom a browser is signed in as; [ErrNotFound] once that has expired.
	LoginUser(ctx context.Context, hash [32]byte, now time.Time) (User, error)
	// EndLogin signs a browser out. One that isn't signed in is no error.
	EndLogin(ctx context.Context, hash [32]byte) error

	CreateCode(ctx context.Context, c Code) error
	// RedeemCode turns a code into a session, in one transaction. The code can't be used again, whether check (of its
	// client, address and challenge) agrees or not. It returns [ErrNotFound], [ErrExpired], check's error, or, after
	// revoking the session that came of the code, [ErrReplayed].
	RedeemCode(ctx context.Context, hash [32]byte, check func(Code) error, g Grant, now time.Time) (Session, error)

	// CreateDevice returns an error that wraps [ErrExists] when the user code is taken.
	CreateDevice(ctx context.Context, d Device) error
	// DeviceClient returns the client of a device that waits for a decision; [ErrNotFound] for any other.
	DeviceClient(ctx context.Context, userCode [32]byte, now time.Time) (client string, err error)
	// DecideDevice allows a waiting device as a member, or denies it; [ErrNotFound] when none waits with that code.
	DecideDevice(ctx context.Context, userCode [32]byte, userID string, allow bool, now time.Time) error
	// PollDevice turns an allowed device into a session, once. It returns [ErrPending], [ErrSlowDown] (the interval is
	// 5 s longer from then on), [ErrDenied], [ErrExpired], or [ErrNotFound], for another client's device too.
	PollDevice(ctx context.Context, hash [32]byte, client string, g Grant, now time.Time) (Session, error)

	// Rotate replaces a refresh token, in one transaction. A token that was replaced up to grace ago changes nothing and
	// returns what was sealed then; one that was replaced earlier revokes the session and returns [ErrReplayed]. It
	// returns [ErrNotFound] for a token that isn't a refresh token of this client, or whose session was revoked, and
	// [ErrExpired]. No token outlives the session, whatever t says.
	Rotate(ctx context.Context, hash [32]byte, client string, t Tokens, grace time.Duration, now time.Time) (sealed []byte, s Session, err error)
	// Token returns a token with its session and the member as they are now, expired and revoked ones too: the caller
	// decides.
	Token(ctx context.Context, hash [32]byte) (Token, error)
	// RevokeSession ends a session. Ending it again changes nothing.
	RevokeSession(ctx context.Context, id string, now time.Time) error

	// Attempt counts a try at something that can be guessed, before it is made. It returns 0 when the try may be made,
	// else how long nobody may: more than limit tries within window lock until the window is over.
	Attempt(ctx context.Context, key string, limit int, window time.Duration, now time.Time) (wait time.Duration, err error)
	// Forgive forgets the tries, after one that succeeded.
	Forgive(ctx context.Context, key string) error

	// Sweep deletes what is of no use any more: expired tokens, codes, devices, sign-ins and tries, and every sealed
	// successor that is older than grace.
	Sweep(ctx context.Context, grace time.Duration, now time.Time) error
}
