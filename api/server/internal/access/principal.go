package access

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says what sort of credential a principal came with.
type Kind string

// The kinds of principal.
const (
	KindKey   Kind = "key"   // an API key
	KindUser  Kind = "user"  // a person who signed in
	KindLocal Kind = "local" // this process: the operating system's user is the identity
)

// Principal is who makes a request, and what it may do.
type Principal struct {
	Kind        Kind
	Key         string // the API key's id
	Label       string // the API key's label
	User        string // the member's id
	Email       string // the member's e-mail address
	Session     string // the id of the sign-in that the access token came of
	Role        Role   // the role it was made with or that the member has, built-in or custom
	Permissions []Permission
	Selectors   []Selector
	ExpiresAt   *time.Time
}

// Local is the principal of calls within the process: it may do everything everywhere.
func Local() Principal {
	return Principal{Kind: KindLocal, Permissions: Permissions(), Selectors: []Selector{Everything()}}
}

// Denied says why a principal may not do something: exactly one of its fields is set.
type Denied struct {
	Permission Permission // the permission that is missing
	Workspace  string     // the workspace that no selector covers
	Reason     string     // any other rule, as a sentence without a full stop
}

func (d *Denied) Error() string {
	switch {
	case d.Permission != "":
		return fmt.Sprintf("the credential lacks the permission %s", d.Permission)
	case d.Reason != "":
		return d.Reason
	}
	return fmt.Sprintf("no selector of the credential covers the workspace %.140q", d.Workspace)
}

// Holds reports whether p has a permission, wherever it reaches.
func (p Principal) Holds(permission Permission) bool {
	return slices.Contains(p.Permissions, permission)
}

// Reaches reports whether one of p's selectors covers the workspace called name. Whether it exists plays no part.
func (p Principal) Reaches(name string) bool {
	return slices.ContainsFunc(p.Selectors, func(s Selector) bool { return s.Covers(name) })
}

// Allows reports whether p may do what permission says in a workspace.
func (p Principal) Allows(permission Permission, workspace string) bool {
	return p.Holds(permission) && p.Reaches(workspace)
}

// Require returns a *[Denied] unless p has the permission; "" asks for none.
func (p Principal) Require(permission Permission) error {
	if permission != "" && !p.Holds(permission) {
		return &Denied{Permission: permission}
	}
	return nil
}

// RequireReach returns a *[Denied] unless p reaches the workspace. A name that no workspace can have passes when p
// reaches everything, so that the caller can say that there is no such workspace.
func (p Principal) RequireReach(workspace string) error {
	if p.Reaches(workspace) || slices.Contains(p.Selectors, Everything()) {
		return nil
	}
	return &Denied{Workspace: workspace}
}

// RequireGrant returns a *[Denied] unless p may make a key with these permissions and selectors: nobody grants more
// than they hold, and only the operator, at the machine, grants what manages the access of others.
func (p Principal) RequireGrant(permissions []Permission, selectors []Selector) error {
	for _, permission := range permissions {
		if permission.Manages() && p.Kind != KindLocal {
			return &Denied{Reason: fmt.Sprintf(
				"a key made over the network can't hold %s: make it on the machine that has the store", permission)}
		}
	}
	return p.RequireAll(permissions, selectors)
}

// RequireAll returns a *[Denied] unless p holds every one of these permissions and reaches whatever these selectors
// reach: nobody gives others, or takes from them, more than they have themselves.
func (p Principal) RequireAll(permissions []Permission, selectors []Selector) error {
	for _, permission := range permissions {
		if !p.Holds(permission) {
			return &Denied{Permission: permission}
		}
	}
	for _, s := range selectors {
		if !p.includes(s) {
			return &Denied{Reason: fmt.Sprintf(
				"the credential can't grant the selector %s: its own are %s", s, selectorNames(p.Selectors))}
		}
	}
	return nil
}

// Contains reports whether p holds every one of these permissions and reaches whatever these selectors reach.
func (p Principal) Contains(permissions []Permission, selectors []Selector) bool {
	for _, permission := range permissions {
		if !p.Holds(permission) {
			return false
		}
	}
	for _, s := range selectors {
		if !p.includes(s) {
			return false
		}
	}
	return true
}

// PassesRoot reports whether p may give the role root to a member: whoever has it may, and the operator of the store, who
// alone can make keys of that role.
func (p Principal) PassesRoot() bool { return p.Kind == KindLocal || p.Role == RoleRoot }

func (p Principal) includes(s Selector) bool {
	return slices.ContainsFunc(p.Selectors, func(own Selector) bool { return own.Includes(s) })
}

func selectorNames(selectors []Selector) string {
	if len(selectors) == 0 {
		return "none"
	}
	names := make([]string, len(selectors))
	for i, s := range selectors {
		names[i] = s.String()
	}
	return strings.Join(names, ", ")
}
