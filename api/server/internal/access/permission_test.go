package access_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func TestCatalogue(t *testing.T) {
	want := []access.Permission{
		"memory:recall", "memory:remember", "memory:read", "memory:forget", "memory:export", "memory:import",
		"workspaces:create", "workspaces:read", "workspaces:delete", "keys:manage", "team:read", "team:manage",
		"roles:manage", "audit:read",
	}
	if diff := cmp.Diff(want, access.Permissions()); diff != "" {
		t.Errorf("the catalogue is fixed (-want +got):\n%s", diff)
	}
	for _, p := range want {
		if !p.Valid() {
			t.Errorf("%s is not valid", p)
		}
	}
	for _, p := range []access.Permission{"", "memory", "memory:*", "Memory:recall", "memory:recall ", "keys:manage\n"} {
		if p.Valid() {
			t.Errorf("%q is valid", p)
		}
	}
}

func TestManages(t *testing.T) {
	var got []access.Permission
	for _, p := range access.Permissions() {
		if p.Manages() {
			got = append(got, p)
		}
	}
	want := []access.Permission{access.KeysManage, access.TeamManage, access.RolesManage}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("permissions that manage (-want +got):\n%s", diff)
	}
}

func TestRoles(t *testing.T) {
	tests := []struct {
		role access.Role
		want []access.Permission
	}{
		{"root", access.Permissions()},
		{"admin", access.Permissions()},
		{"member", []access.Permission{
			"memory:recall", "memory:remember", "memory:read", "memory:forget", "memory:export", "workspaces:read",
			"team:read",
		}},
		{"reader", []access.Permission{"memory:recall", "memory:read", "workspaces:read"}},
		{"", nil},
		{"owner", nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, test.role.Permissions()); diff != "" {
			t.Errorf("role %q (-want +got):\n%s", test.role, diff)
		}
		if known := test.want != nil; test.role.Valid() != known {
			t.Errorf("role %q: Valid() is %v", test.role, !known)
		}
	}
	for _, role := range access.Roles() {
		for _, p := range role.Permissions() {
			if !slices.Contains(access.Permissions(), p) {
				t.Errorf("role %s holds %s, which is not in the catalogue", role, p)
			}
		}
	}
}
