package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

const (
	client = "cli"
	grace  = time.Minute
)

// tokens are a pair whose secrets are named after it.
func (f *fixture) tokens(name string) memory.Tokens {
	return memory.Tokens{
		Access: digest("access " + name), Refresh: digest("refresh " + name), AccessExpires: f.now.Add(time.Hour),
		RefreshExpires: f.now.Add(24 * time.Hour), Sealed: []byte("sealed " + name),
	}
}

func (f *fixture) grant(name string) memory.Grant {
	return memory.Grant{SessionID: "se_" + name, ExpiresAt: f.now.Add(48 * time.Hour), Tokens: f.tokens(name)}
}

func (f *fixture) code(t *testing.T, secret, user string) {
	t.Helper()
	wantErr(t, "storing a code", f.CreateCode(t.Context(), memory.Code{
		Hash: digest(secret), Client: client, RedirectURI: "http://127.0.0.1/", Challenge: "challenge", UserID: user,
		CreatedAt: f.now, ExpiresAt: f.now.Add(time.Minute),
	}), nil)
}

// session begins a session, whose tokens are named after it.
func (f *fixture) session(t *testing.T, name, user string) memory.Session {
	t.Helper()
	f.tick()
	f.code(t, "code "+name, user)
	s, err := f.RedeemCode(t.Context(), digest("code "+name), agree[memory.Code], f.grant(name), f.now)
	wantErr(t, "beginning a session", err, nil)
	return s
}

func (f *fixture) token(t *testing.T, secret string) memory.Token {
	t.Helper()
	token, err := f.Token(t.Context(), digest(secret))
	wantErr(t, "reading "+secret, err, nil)
	return token
}

func testLogins(t *testing.T, f *fixture) {
	ctx, u := t.Context(), f.join(t, "ana", "member")
	until := f.tick().Add(time.Hour)
	wantErr(t, "signing in", f.CreateLogin(ctx, digest("b"), "ana", f.now, until), nil)
	got, err := f.LoginUser(ctx, digest("b"), until.Add(-time.Microsecond))
	wantErr(t, "signed in", err, nil)
	u.LastSignInAt = ptr(f.now)
	wantEqual(t, "as", got, u)
	wantErr(t, "later", second(f.LoginUser(ctx, digest("b"), until)), memory.ErrNotFound)
	wantErr(t, "another browser", second(f.LoginUser(ctx, digest("x"), f.now)), memory.ErrNotFound)
	wantErr(t, "as nobody", f.CreateLogin(ctx, digest("c"), "nobody", f.now, until), memory.ErrNotFound)
	for range 2 {
		wantErr(t, "signing out", f.EndLogin(ctx, digest("b")), nil)
	}
	wantErr(t, "signed out", second(f.LoginUser(ctx, digest("b"), f.now)), memory.ErrNotFound)
}

func testCodes(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member", "a")
	redeem := func(secret string, check func(memory.Code) error) error {
		t.Helper()
		_, err := f.RedeemCode(ctx, digest(secret), check, f.grant(secret), f.now)
		return err
	}
	s := f.session(t, "1", "ana")
	u, err := f.User(ctx, "ana")
	wantErr(t, "reading", err, nil)
	want := memory.Session{ID: "se_1", Client: client, User: u, CreatedAt: f.now, ExpiresAt: f.now.Add(48 * time.Hour)}
	wantEqual(t, "the session", s, want)
	wantEqual(t, "its access token", f.token(t, "access 1"), memory.Token{Session: want, CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour)})
	wantEqual(t, "its refresh token", f.token(t, "refresh 1"),
		memory.Token{Session: want, Refresh: true, CreatedAt: f.now, ExpiresAt: f.now.Add(24 * time.Hour)})
	f.tick()
	wantErr(t, "again", redeem("code 1", agree[memory.Code]), memory.ErrReplayed)
	want.RevokedAt = ptr(f.now)
	wantEqual(t, "what came of it", f.token(t, "access 1").Session, want)
	f.tick()
	wantErr(t, "a third time", redeem("code 1", agree[memory.Code]), memory.ErrReplayed)
	wantEqual(t, "the first revocation stays", f.token(t, "access 1").Session, want)

	f.code(t, "refused", "ana")
	no := errors.New("no")
	wantErr(t, "refused", redeem("refused", func(c memory.Code) error {
		wantEqual(t, "checked", c, memory.Code{
			Hash: digest("refused"), Client: client, RedirectURI: "http://127.0.0.1/", Challenge: "challenge", UserID: "ana",
			CreatedAt: f.now, ExpiresAt: f.now.Add(time.Minute),
		})
		return no
	}), no)
	wantErr(t, "after a refusal", redeem("refused", agree[memory.Code]), memory.ErrNotFound)
	wantErr(t, "unknown", redeem("unknown", agree[memory.Code]), memory.ErrNotFound)
	f.code(t, "late", "ana")
	f.now = f.now.Add(time.Minute)
	wantErr(t, "too late", redeem("late", agree[memory.Code]), memory.ErrExpired)
	wantErr(t, "for nobody", f.CreateCode(ctx, memory.Code{Hash: digest("x"), UserID: "nobody"}), memory.ErrNotFound)
}

