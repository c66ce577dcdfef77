package access_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func principal(t *testing.T, role access.Role, selectors ...string) access.Principal {
	t.Helper()
	p := access.Principal{Kind: access.KindKey, Role: role, Permissions: role.Permissions()}
	for _, s := range selectors {
		p.Selectors = append(p.Selectors, parse(t, s))
	}
	return p
}

func TestAllows(t *testing.T) {
	tests := []struct {
		name       string
		who        access.Principal
		permission access.Permission
		workspace  string
		want       bool
	}{
		{"a member remembers", principal(t, "member", "team.*"), "memory:remember", "team.app", true},
		{"outside the selector", principal(t, "member", "team.*"), "memory:remember", "demo", false},
		{"a reader doesn't remember", principal(t, "reader", "*"), "memory:remember", "demo", false},
		{"one of several selectors", principal(t, "reader", "a", "b"), "memory:recall", "b", true},
		{"no selector reaches nothing", principal(t, "admin"), "memory:recall", "demo", false},
		{"nobody may do anything", access.Principal{}, "memory:recall", "demo", false},
		{"local may do everything", access.Local(), "roles:manage", "demo", true},
		{"not even local reaches what can't be", access.Local(), "memory:recall", "..", false},
	}
	for _, test := range tests {
		if got := test.who.Allows(test.permission, test.workspace); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestRequire(t *testing.T) {
	reader := principal(t, "reader", "team.*")
	if err := reader.Require(access.MemoryRecall); err != nil {
		t.Error(err)
	}
	if err := reader.Require(""); err != nil {
		t.Errorf("no permission is asked for: %v", err)
	}
	wantDenied(t, reader.Require(access.MemoryForget), "memory:forget")
	if err := reader.RequireReach("team.app"); err != nil {
		t.Error(err)
	}
	wantDenied(t, reader.RequireReach("demo"), `"demo"`)
	wantDenied(t, reader.RequireReach("../x"), `"../x"`)
	if err := principal(t, "reader", "*").RequireReach("../x"); err != nil {
		t.Errorf("whoever reaches everything is told that a workspace isn't there: %v", err)
	}
}

func wantDenied(t *testing.T, err error, names string) {
	t.Helper()
	var denied *access.Denied
	if !errors.As(err, &denied) {
		t.Errorf("error %v, want a refusal that names %s", err, names)
	} else if !strings.Contains(denied.Error(), names) {
		t.Errorf("the refusal %q doesn't name %s", denied, names)
	}
}

func TestRequireGrant(t *testing.T) {
	manager := principal(t, "admin", "team.*")
	member := principal(t, "member", "team.*")
	tests := []struct {
		name        string
		maker       access.Principal
		permissions []access.Permission
		selector    string
		refused     string // what the refusal names; "" when it is granted
	}{
		{"less", manager, access.RoleReader.Permissions(), "team.app", ""},
		{"the same reach", manager, access.RoleMember.Permissions(), "team.*", ""},
		{"more reach", manager, access.RoleReader.Permissions(), "*", "team.*"},
		{"the prefix itself", manager, access.RoleReader.Permissions(), "team", "selector team"},
		{"a permission to manage, over the network", manager, []access.Permission{"keys:manage"}, "team.*", "keys:manage"},
		{"a permission that the maker lacks", member, []access.Permission{"memory:import"}, "team.*", "memory:import"},
		{"anything, at the machine", access.Local(), access.RoleRoot.Permissions(), "*", ""},
	}
	for _, test := range tests {
		err := test.maker.RequireGrant(test.permissions, []access.Selector{parse(t, test.selector)})
		if test.refused == "" && err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if test.refused != "" {
			wantDenied(t, err, test.refused)
		}
	}
	none := principal(t, "admin")
	wantDenied(t, none.RequireGrant(nil, []access.Selector{parse(t, "a")}), "none")
}

func TestContains(t *testing.T) {
	manager := principal(t, "admin", "team.*")
	member := principal(t, "member", "team.app")
	if !manager.Contains(member.Permissions, member.Selectors) {
		t.Error("an administrator of team.* doesn't contain a member of team.app")
	}
	if member.Contains(manager.Permissions, member.Selectors) || manager.Contains(nil, []access.Selector{access.Everything()}) {
		t.Error("somebody contains who may do more")
	}
}
