package memory

import (
	"context"
	"errors"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// ErrInUse is of a role that members or invitations have.
var ErrInUse = errors.New("in use")

// RootRole is the role that exactly one member has, once there are members.
const RootRole = "root"

// FormerRootRole is what the former root is after a transfer.
const FormerRootRole = "admin"

// User is a member with what only the server knows of them.
type User struct {
	api.Member
	PasswordHash string // "" when they have no password
	// RolePermissions are the permissions of a custom role, as it is now; nil for a built-in one.
	RolePermissions []string
}

// Invitation is an invitation as it is stored: never the token, only its SHA-256.
type Invitation struct {
	api.Invitation
	Hash [32]byte
	// MemberID is who is to choose a new password, for an invitation with Reset; "" for somebody who is to join.
	MemberID string
}

// TeamStore keeps members, custom roles and invitations. A check is called within the transaction of a change, with
// what is there then; its error ends the change and is returned as it is.
type TeamStore interface {
	User(ctx context.Context, id string) (User, error)
	// UserByEmail finds a member by their e-mail address, which is compared as it is: callers fold its case.
	UserByEmail(ctx context.Context, email string) (User, error)
	// Members lists in the order in which they joined.
	Members(ctx context.Context, page Page) (list []api.Member, next string, err error)
	// ChangeMember gives a member another role and other selectors. Giving [RootRole] takes it from whoever has it, who
	// becomes an admin in the same transaction. It ends nobody's sessions: what members may do is read live.
	// Open links with which the member chooses a new password end.
	ChangeMember(ctx context.Context, id, role string, selectors []string, check func(User) error, now time.Time) (api.Member, error)
	// SetPassword replaces a member's password and ends all their sessions and sign-ins.
	SetPassword(ctx context.Context, id, passwordHash string, now time.Time) error
	// RemoveMember erases a member with all their sessions and sign-ins, and ends the open invitations that they made.
	RemoveMember(ctx context.Context, id string, check func(User) error, now time.Time) (api.Member, error)
	// HasRoot reports whether a member has [RootRole].
	HasRoot(ctx context.Context) (bool, error)

	// Roles lists the custom roles by name.
	Roles(ctx context.Context) ([]api.Role, error)
	// CreateRole returns an error that wraps [ErrExists] when the name is taken.
	CreateRole(ctx context.Context, r api.Role) error
	ChangeRole(ctx context.Context, name string, permissions []string, check func(api.Role) error, now time.Time) (api.Role, error)
	// DeleteRole returns an error that wraps [ErrInUse] while a member or an open invitation has the role.
	DeleteRole(ctx context.Context, name string, check func(api.Role) error, now time.Time) error

	// CreateInvitation stores an invitation and revokes open ones to the same address. It returns an error that wraps
	// [ErrExists] when the address is a member's already, and one that wraps [ErrNotFound] when its custom role is gone.
	CreateInvitation(ctx context.Context, i Invitation) error
	// InvitationByHash returns the invitation with this digest, used and revoked ones too: the caller decides.
	InvitationByHash(ctx context.Context, hash [32]byte) (Invitation, error)
	// Invitations lists newest first.
	Invitations(ctx context.Context, page Page) (list []api.Invitation, next string, err error)
	RevokeInvitation(ctx context.Context, id string, check func(api.Invitation) error, now time.Time) (api.Invitation, error)
	// AcceptInvitation gives the member of an invitation with Reset the password's hash of u, as SetPassword does. Any other
	// makes the member that an invitation is for, who takes its role, its selectors, and its address unless that is empty. Of u, the
	// id, the name and the password's hash count. It returns an error that wraps [ErrNotFound] when the invitation is no
	// longer open, and one that wraps [ErrExists] when there is such a member, or a root for a root's invitation.
	AcceptInvitation(ctx context.Context, hash [32]byte, u User, now time.Time) (User, error)

	// Audit lists the audit log, newest first.
	Audit(ctx context.Context, page Page) (list []api.AuditEntry, next string, err error)
}