func testRotate(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member")
	f.session(t, "1", "ana")
	rotate := func(from, to string) ([]byte, error) {
		sealed, _, err := f.Rotate(ctx, digest("refresh "+from), client, f.tokens(to), grace, f.now)
		return sealed, err
	}
	used := f.tick()
	sealed, err := rotate("1", "2")
	wantErr(t, "renewing", err, nil)
	wantEqual(t, "nothing was sealed before", sealed, []byte(nil))
	wantEqual(t, "used", f.token(t, "refresh 1").UsedAt, &used)
	f.now = used.Add(grace)
	sealed, err = rotate("1", "never")
	wantErr(t, "a replay in time", err, nil)
	wantEqual(t, "what was sealed", string(sealed), "sealed 2")
	wantErr(t, "what the replay would have made", second(f.Token(ctx, digest("access never"))), memory.ErrNotFound)
	wantEqual(t, "the first use stays", f.token(t, "refresh 1").UsedAt, &used)
	_, _, err = f.Rotate(ctx, digest("refresh 2"), "other", f.tokens("x"), grace, f.now)
	wantErr(t, "another client's", err, memory.ErrNotFound)
	wantErr(t, "an access token", third(f.Rotate(ctx, digest("access 2"), client, f.tokens("x"), grace, f.now)), memory.ErrNotFound)
	wantErr(t, "unknown", second(rotate("x", "y")), memory.ErrNotFound)

	f.session(t, "bystander", "ana")
	f.now = used.Add(grace + time.Microsecond)
	wantErr(t, "a late replay", second(rotate("1", "x")), memory.ErrReplayed)
	wantEqual(t, "the session has ended", f.token(t, "access 2").Session.RevokedAt, ptr(f.now))
	wantErr(t, "its successor", second(rotate("2", "3")), memory.ErrNotFound)
	if f.token(t, "access bystander").Session.RevokedAt != nil {
		t.Error("another session has ended")
	}
	f.now = f.token(t, "refresh bystander").ExpiresAt
	wantErr(t, "too late", second(rotate("bystander", "x")), memory.ErrExpired)
}

func third[A, B any](_ A, _ B, err error) error { return err }

// testSessionEnd wants no token to live longer than its session, whatever it was given.
func testSessionEnd(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member")
	s := f.session(t, "1", "ana")
	next := f.tokens("2")
	next.AccessExpires, next.RefreshExpires = s.ExpiresAt.Add(time.Hour), s.ExpiresAt.Add(time.Hour)
	_, _, err := f.Rotate(ctx, digest("refresh 1"), client, next, grace, f.tick())
	wantErr(t, "renewing", err, nil)
	wantEqual(t, "ends with the session", []time.Time{f.token(t, "access 2").ExpiresAt, f.token(t, "refresh 2").ExpiresAt},
		[]time.Time{s.ExpiresAt, s.ExpiresAt})
	revoked := f.tick()
	for range 2 {
		wantErr(t, "revoking", f.RevokeSession(ctx, "se_1", f.now), nil)
		f.tick()
	}
	wantEqual(t, "revoked", f.token(t, "access 2").Session.RevokedAt, &revoked)
	wantErr(t, "revoking an unknown one", f.RevokeSession(ctx, "se_x", f.now), memory.ErrNotFound)

	f.session(t, "3", "ana")
	wantErr(t, "signing in", f.CreateLogin(ctx, digest("b"), "ana", f.now, f.now.Add(time.Hour)), nil)
	wantErr(t, "setting a password", f.SetPassword(ctx, "ana", "new", f.tick()), nil)
	wantEqual(t, "a new password ends sessions", f.token(t, "access 3").Session.RevokedAt, ptr(f.now))
	wantErr(t, "and sign-ins", second(f.LoginUser(ctx, digest("b"), f.now)), memory.ErrNotFound)
	wantErr(t, "a password for nobody", f.SetPassword(ctx, "nobody", "new", f.now), memory.ErrNotFound)

	f.session(t, "4", "ana")
	wantErr(t, "removing", second(f.RemoveMember(ctx, "ana", agree[memory.User], f.tick())), nil)
	wantErr(t, "a removed member's token", second(f.Token(ctx, digest("access 4"))), memory.ErrNotFound)
}

