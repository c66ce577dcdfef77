package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestKeyringKeepsTheSession(t *testing.T) {
	t.Parallel()
	const ttl = 3 * time.Second
	d := newDesktop(t)
	d.startKeyring()
	a, _ := startOIDCProvider(t, "", ttl)
	g := newGate(t, newMachine(t), a)
	m := newMachine(t, append(withBrowser(t), d.env()...)...)

	m.loginInBrowser(a, g.URL)
	who := okJSON[whoAmI](m, "", "whoami")
	if who.Store != "keyring" || who.Credential != "session" {
		t.Errorf("whoami: %+v", who)
	}
	if n := d.items(); n != 1 {
		t.Errorf("the keyring has %d items", n)
	}
	for range 2 {
		time.Sleep(ttl)
		renewed := okJSON[whoAmI](m, "", "whoami")
		if !renewed.ExpiresAt.After(*who.ExpiresAt) {
			t.Errorf("the session was not renewed: %v, then %v", who.ExpiresAt, renewed.ExpiresAt)
		}
	}
	g.mu.Lock()
	for header := range g.seen {
		if token := strings.TrimPrefix(header, "Bearer "); token != "" && strings.Contains(m.everythingBelow(t, m.dir), token) {
			t.Error("a token is in a file in the clear")
		}
	}
	g.mu.Unlock()

	m.loginInBrowser(a, g.URL) // again, over the session that is there
	okJSON[whoAmI](m, "", "whoami")
	if n := d.items(); n != 1 {
		t.Errorf("after a second login the keyring has %d items", n)
	}
	m.ok("", "logout")
	if n := d.items(); n != 0 {
		t.Errorf("after the logout the keyring has %d items", n)
	}
	if r := m.run("", "whoami"); r.code != 4 {
		t.Errorf("whoami after the logout: exit code %d: %s", r.code, r.stderr)
	}
}

// limit is how long a command may take that meets a keyring that doesn't work: the keyring's 3 seconds and some.
const limit = 5 * time.Second

func (m *machine) within(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	began := time.Now()
	r := m.run(stdin, args...)
	if took := time.Since(began); took > limit {
		t.Errorf("lukasa %v took %s", args, took)
	}
	return r
}

// TestKeyringThatDoesNotWork signs in where there is no keyring to keep a session in. Nothing is written in the clear,
// and nobody waits.
func TestKeyringThatDoesNotWork(t *testing.T) {
	t.Parallel()
	server := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	api := server.serve(dsn, server.adminKey(dsn))
	for name, tt := range map[string]struct {
		env  func(t *testing.T) []string
		says string
	}{
		"locked":      {func(t *testing.T) []string { d := newDesktop(t); d.startKeyring(); d.lock(); return d.env() }, "the keyring is locked"},
		"stopped":     {func(t *testing.T) []string { d := newDesktop(t); d.startKeyring(); d.stop(); return d.env() }, "the keyring does not answer"},
		"no service":  {func(t *testing.T) []string { return newDesktop(t).env() }, "no Secret Service is running"},
		"no bus":      {func(t *testing.T) []string { return []string{"HOME=" + t.TempDir(), "DBUS_SESSION_BUS_ADDRESS="} }, "no D-Bus session bus"},
		"bus is gone": {func(*testing.T) []string { return []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"} }, "no D-Bus session bus"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, tt.env(t)...)
			r := m.within(t, api.key, "login", "--with-api-key", "--api", api.url)
			if r.code != 1 || !strings.Contains(r.stderr, tt.says) || !strings.Contains(r.stderr, "--insecure-storage") {
				t.Errorf("login: exit code %d: %s", r.code, r.stderr)
			}
			if strings.Contains(m.everythingBelow(t, m.dir), api.key) {
				t.Error("the key was written to a file")
			}
			if r := m.run("", "whoami", "--api", api.url); r.code != 4 {
				t.Errorf("whoami: exit code %d: %s", r.code, r.stderr)
			}
		})
	}
}

// TestKeyringGoesAway uses a session whose keyring no longer works.
func TestKeyringGoesAway(t *testing.T) {
	t.Parallel()
	server := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	api := server.serve(dsn, server.adminKey(dsn))
	newMachine(t, "LUKASA_API_KEY="+api.key).ok("", "workspace", "create", "notes", "--api", api.url)
	for name, tt := range map[string]struct {
		away func(d *desktop)
		says string
	}{
		"locked":  {(*desktop).lock, "the keyring is locked"},
		"stopped": {(*desktop).stop, "the keyring does not answer"},
		"ended":   {func(d *desktop) { _ = d.keyring.Process.Kill(); _, _ = d.keyring.Process.Wait() }, "no Secret Service is running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesktop(t)
			d.startKeyring()
			m := newMachine(t, d.env()...)
			m.ok(api.key, "login", "--with-api-key", "--api", api.url)
			tt.away(d)
			for _, args := range [][]string{{"whoami"}, {"mcp", "--workspace", "notes"}} {
				r := m.within(t, "", args...)
				if r.code != 4 || !strings.Contains(r.stderr, tt.says) || !strings.Contains(r.stderr, "hint: ") || r.stdout != "" {
					t.Errorf("lukasa %v: exit code %d: %s%s", args, r.code, r.stdout, r.stderr)
				}
			}
			// A key in the environment needs no keyring.
			began := time.Now()
			other := newMachine(t, append(d.env(), "LUKASA_API_KEY="+api.key)...)
			other.ok("", "whoami", "--api", api.url)
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("with a key in the environment it took %s", took)
			}
			// Signing out works all the same, and says what it could not do.
			r := m.within(t, "", "logout")
			if r.code != 0 || !strings.Contains(r.stderr, "warning: ") {
				t.Errorf("logout: exit code %d: %s%s", r.code, r.stdout, r.stderr)
			}
			if r := m.run("", "whoami"); r.code != 4 {
				t.Errorf("whoami after the logout: exit code %d: %s", r.code, r.stderr)
			}
		})
	}
}
