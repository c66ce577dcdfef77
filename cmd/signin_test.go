package cmd_test

import (
	"strings"
	"testing"
	"time"
)

type whoAmI struct {
	Endpoint   string     `json:"endpoint"`
	Credential string     `json:"credential"`
	Source     string     `json:"source"`
	Store      string     `json:"store"`
	ExpiresAt  *time.Time `json:"expires_at"`
}

// testSignIn signs in with both grants, uses, renews and ends the session.
func testSignIn(t *testing.T, a *authority, endpoint string, ttl time.Duration) {
	for name, login := range map[string]func(m *machine) *watched{
		"browser": func(m *machine) *watched { return m.loginInBrowser(a, endpoint, "--insecure-storage") },
		"device":  func(m *machine) *watched { return m.loginOnDevice(a, endpoint, "--insecure-storage") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, withBrowser(t)...)
			if r := m.run("", "whoami", "--api", endpoint); r.code != 4 || !strings.Contains(r.stderr, "lukasa login --api "+endpoint) {
				t.Fatalf("whoami before: exit code %d: %s", r.code, r.stderr)
			}
			w := login(m)
			if !strings.Contains(w.stderr.String(), "now the default endpoint") {
				t.Errorf("nothing was said of the endpoint: %s", w.stderr.String())
			}
			who := okJSON[whoAmI](m, "", "whoami") // the endpoint is the configuration's now
			if who.Endpoint != endpoint || who.Credential != "session" || who.Source != "lukasa login" || who.Store != "file" || who.ExpiresAt == nil {
				t.Errorf("whoami: %+v", who)
			}
			time.Sleep(ttl)
			renewed := okJSON[whoAmI](m, "", "whoami")
			if !renewed.ExpiresAt.After(*who.ExpiresAt) {
				t.Errorf("the session was not renewed: %v, then %v", who.ExpiresAt, renewed.ExpiresAt)
			}
			if out := m.ok("", "logout"); !strings.Contains(out, "signed out of "+endpoint+"\n") {
				t.Errorf("logout: %s", out)
			}
			if r := m.run("", "whoami"); r.code != 4 {
				t.Errorf("whoami after: exit code %d: %s", r.code, r.stderr)
			}
		})
	}
}

func TestSignInAtOIDCProvider(t *testing.T) {
	t.Parallel()
	const ttl = 3 * time.Second
	a, _ := startOIDCProvider(t, "", ttl)
	testSignIn(t, a, newGate(t, newMachine(t), a).URL, ttl)
}
