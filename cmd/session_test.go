package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// signedInService is a `lukasa serve` with a workspace, and a machine that is not signed in yet.
func signedInService(t *testing.T) (*service, *machine) {
	t.Helper()
	server := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	s := server.serve(dsn, server.adminKey(dsn))
	newMachine(t, "LUKASA_API_KEY="+s.key).ok("", "workspace", "create", "notes", "--api", s.url)
	return s, newMachine(t, "DBUS_SESSION_BUS_ADDRESS=")
}

func (m *machine) loginWithKey(s *service) {
	m.t.Helper()
	m.ok(s.key+"\n", "login", "--with-api-key", "--insecure-storage", "--api", s.url)
}

// TestRunningAgentFollowsTheSession signs out and in again while an agent runs.
func TestRunningAgentFollowsTheSession(t *testing.T) {
	s, m := signedInService(t)
	m.loginWithKey(s)
	agent := m.agent("--workspace", "notes")
	agent.recall("anything")

	m.ok("", "logout")
	var r api.Recall
	err := agent.call(t.Context(), "recall_memory", map[string]any{"query": "anything"}, &r)
	if err == nil || !strings.Contains(err.Error(), "lukasa login --api "+s.url) {
		t.Fatalf("after the logout a call answers %v", err)
	}
	m.loginWithKey(s)
	agent.recall("anything")
}

func TestLoginWithAPIKey(t *testing.T) {
	s, m := signedInService(t)
	r := m.run("lukasa_sk_wrong", "login", "--with-api-key", "--insecure-storage", "--api", s.url)
	if r.code != 4 || !strings.Contains(r.stderr, "nothing was kept") {
		t.Errorf("with a wrong key: exit code %d: %s", r.code, r.stderr)
	}
	r = m.run(" \n", "login", "--with-api-key", "--insecure-storage", "--api", s.url)
	if r.code != 4 || !strings.Contains(r.stderr, "blank") {
		t.Errorf("with a blank key: exit code %d: %s", r.code, r.stderr)
	}
	if r := m.run("", "whoami", "--api", s.url); r.code != 4 {
		t.Errorf("whoami: exit code %d: %s", r.code, r.stderr)
	}
	m.loginWithKey(s)
	if who := okJSON[whoAmI](m, "", "whoami"); who.Credential != "key" || who.Store != "file" || who.Source != "lukasa login" || who.ExpiresAt != nil {
		t.Errorf("whoami: %+v", who)
	}
}

// TestSessionKeepsToItsEndpoint uses other spellings and other endpoints.
func TestSessionKeepsToItsEndpoint(t *testing.T) {
	s, m := signedInService(t)
	other, _ := signedInService(t)
	m.loginWithKey(s)
	port := s.url[strings.LastIndex(s.url, ":"):]
	for endpoint, code := range map[string]int{
		s.url: 0, s.url + "/": 0, strings.ToUpper(s.url[:4]) + s.url[4:]: 0,
		other.url: 4, "http://localhost" + port: 4, "http://127.0.0.1.localhost" + port: 4, s.url + "/x": 4,
	} {
		elsewhere := &machine{t: t, dir: m.dir, env: append(append([]string{}, m.env...), "LUKASA_API_URL="+endpoint)}
		if r := elsewhere.run("", "whoami"); r.code != code {
			t.Errorf("%s: exit code %d, want %d: %s", endpoint, r.code, code, r.stderr)
		}
	}
}

