package cmd_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSecretsStayWhereTheyBelong plays signing in, using, renewing and signing out with everything logged, and looks for
// the secrets in all that was written and shown meanwhile.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	t.Parallel()
	const ttl = 2 * time.Second
	a, _ := startOwn(t, "", ttl)
	joined(t, a)
	const key = "lukasa_sk_hush-hush"
	m := newMachine(t, withBrowser(t)...)
	tattle := filepath.Join(t.TempDir(), "browser") // what the browser sees of its surroundings
	script := "#!/bin/sh\n{ env; tr '\\0' '\\n' < /proc/$PPID/cmdline; echo \"$@\"; } > " + tattle + "\nexit 0\n"
	for _, pair := range m.env {
		if path, ok := strings.CutPrefix(pair, "PATH="); ok {
			if err := os.WriteFile(filepath.Join(filepath.SplitList(path)[0], "xdg-open"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	var seen bytes.Buffer // everything that was written
	m.env = append(m.env, "LUKASA_API_KEY="+key)
	w := m.loginInBrowser(a, a.url, "--insecure-storage", "--log-level", "debug")
	seen.WriteString(w.stdout.String() + w.stderr.String())
	m.env = m.env[:len(m.env)-1]

	secrets := []string{key, a.typed["password"]}
	secrets = append(secrets, m.storedSecrets(t)...)
	note := func(r result) { seen.WriteString(r.stdout + r.stderr) }
	note(m.run("", "whoami", "--log-level", "debug"))
	note(m.run("", "workspace", "create", "notes", "--log-level", "debug", "-o", "json"))
	time.Sleep(ttl)
	note(m.run("", "mcp", "--workspace", "notes", "--log-level", "debug"))
	secrets = append(secrets, m.storedSecrets(t)...)
	if len(secrets) != 6 || secrets[2] == secrets[4] {
		t.Fatalf("there are %d secrets", len(secrets))
	}
	note(m.run("", "mcp", "--workspace", "absent", "--log-level", "debug"))
	note(m.run(key, "login", "--with-api-key", "--api", a.url, "--insecure-storage", "--log-level", "debug"))
	sessions := m.everythingBelow(t, filepath.Join(m.dir, "data", "sessions"))
	note(m.run("", "logout", "--log-level", "debug"))
	seen.WriteString(m.everythingBelow(t, m.dir)) // nothing may be left after signing out
	shown, err := os.ReadFile(tattle)
	if err != nil {
		t.Fatal(err)
	}
	seen.Write(shown)

	for i, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret)} {
			if at := strings.Index(seen.String(), form); at >= 0 {
				t.Errorf("secret %d is shown: …%s", i, seen.String()[max(0, at-100):at])
			}
		}
	}
	if !strings.Contains(sessions, secrets[4]) || !strings.Contains(seen.String(), a.url) || !strings.Contains(string(shown), "code_challenge=") {
		t.Error("the test looked at the wrong things")
	}
}

// storedSecrets are the tokens in the file of the only session.
func (m *machine) storedSecrets(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, "data", "sessions", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the session files: %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Secrets struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		} `json:"secrets"`
	}
	if err := json.Unmarshal(data, &e); err != nil || e.Secrets.Access == "" || e.Secrets.Refresh == "" {
		t.Fatalf("the session file: %v: %s", err, data)
	}
	return []string{e.Secrets.Access, e.Secrets.Refresh}
}

// everythingBelow reads all files below a folder.
func (m *machine) everythingBelow(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
