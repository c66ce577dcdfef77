package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

// TestTeam manages a team from the command line, from an empty store on.
func TestTeam(t *testing.T) {
	m := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	key := m.adminKey(dsn)
	s := m.serve(dsn, key)
	m.env = append(m.env, "LUKASA_API_URL="+s.url, "LUKASA_API_KEY="+key)

	role := okJSON[api.Role](m, "", "team", "roles", "create", "looker", "--permissions", "memory:read,memory:recall")
	if role.Name != "looker" || len(role.Permissions) != 2 {
		t.Errorf("created %+v", role)
	}
	link := strings.TrimSpace(m.ok("", "team", "invite", "Bo@example.com", "--role", "looker", "--workspaces", "team.*"))
	if !strings.HasPrefix(link, s.url+"/oauth/invitation?token=lukasa_iv_") {
		t.Fatalf("the link is %q", link)
	}
	page, err := newPerson(t, map[string]string{
		"name": "Bo", "password": "correct horse battery", "again": "correct horse battery",
	}).visit(t.Context(), link)
	if err != nil || !strings.Contains(page, "You are signed in") {
		t.Fatalf("joining: %v: %s", err, page)
	}
	if out := m.ok("", "team", "members"); !strings.Contains(out, "bo@example.com") || !strings.Contains(out, "looker") {
		t.Errorf("members:\n%s", out)
	}
	changed := okJSON[api.Member](m, "", "team", "members", "set", "BO@example.com", "--role", "reader", "--workspaces", "a,b")
	if changed.Role != "reader" || len(changed.Selectors) != 2 {
		t.Errorf("changed to %+v", changed)
	}
	if got := okJSON[api.Role](m, "", "team", "roles", "set", "looker", "--permissions", "memory:read"); len(got.Permissions) != 1 {
		t.Errorf("the role is %+v", got)
	}
	m.ok("", "team", "roles", "delete", "looker")
	made := okJSON[api.NewInvitation](m, "", "team", "invite", "cy@example.com", "--role", "member", "--workspaces", "*", "--expires-in", "1h")
	if out := m.ok("", "team", "invitations", "revoke", made.ID); !strings.Contains(out, "is revoked") {
		t.Errorf("revoked: %s", out)
	}
	list := m.ok("", "team", "invitations")
	if !strings.Contains(list, "accepted") || !strings.Contains(list, "revoked") || strings.Contains(list, "lukasa_iv_") {
		t.Errorf("invitations:\n%s", list)
	}
	page, err = newPerson(t, map[string]string{
		"password": "another battery staple", "again": "another battery staple",
	}).visit(t.Context(), strings.TrimSpace(m.ok("", "team", "members", "reset", "bo@example.com")))
	if err != nil || !strings.Contains(page, "You are signed in") {
		t.Fatalf("choosing a new password: %v: %s", err, page)
	}
	m.ok("", "team", "members", "remove", "bo@example.com", "--yes")
	log := okJSON[api.AuditPage](m, "", "team", "audit", "--limit", "3")
	if len(log.Entries) != 3 || log.Entries[0].Action != "member.removed" || log.Entries[0].Actor.Kind != "key" {
		t.Errorf("the log is %+v", log)
	}
	if out := m.ok("", "team", "roles"); strings.Contains(out, "looker") || !strings.Contains(out, "built in") {
		t.Errorf("roles:\n%s", out)
	}
}

func TestTeamRefuses(t *testing.T) {
	m := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	key := m.adminKey(dsn)
	s := m.serve(dsn, key)
	m.env = append(m.env, "LUKASA_API_URL="+s.url, "LUKASA_API_KEY="+key)
	for words, want := range map[string]struct {
		code   int
		stderr string
	}{
		"team invite x@example.com --workspaces *":                  {2, "no role is named"},
		"team invite x@example.com --role member":                   {2, "reach no workspace"},
		"team invite x@example.com --role emperor --workspaces *":   {1, "not a role"},
		"team invite nobody --role member --workspaces *":           {1, "not an e-mail address"},
		"team members remove x@example.com":                         {2, "lukasa team members remove x@example.com --yes"},
		"team members remove x@example.com --yes":                   {1, "see them with `lukasa team members`"},
		"team members set x@example.com --role root --workspaces *": {2, "takes it from you"},
		"team roles create looker":                                  {2, "has no permissions"},
		"team roles set absent --permissions memory:read":           {1, "create it with `lukasa team roles create`"},
		"team roles create reader --permissions memory:read":        {1, "name can't be"},
		"team invitations revoke iv_absent":                         {1, "see their ids with `lukasa team invitations`"},
		"team audit --limit 0":                                      {2, "shows nothing"},
	} {
		if r := m.run("", strings.Fields(words)...); r.code != want.code || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("lukasa %s: exit code %d\n%swant %d and %q", words, r.code, r.stderr, want.code, want.stderr)
		}
	}
	local := newMachine(t)
	if r := local.run("", "team", "invite", "x@example.com", "--role", "member", "--workspaces", "*"); r.code != 1 || !strings.Contains(r.stderr, "is not served") {
		t.Errorf("inviting to the memory of this machine: exit code %d, %s", r.code, r.stderr)
	}
	weak := newMachine(t, "LUKASA_API_URL="+s.url, "LUKASA_API_KEY="+strings.TrimSpace(
		m.ok("", "key", "create", "--store", dsn, "--label", "weak", "--role", "reader", "--workspaces", "*")))
	if r := weak.run("", "team", "members"); r.code != 4 || !strings.Contains(r.stderr, "team:read") {
		t.Errorf("a reader: exit code %d, %s", r.code, r.stderr)
	}
}

// TestServeSetup refuses to sign people in where a password would travel in the clear.
func TestServeSetup(t *testing.T) {
	m := newMachine(t)
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "memory.db")
	if r := m.run("", "serve", "--listen", "127.0.0.1:0", "--store", dsn, "--public-url", "http://memory.example.com"); r.code != 1 || !strings.Contains(r.stderr, "https://") {
		t.Errorf("a public URL without TLS: exit code %d, %s", r.code, r.stderr)
	}
	a, _ := startOwn(t, "", 0)
	joined(t, a)
	if r := m.run("", "whoami", "--api", a.url); r.code != 4 {
		t.Errorf("whoami without a credential: exit code %d, %s", r.code, r.stderr)
	}
}