func TestVariablesGoBeforeTheSession(t *testing.T) {
	s, m := signedInService(t)
	m.loginWithKey(s)
	with := &machine{t: t, dir: m.dir, env: append(append([]string{}, m.env...), "LUKASA_API_KEY=lukasa_sk_wrong")}
	if r := with.run("", "whoami"); r.code != 4 {
		t.Errorf("a wrong key in the environment: exit code %d: %s", r.code, r.stderr)
	}
	if r := with.run("", "logout"); r.code != 0 || !strings.Contains(r.stderr, "LUKASA_API_KEY is set") {
		t.Errorf("logout: exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := m.run("", "logout"); r.code != 0 || !strings.Contains(r.stdout, "not signed in at") {
		t.Errorf("a second logout: exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

func TestLoginSetsTheDefaultEndpoint(t *testing.T) {
	s, m := signedInService(t)
	config := filepath.Join(m.dir, "config", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("# mine\nworkspace = \"notes\"\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	m.loginWithKey(s)
	want := "api = \"" + s.url + "\"\n# mine\nworkspace = \"notes\"\n"
	if got, err := os.ReadFile(config); err != nil || string(got) != want {
		t.Errorf("the file is %q, %v; want %q", got, err, want)
	}
	if info, err := os.Stat(config); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	m.ok("", "recall", "anything") // neither endpoint nor workspace is named
	other, _ := signedInService(t)
	r := m.run(other.key, "login", "--with-api-key", "--insecure-storage", "--api", other.url)
	if r.code != 0 || !strings.Contains(r.stderr, "the default endpoint stays "+s.url) {
		t.Errorf("login elsewhere: exit code %d: %s", r.code, r.stderr)
	}
}

func TestLoginRefuses(t *testing.T) {
	_, m := signedInService(t)
	for name, tt := range map[string]struct {
		args []string
		code int
		says string
	}{
		"local":            {[]string{"login"}, 2, "needs no sign-in"},
		"plain http":       {[]string{"login", "--api", "http://memory.example.com"}, 2, "not encrypted"},
		"no URL":           {[]string{"login", "--api", "memory.example.com"}, 2, "https://"},
		"two ways":         {[]string{"login", "--api", "https://memory.example.com", "--device", "--with-api-key"}, 2, "device"},
		"nothing there":    {[]string{"login", "--api", "http://127.0.0.1:1", "--insecure-storage"}, 1, "refused"},
		"logout of local":  {[]string{"logout"}, 2, "has no sign-in"},
		"password in URL":  {[]string{"login", "--api", "https://a:b@memory.example.com"}, 2, "user name"},
		"unsafe key input": {[]string{"login", "--api", "http://127.0.0.1:1", "--with-api-key", "--insecure-storage"}, 4, "blank"},
	} {
		t.Run(name, func(t *testing.T) {
			if r := m.run("", tt.args...); r.code != tt.code || !strings.Contains(r.stderr, tt.says) {
				t.Errorf("exit code %d: %s", r.code, r.stderr)
			}
		})
	}
}

// TestSpoiledSession has a file that was cut off, or that others may read: it says so, and a new login mends it.
func TestSpoiledSession(t *testing.T) {
	s, m := signedInService(t)
	m.loginWithKey(s)
	files, err := filepath.Glob(filepath.Join(m.dir, "data", "sessions", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.Truncate(files[0], 20); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"whoami"}, {"mcp", "--workspace", "notes"}} {
		r := m.run("", args...)
		if r.code != 4 || !strings.Contains(r.stderr, files[0]+": unusable credential: it is damaged") || !strings.Contains(r.stderr, "hint: run `lukasa login") {
			t.Errorf("lukasa %v: exit code %d: %s", args, r.code, r.stderr)
		}
	}
	m.loginWithKey(s)
	m.ok("", "whoami")
	if err := os.Chmod(files[0], 0o644); err != nil {
		t.Fatal(err)
	}
	if r := m.run("", "whoami"); r.code != 4 || !strings.Contains(r.stderr, "others may read") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	r := m.run(s.key+"\n", "login", "--with-api-key", "--insecure-storage", "--api", s.url)
	if r.code == 0 || !strings.Contains(r.stderr, "lukasa logout --api "+s.url) {
		t.Errorf("signing in over it: exit code %d: %s", r.code, r.stderr)
	}
	m.ok("", "logout")
	m.loginWithKey(s)
}

// TestLoginIsCancelled ends a login that waits for somebody, in each of its ways.
func TestLoginIsCancelled(t *testing.T) {
	a, _ := startOIDCProvider(t, "", time.Minute)
	broken := withBrowser(t)
	if err := os.WriteFile(filepath.Join(filepath.SplitList(strings.TrimPrefix(broken[3], "PATH="))[0], "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const page, code = `(?m)^  (http\S+response_type=code\S+)$`, `type the code (\S+) there`
	for name, tt := range map[string]struct {
		env  []string
		args []string
		says string
	}{
		"browser":                  {withBrowser(t), nil, page},
		"device":                   {withBrowser(t), []string{"--device"}, code},
		"over SSH":                 {append(withBrowser(t), "SSH_CONNECTION=x"), nil, code},
		"without a display":        {[]string{"DISPLAY=", "WAYLAND_DISPLAY="}, nil, code},
		"browser that won't start": {broken, nil, code},
	} {
		w := newMachine(t, tt.env...).start(append([]string{"login", "--insecure-storage", "--api", a.url}, tt.args...)...)
		w.says(t, tt.says)
		if err := w.c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		select {
		case <-w.done:
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: it goes on", name)
		}
		if !strings.Contains(w.stderr.String(), "error: interrupted") || w.c.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: exit code %d: %s", name, w.c.ProcessState.ExitCode(), w.stderr.String())
		}
	}
}
