package access

import (
	"slices"
	"strings"
)

// Permission is one thing that a credential may do.
type Permission string

// The catalogue of permissions. It is fixed.
const (
	MemoryRecall     Permission = "memory:recall"     // ask for passages and the graph
	MemoryRemember   Permission = "memory:remember"   // submit and plan formations
	MemoryRead       Permission = "memory:read"       // lists, outcomes, provenance, graph
	MemoryForget     Permission = "memory:forget"     // erase a passage
	MemoryExport     Permission = "memory:export"     // take a whole workspace out
	MemoryImport     Permission = "memory:import"     // put a whole workspace in
	WorkspacesCreate Permission = "workspaces:create" // make a workspace
	WorkspacesRead   Permission = "workspaces:read"   // list workspaces and look at one
	WorkspacesDelete Permission = "workspaces:delete" // erase a workspace with everything in it
	KeysManage       Permission = "keys:manage"       // make, list and revoke API keys
	TeamRead         Permission = "team:read"         // see the members
	TeamManage       Permission = "team:manage"       // change the members
	RolesManage      Permission = "roles:manage"      // change the custom roles
	AuditRead        Permission = "audit:read"        // read the audit log
)

// Permissions returns the whole catalogue, in its order.
func Permissions() []Permission {
	return []Permission{
		MemoryRecall, MemoryRemember, MemoryRead, MemoryForget, MemoryExport, MemoryImport, WorkspacesCreate,
		WorkspacesRead, WorkspacesDelete, KeysManage, TeamRead, TeamManage, RolesManage, AuditRead,
	}
}

// Valid reports whether p is in the catalogue.
func (p Permission) Valid() bool { return slices.Contains(Permissions(), p) }

// Manages reports whether p changes the access of others. No key that was made over the network holds such a one.
func (p Permission) Manages() bool { return strings.HasSuffix(string(p), ":manage") }

// Role is a built-in role: a named set of permissions.
type Role string

// The built-in roles.
const (
	RoleRoot   Role = "root"   // everything
	RoleAdmin  Role = "admin"  // everything; unlike root, there may be many
	RoleMember Role = "member" // works with memory, but doesn't import
	RoleReader Role = "reader" // looks, and changes nothing
)

// Roles returns the built-in roles, the mightiest first.
func Roles() []Role { return []Role{RoleRoot, RoleAdmin, RoleMember, RoleReader} }

// ValidRoleName reports whether a custom role can be called name: 1–64 of a–z, 0–9, dash and underscore, with a letter
// at its beginning, and not as a built-in one is.
func ValidRoleName(name string) bool {
	const longest = 64
	if name == "" || len(name) > longest || name[0] < 'a' || name[0] > 'z' || Role(name).Valid() {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// Valid reports whether r is a built-in role.
func (r Role) Valid() bool { return slices.Contains(Roles(), r) }

// Permissions returns what r may do, in the catalogue's order; nothing for a role that isn't built in.
func (r Role) Permissions() []Permission {
	switch r {
	case RoleRoot, RoleAdmin:
		return Permissions()
	case RoleMember:
		return []Permission{
			MemoryRecall, MemoryRemember, MemoryRead, MemoryForget, MemoryExport, WorkspacesRead, TeamRead,
		}
	case RoleReader:
		return []Permission{MemoryRecall, MemoryRead, WorkspacesRead}
	}
	return nil
}