func testDevices(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member")
	begin := func(name string) {
		t.Helper()
		wantErr(t, "beginning", f.CreateDevice(ctx, memory.Device{
			Hash: digest(name), UserCode: digest("code " + name), Client: client, CreatedAt: f.now, ExpiresAt: f.now.Add(time.Minute),
			Interval: 5 * time.Second,
		}), nil)
	}
	poll := func(name, as string) error {
		_, err := f.PollDevice(ctx, digest(name), as, f.grant(name), f.now)
		return err
	}
	begin("1")
	wantErr(t, "a code that is taken", f.CreateDevice(ctx, memory.Device{Hash: digest("x"), UserCode: digest("code 1")}), memory.ErrExists)
	got, err := f.DeviceClient(ctx, digest("code 1"), f.now)
	wantErr(t, "waiting", err, nil)
	wantEqual(t, "its client", got, client)
	wantErr(t, "polling", poll("1", client), memory.ErrPending)
	f.now = f.now.Add(5*time.Second - time.Microsecond)
	wantErr(t, "polling too soon", poll("1", client), memory.ErrSlowDown)
	f.now = f.now.Add(9 * time.Second)
	wantErr(t, "polling before the longer interval", poll("1", client), memory.ErrSlowDown)
	f.now = f.now.Add(15 * time.Second)
	wantErr(t, "polling in time", poll("1", client), memory.ErrPending)
	wantErr(t, "another client", poll("1", "other"), memory.ErrNotFound)
	wantErr(t, "allowing as nobody", f.DecideDevice(ctx, digest("code 1"), "nobody", true, f.now), memory.ErrNotFound)
	wantErr(t, "allowing", f.DecideDevice(ctx, digest("code 1"), "ana", true, f.now), nil)
	wantErr(t, "deciding again", f.DecideDevice(ctx, digest("code 1"), "ana", false, f.now), memory.ErrNotFound)
	wantErr(t, "asking again", second(f.DeviceClient(ctx, digest("code 1"), f.now)), memory.ErrNotFound)
	wantErr(t, "polling at once when it was allowed", poll("1", client), nil)
	wantEqual(t, "signed in", f.token(t, "access 1").Session.User.ID, "ana")
	wantErr(t, "again", poll("1", client), memory.ErrNotFound)

	begin("2")
	wantErr(t, "denying", f.DecideDevice(ctx, digest("code 2"), "ana", false, f.now), nil)
	wantErr(t, "denied", poll("2", client), memory.ErrDenied)
	begin("3")
	f.now = f.now.Add(time.Minute)
	wantErr(t, "too late", poll("3", client), memory.ErrExpired)
	wantErr(t, "allowing too late", f.DecideDevice(ctx, digest("code 3"), "ana", true, f.now), memory.ErrNotFound)
	wantErr(t, "unknown", poll("x", client), memory.ErrNotFound)
}

func testAttempts(t *testing.T, f *fixture) {
	ctx := t.Context()
	try := func(key string, want time.Duration) {
		t.Helper()
		wait, err := f.Attempt(ctx, key, 3, time.Hour, f.now)
		wantErr(t, "trying", err, nil)
		wantEqual(t, "wait of "+key, wait, want)
	}
	for range 3 {
		try("a", 0)
	}
	f.now = f.now.Add(20 * time.Minute)
	try("a", 40*time.Minute)
	try("a", 40*time.Minute)
	try("b", 0)
	log, _, err := f.Audit(ctx, memory.Page{Size: 10})
	if err != nil || len(log) != 1 || log[0].Action != memory.ActionAttemptsLocked || log[0].Target != "a" {
		t.Errorf("the log: %+v, %v", log, err)
	}
	f.now = f.now.Add(40 * time.Minute)
	try("a", 0)
	try("a", 0)
	wantErr(t, "forgiving", f.Forgive(ctx, "a"), nil)
	for range 3 {
		try("a", 0)
	}
	try("a", time.Hour)
}

func testSweep(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member")
	s := f.session(t, "1", "ana")
	_, _, err := f.Rotate(ctx, digest("refresh 1"), client, f.tokens("2"), grace, f.now)
	wantErr(t, "renewing", err, nil)
	wantErr(t, "signing in", f.CreateLogin(ctx, digest("b"), "ana", f.now, f.now.Add(time.Hour)), nil)
	wantErr(t, "sweeping at once", f.Sweep(ctx, grace, f.now), nil)
	sealed, _, err := f.Rotate(ctx, digest("refresh 1"), client, f.tokens("3"), grace, f.now)
	wantErr(t, "what is needed stays", err, nil)
	wantEqual(t, "what is needed stays", string(sealed), "sealed 2")
	f.token(t, "access 2")
	wantErr(t, "still signed in", second(f.LoginUser(ctx, digest("b"), f.now)), nil)

	wantErr(t, "sweeping later", f.Sweep(ctx, grace, f.now.Add(grace)), nil)
	// Nothing is sealed any more, so that even a replay in time can't be answered.
	_, _, err = f.Rotate(ctx, digest("refresh 1"), client, f.tokens("3"), grace, f.now)
	wantErr(t, "without what was sealed", err, memory.ErrReplayed)

	wantErr(t, "sweeping at the end", f.Sweep(ctx, grace, s.ExpiresAt), nil)
	for _, secret := range []string{"access 1", "refresh 1", "access 2", "refresh 2"} {
		wantErr(t, secret, second(f.Token(ctx, digest(secret))), memory.ErrNotFound)
	}
	log := allPages(t, 100, func(p memory.Page) ([]api.AuditEntry, string, error) { return f.Audit(ctx, p) })
	if len(log) == 0 || log[0].Action != memory.ActionSessionReplayed || log[0].Actor.ID != "ana" {
		t.Errorf("the log: %+v", log)
	}
}
