package cmd_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// startOwn serves a fresh memory with `lukasa serve --setup`, whose first administrator has joined. front is the address
// it is reached at when there is a proxy before it.
func startOwn(t *testing.T, front string, ttl time.Duration) (a *authority, direct string) {
	t.Helper()
	m := newMachine(t)
	args := []string{
		"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "memory.db"), "--setup",
		"--access-token-life", ttl.String(),
	}
	if front != "" {
		args = append(args, "--public-url", front)
	}
	c := m.command(args...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log safeBuffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(c) })
	link, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("lukasa serve --setup printed no link: %v: %s", err, log.String())
	}
	direct = said(t, &log, `listening on (http://\S+)`)
	a = &authority{url: direct, typed: map[string]string{
		"email": "ada@example.com", "name": "Ada", "password": "correct horse battery", "again": "correct horse battery",
	}}
	if front != "" {
		a.url = front
	}
	a.join = strings.TrimSpace(link)
	return a, direct
}

func end(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// said waits until a log matches.
func said(t *testing.T, log *safeBuffer, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := re.FindStringSubmatch(log.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("it never said %s: %s", pattern, log.String())
	return ""
}

// joined follows the link for the first administrator.
func joined(t *testing.T, a *authority) {
	t.Helper()
	page, err := newPerson(t, a.typed).visit(t.Context(), a.join)
	if err != nil || !strings.Contains(page, "You are signed in") {
		t.Fatalf("joining: %v: %s", err, page)
	}
}

// TestSignInAtOwnServer goes from nothing to a session with `lukasa serve --setup` alone.
func TestSignInAtOwnServer(t *testing.T) {
	t.Parallel()
	const ttl = 3 * time.Second
	a, _ := startOwn(t, "", ttl)
	joined(t, a)
	testSignIn(t, a, a.url, ttl)
}

// TestRunningAgentTakesANewLogin signs out, where the server ends the session as well, and in again while an agent runs.
func TestRunningAgentTakesANewLogin(t *testing.T) {
	a, _ := startOwn(t, "", time.Minute)
	joined(t, a)
	m := newMachine(t, withBrowser(t)...)
	m.loginInBrowser(a, a.url, "--insecure-storage")
	m.ok("", "workspace", "create", "notes")
	agent := m.agent("--workspace", "notes")
	handle := agent.remember("I moved to Utrecht.").Handle

	if out := m.ok("", "logout"); !strings.Contains(out, "signed out of "+a.url+"\n") {
		t.Errorf("logout: %s", out)
	}
	var o toolOutcome
	err := agent.call(t.Context(), "formation_outcome", map[string]any{"handle": handle}, &o)
	if err == nil || !strings.Contains(err.Error(), "lukasa login --api "+a.url) {
		t.Fatalf("after the logout a call answers %v, %v", o, err)
	}
	m.loginOnDevice(a, a.url, "--insecure-storage")
	if o := agent.outcome(handle); o.Status != "finished" {
		t.Errorf("after the new login: %+v", o)
	}
}

// TestRenewalRaceAtOwnServer loses replies as well: a renewal may be repeated for a minute.
func TestRenewalRaceAtOwnServer(t *testing.T) {
	ttl, _ := raceLife()
	way := newBadWay(t, ttl/2)
	way.replies = true
	a, direct := startOwn(t, way.URL, ttl)
	way.leadTo(direct)
	joined(t, a)
	testRace(t, way, a, way.URL)
	if way.unheard.Load() == 0 {
		t.Error("no reply was lost")
	}
}
