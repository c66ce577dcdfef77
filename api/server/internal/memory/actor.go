package memory

import "context"

// Actor is who makes a change. A [Store] writes it into the audit log along with the change, in the same transaction.
type Actor struct {
	Kind      string // "user", "key", "local", or "system" when nobody is known
	ID        string // of the member or the API key
	Name      string // e-mail address of the member, or label of the key
	RequestID string
}

type actorKey struct{}

// WithActor returns a context whose changes are an actor's.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns who makes the changes of a context.
func ActorOf(ctx context.Context) Actor {
	if a, ok := ctx.Value(actorKey{}).(Actor); ok {
		return a
	}
	return Actor{Kind: "system"}
}

// The actions that the audit log has.
const (
	ActionKeyCreated        = "key.created"
	ActionKeyRevoked        = "key.revoked"
	ActionWorkspaceErased   = "workspace.erased"
	ActionPassageForgotten  = "passage.forgotten"
	ActionMemberJoined      = "member.joined"
	ActionMemberChanged     = "member.changed"
	ActionMemberRemoved     = "member.removed"
	ActionMemberPassword    = "member.password_set"
	ActionRootTransferred   = "root.transferred"
	ActionRoleCreated       = "role.created"
	ActionRoleChanged       = "role.changed"
	ActionRoleDeleted       = "role.deleted"
	ActionInvitationCreated = "invitation.created"
	ActionInvitationRevoked = "invitation.revoked"
	ActionSessionStarted    = "session.started"
	ActionSessionEnded      = "session.ended"
	ActionSessionReplayed   = "session.replayed" // a token was used again: somebody else may have it
	ActionDeviceDenied      = "device.denied"
	ActionAttemptsLocked    = "attempts.locked"
)

// Actions returns every action that the audit log has.
func Actions() []string {
	return []string{
		ActionKeyCreated, ActionKeyRevoked, ActionWorkspaceErased, ActionPassageForgotten, ActionMemberJoined,
		ActionMemberChanged, ActionMemberRemoved, ActionMemberPassword, ActionRootTransferred, ActionRoleCreated,
		ActionRoleChanged, ActionRoleDeleted, ActionInvitationCreated, ActionInvitationRevoked, ActionSessionStarted,
		ActionSessionEnded, ActionSessionReplayed, ActionDeviceDenied, ActionAttemptsLocked,
	}
}
