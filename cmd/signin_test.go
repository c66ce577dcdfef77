package cmd_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
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

// TestReplayEndsTheSession has somebody else use the refresh token: a server that counts that as theft ends the session,
// and lukasa says so, once it has asked, without asking again.
func TestReplayEndsTheSession(t *testing.T) {
	t.Parallel()
	const ttl = 2 * time.Second
	a, _ := startOIDCProvider(t, "", ttl)
	g := newGate(t, newMachine(t), a)
	m := newMachine(t, withBrowser(t)...)
	m.loginInBrowser(a, g.URL, "--insecure-storage")
	m.ok("", "workspace", "create", "notes")
	agent := m.agent("--workspace", "notes")
	stolen := m.storedSecrets(t)[1]
	resp, err := http.PostForm(a.url+"/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {stolen}, "client_id": {"lukasa-cli"}})
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("using the token elsewhere: %v, %v", resp, err)
	}
	resp.Body.Close()
	time.Sleep(ttl)
	for range 2 {
		r := m.run("", "whoami")
		if r.code != 4 || !strings.Contains(r.stderr, "the session has ended") || !strings.Contains(r.stderr, "lukasa login --api "+g.URL) {
			t.Errorf("whoami: exit code %d: %s", r.code, r.stderr)
		}
	}
	var recalled api.Recall
	if err := agent.call(t.Context(), "recall_memory", map[string]any{"query": "anything"}, &recalled); err == nil || !strings.Contains(err.Error(), "lukasa login --api "+g.URL) {
		t.Errorf("the agent: %v", err)
	}
	if strings.Contains(m.everythingBelow(t, m.dir), stolen) {
		t.Error("the session that has ended is still there")
	}
	m.loginInBrowser(a, g.URL, "--insecure-storage")
	agent.recall("anything")
}
