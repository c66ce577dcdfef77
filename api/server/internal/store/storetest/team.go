package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func digest(s string) [32]byte { return sha256.Sum256([]byte(s)) }

// invite stores an open invitation whose secret is its id.
func (f *fixture) invite(t *testing.T, id, email, role string, selectors ...string) memory.Invitation {
	t.Helper()
	at := f.tick()
	i := memory.Invitation{Hash: digest(id), Invitation: api.Invitation{
		ID: id, Email: email, Role: role, Selectors: append([]string{}, selectors...), InvitedBy: "ana", CreatedAt: at,
		ExpiresAt: at.Add(time.Hour),
	}}
	wantErr(t, "inviting "+email, f.CreateInvitation(t.Context(), i), nil)
	return i
}

// join makes a member whose id is their name.
func (f *fixture) join(t *testing.T, name, role string, selectors ...string) memory.User {
	t.Helper()
	i := f.invite(t, "iv_"+name, name+"@example.com", role, selectors...)
	u, err := f.AcceptInvitation(t.Context(), i.Hash, memory.User{
		Member: api.Member{ID: name, Name: name, Email: "ignored"}, PasswordHash: "hash of " + name,
	}, f.tick())
	wantErr(t, "joining as "+name, err, nil)
	return u
}

func agree[T any](T) error { return nil }

func testMembers(t *testing.T, f *fixture) {
	ctx := t.Context()
	var want []api.Member
	for i := range 5 {
		name := fmt.Sprintf("m%d", i)
		u := f.join(t, name, "member", "team.*", "a")
		wantEqual(t, "joined", u, memory.User{PasswordHash: "hash of " + name, Member: api.Member{
			ID: name, Email: name + "@example.com", Name: name, Role: "member", Selectors: []string{"team.*", "a"}, JoinedAt: f.now,
		}})
		want = append(want, u.Member)
		for what, found := range map[string]func() (memory.User, error){
			"by id":      func() (memory.User, error) { return f.User(ctx, name) },
			"by address": func() (memory.User, error) { return f.UserByEmail(ctx, u.Email) },
		} {
			got, err := found()
			wantErr(t, what, err, nil)
			wantEqual(t, what, got, u)
		}
	}
	for _, size := range []int{1, 2, 5, 9} {
		got := allPages(t, size, func(p memory.Page) ([]api.Member, string, error) { return f.Members(ctx, p) })
		wantEqual(t, fmt.Sprintf("in pages of %d", size), got, want)
	}
	no := errors.New("no")
	refuse := func(u memory.User) error { wantEqual(t, "checked", u.ID, "m1"); return no }
	wantErr(t, "a refused change", second(f.ChangeMember(ctx, "m1", "reader", nil, refuse, f.tick())), no)
	wantErr(t, "a refused removal", second(f.RemoveMember(ctx, "m1", refuse, f.tick())), no)
	wantErr(t, "a role that isn't there", second(f.ChangeMember(ctx, "m1", "none", nil, agree[memory.User], f.now)), memory.ErrNotFound)
	got, err := f.User(ctx, "m1")
	wantErr(t, "reading", err, nil)
	wantEqual(t, "after refusals", got.Member, want[1])
	changed, err := f.ChangeMember(ctx, "m1", "reader", nil, agree[memory.User], f.tick())
	wantErr(t, "changing", err, nil)
	want[1].Role, want[1].Selectors = "reader", []string{}
	wantEqual(t, "changed", changed, want[1])
	gone, err := f.RemoveMember(ctx, "m1", agree[memory.User], f.tick())
	wantErr(t, "removing", err, nil)
	wantEqual(t, "removed", gone, want[1])
	wantErr(t, "reading a removed one", second(f.User(ctx, "m1")), memory.ErrNotFound)
	wantErr(t, "removing again", second(f.RemoveMember(ctx, "m1", agree[memory.User], f.now)), memory.ErrNotFound)
	wantErr(t, "changing an unknown one", second(f.ChangeMember(ctx, "m1", "reader", nil, agree[memory.User], f.now)), memory.ErrNotFound)
	wantErr(t, "an unknown address", second(f.UserByEmail(ctx, "m1@example.com")), memory.ErrNotFound)
}

// testRoot wants one root at most, and the role passed on as a whole.
func testRoot(t *testing.T, f *fixture) {
	ctx := t.Context()
	has := func(want bool) {
		t.Helper()
		got, err := f.HasRoot(ctx)
		wantErr(t, "asking for root", err, nil)
		wantEqual(t, "there is a root", got, want)
	}
	has(false)
	f.join(t, "ana", "root", "*")
	has(true)
	f.join(t, "bo", "member")
	i := f.invite(t, "iv_second", "cy@example.com", "root", "*")
	_, err := f.AcceptInvitation(ctx, i.Hash, memory.User{Member: api.Member{ID: "cy"}}, f.tick())
	wantErr(t, "a second root", err, memory.ErrExists)
	_, err = f.ChangeMember(ctx, "bo", "root", []string{"*"}, agree[memory.User], f.tick())
	wantErr(t, "passing it on", err, nil)
	roles := map[string]string{}
	for _, id := range []string{"ana", "bo"} {
		u, err := f.User(ctx, id)
		wantErr(t, "reading", err, nil)
		roles[id] = u.Role
	}
	wantEqual(t, "roles", roles, map[string]string{"ana": "admin", "bo": "root"})
	_, err = f.ChangeMember(ctx, "bo", "root", []string{"*"}, agree[memory.User], f.tick())
	wantErr(t, "to who has it", err, nil)
	has(true)
}

func testRoles(t *testing.T, f *fixture) {
	ctx := t.Context()
	role := func(name string, permissions ...string) api.Role {
		return api.Role{Name: name, Permissions: permissions, CreatedAt: ptr(f.tick())}
	}
	writer, looker := role("writer", "memory:remember"), role("looker", "memory:read")
	wantErr(t, "creating", f.CreateRole(ctx, writer), nil)
	wantErr(t, "creating", f.CreateRole(ctx, looker), nil)
	wantErr(t, "creating again", f.CreateRole(ctx, looker), memory.ErrExists)
	list, err := f.Roles(ctx)
	wantErr(t, "listing", err, nil)
	wantEqual(t, "by name", list, []api.Role{looker, writer})

	u := f.join(t, "ana", "writer")
	wantEqual(t, "permissions of a custom role", u.RolePermissions, []string{"memory:remember"})
	no := errors.New("no")
	refuse := func(r api.Role) error { wantEqual(t, "checked", r, writer); return no }
	wantErr(t, "a refused change", second(f.ChangeRole(ctx, "writer", nil, refuse, f.tick())), no)
	wantErr(t, "a refused deletion", f.DeleteRole(ctx, "writer", refuse, f.tick()), no)
	changed, err := f.ChangeRole(ctx, "writer", []string{"memory:recall"}, agree[api.Role], f.tick())
	wantErr(t, "changing", err, nil)
	wantEqual(t, "changed", changed.Permissions, []string{"memory:recall"})
	u, err = f.User(ctx, "ana")
	wantErr(t, "reading", err, nil)
	wantEqual(t, "read live", u.RolePermissions, []string{"memory:recall"})

	wantErr(t, "deleting one in use", f.DeleteRole(ctx, "writer", agree[api.Role], f.tick()), memory.ErrInUse)
	i := f.invite(t, "iv_bo", "bo@example.com", "looker")
	wantErr(t, "deleting one that somebody is invited to", f.DeleteRole(ctx, "looker", agree[api.Role], f.tick()), memory.ErrInUse)
	wantErr(t, "deleting it later", f.DeleteRole(ctx, "looker", agree[api.Role], i.ExpiresAt), nil)
	wantErr(t, "deleting again", f.DeleteRole(ctx, "looker", agree[api.Role], f.now), memory.ErrNotFound)
	wantErr(t, "changing an unknown one", second(f.ChangeRole(ctx, "looker", nil, agree[api.Role], f.now)), memory.ErrNotFound)
	wantErr(t, "inviting to an unknown one", f.CreateInvitation(ctx, memory.Invitation{Invitation: api.Invitation{
		ID: "iv_x", Email: "x@example.com", Role: "looker", CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour),
	}}), memory.ErrNotFound)
}

func testInvitations(t *testing.T, f *fixture) {
	ctx := t.Context()
	first := f.invite(t, "iv_1", "ana@example.com", "reader", "a")
	again := f.invite(t, "iv_2", "ana@example.com", "member", "b")
	first.RevokedAt = &again.CreatedAt
	got, err := f.InvitationByHash(ctx, first.Hash)
	wantErr(t, "reading an earlier one", err, nil)
	wantEqual(t, "the earlier one to that address has ended", got, first)
	wantErr(t, "an unknown one", second(f.InvitationByHash(ctx, digest("x"))), memory.ErrNotFound)
	accept := func(i memory.Invitation, id string, at time.Time) error {
		_, err := f.AcceptInvitation(ctx, i.Hash, memory.User{Member: api.Member{ID: id}}, at)
		return err
	}
	wantErr(t, "accepting a revoked one", accept(first, "u1", f.tick()), memory.ErrNotFound)
	wantErr(t, "accepting it too late", accept(again, "u1", again.ExpiresAt), memory.ErrNotFound)
	wantErr(t, "accepting it", accept(again, "u1", f.tick()), nil)
	again.AcceptedAt = ptr(f.now)
	wantErr(t, "accepting it twice", accept(again, "u2", f.tick()), memory.ErrNotFound)
	wantErr(t, "inviting a member", f.CreateInvitation(ctx, memory.Invitation{Invitation: api.Invitation{
		ID: "iv_x", Email: "ana@example.com", Role: "reader", CreatedAt: f.now, ExpiresAt: f.now.Add(time.Hour),
	}}), memory.ErrExists)

	other := f.invite(t, "iv_3", "bo@example.com", "reader")
	no := errors.New("no")
	wantErr(t, "a refused revocation", second(f.RevokeInvitation(ctx, "iv_3", func(api.Invitation) error { return no }, f.tick())), no)
	for range 2 { // the first time stays
		got, err := f.RevokeInvitation(ctx, "iv_3", agree[api.Invitation], f.tick())
		wantErr(t, "revoking", err, nil)
		if other.RevokedAt == nil {
			other.RevokedAt = ptr(f.now)
		}
		wantEqual(t, "revoked", got, other.Invitation)
	}
	used, err := f.RevokeInvitation(ctx, "iv_2", agree[api.Invitation], f.tick())
	wantErr(t, "revoking a used one", err, nil)
	wantEqual(t, "it stays as it is", used, again.Invitation)
	wantErr(t, "revoking an unknown one", second(f.RevokeInvitation(ctx, "iv_9", agree[api.Invitation], f.now)), memory.ErrNotFound)
	for _, size := range []int{1, 2, 9} {
		got := allPages(t, size, func(p memory.Page) ([]api.Invitation, string, error) { return f.Invitations(ctx, p) })
		wantEqual(t, "newest first", got, []api.Invitation{other.Invitation, again.Invitation, first.Invitation})
	}
}

// testInviterLeaves wants the open invitations of a removed member to end, and nobody else's.
func testInviterLeaves(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "admin", "*")
	by := func(id, inviter string) memory.Invitation {
		i := memory.Invitation{Hash: digest(id), Invitation: api.Invitation{
			ID: id, Email: id + "@example.com", Role: "reader", Selectors: []string{"a"}, InvitedBy: inviter,
			CreatedAt: f.tick(), ExpiresAt: f.now.Add(time.Hour),
		}}
		wantErr(t, "inviting", f.CreateInvitation(ctx, i), nil)
		return i
	}
	theirs, other := by("iv_theirs", "ana@example.com"), by("iv_other", "bo@example.com")
	wantErr(t, "removing", second(f.RemoveMember(ctx, "ana", agree[memory.User], f.tick())), nil)
	log, _, err := f.Audit(ctx, memory.Page{Size: 2})
	if err != nil || log[1].Action != memory.ActionInvitationRevoked || log[1].Target != "iv_theirs" {
		t.Errorf("the log: %+v, %v", log, err)
	}
	accept := func(i memory.Invitation, id string) error {
		return second(f.AcceptInvitation(ctx, i.Hash, memory.User{Member: api.Member{ID: id, Name: id}}, f.tick()))
	}
	wantErr(t, "following theirs", accept(theirs, "cy"), memory.ErrNotFound)
	wantErr(t, "following another's", accept(other, "di"), nil)
}

// testReset wants a member who follows a link for a new password to have it, and to be signed in nowhere.
func testReset(t *testing.T, f *fixture) {
	ctx := t.Context()
	f.join(t, "ana", "member", "a")
	f.session(t, "1", "ana")
	reset := func(id, member string) memory.Invitation {
		return memory.Invitation{Hash: digest(id), MemberID: member, Invitation: api.Invitation{
			ID: id, Email: "ana@example.com", Role: "member", Selectors: []string{"a"}, Reset: true, CreatedAt: f.tick(),
			ExpiresAt: f.now.Add(time.Hour),
		}}
	}
	wantErr(t, "for nobody", f.CreateInvitation(ctx, reset("iv_0", "nobody")), memory.ErrNotFound)
	i := reset("iv_1", "ana")
	wantErr(t, "making a link", f.CreateInvitation(ctx, i), nil)
	got, err := f.InvitationByHash(ctx, i.Hash)
	wantErr(t, "reading", err, nil)
	wantEqual(t, "the link", got, i)
	u, err := f.AcceptInvitation(ctx, i.Hash, memory.User{Member: api.Member{ID: "other", Name: "x"}, PasswordHash: "new"}, f.tick())
	wantErr(t, "following it", err, nil)
	wantEqual(t, "whose it is", []string{u.ID, u.Name, u.Email}, []string{"ana", "ana", "ana@example.com"})
	u, err = f.User(ctx, "ana")
	wantErr(t, "reading", err, nil)
	wantEqual(t, "the password", u.PasswordHash, "new")
	wantEqual(t, "the session has ended", f.token(t, "access 1").Session.RevokedAt, ptr(f.now))
	log, _, err := f.Audit(ctx, memory.Page{Size: 1})
	if err != nil || log[0].Action != memory.ActionMemberPassword || log[0].Actor.ID != "ana" {
		t.Errorf("the log: %+v, %v", log, err)
	}
	wantErr(t, "following it again", second(f.AcceptInvitation(ctx, i.Hash, memory.User{PasswordHash: "newer"}, f.tick())), memory.ErrNotFound)
	wantErr(t, "making one for who is to hold more", f.CreateInvitation(ctx, reset("iv_3", "ana")), nil)
	wantErr(t, "giving them more", second(f.ChangeMember(ctx, "ana", "admin", []string{"*"}, agree[memory.User], f.tick())), nil)
	wantErr(t, "following it then", second(f.AcceptInvitation(ctx, digest("iv_3"), memory.User{PasswordHash: "x"}, f.tick())), memory.ErrNotFound)
	wantErr(t, "making another", f.CreateInvitation(ctx, reset("iv_2", "ana")), nil)
	wantErr(t, "removing the member", second(f.RemoveMember(ctx, "ana", agree[memory.User], f.tick())), nil)
	wantErr(t, "following it then", second(f.AcceptInvitation(ctx, digest("iv_2"), memory.User{PasswordHash: "x"}, f.tick())), memory.ErrNotFound)
}

// testAudit wants an entry for every change, by whoever the context says, and none for what changed nothing.
func testAudit(t *testing.T, f *fixture) {
	ctx := memory.WithActor(t.Context(), memory.Actor{Kind: "key", ID: "key_1", Name: "ci", RequestID: "r-1"})
	f.workspace(t, "demo")
	_, ids := f.remember(t, "demo", "I live in Utrecht")
	k := memory.Key{Hash: digest("k"), Key: api.Key{ID: "key_2", Label: "k", Role: "reader", Selectors: []string{"a"}}}
	f.join(t, "ana", "member", "a")
	f.join(t, "bo", "member")
	steps := []struct {
		entry string
		do    func(ctx context.Context) error
	}{
		{"key.created key_2  k: reader of a", func(ctx context.Context) error { k.CreatedAt = f.now; return f.CreateKey(ctx, k) }},
		{"key.revoked key_2  k", func(ctx context.Context) error { return second(f.RevokeKey(ctx, "key_2", f.now)) }},
		{"passage.forgotten " + ids[0] + " demo ", func(ctx context.Context) error { return second(f.Forget(ctx, "demo", ids[0], f.now)) }},
		{"workspace.erased demo demo ", func(ctx context.Context) error { return second(f.DeleteWorkspace(ctx, "demo", f.now)) }},
		{"role.created x  memory:read", func(ctx context.Context) error {
			return f.CreateRole(ctx, api.Role{Name: "x", Permissions: []string{"memory:read"}, CreatedAt: ptr(f.now)})
		}},
		{"role.changed x  memory:recall", func(ctx context.Context) error {
			return second(f.ChangeRole(ctx, "x", []string{"memory:recall"}, agree[api.Role], f.now))
		}},
		{"role.deleted x  ", func(ctx context.Context) error { return f.DeleteRole(ctx, "x", agree[api.Role], f.now) }},
		{"member.changed ana  ana@example.com: reader of b", func(ctx context.Context) error {
			return second(f.ChangeMember(ctx, "ana", "reader", []string{"b"}, agree[memory.User], f.now))
		}},
		{"root.transferred ana  ana@example.com: root of *", func(ctx context.Context) error {
			return second(f.ChangeMember(ctx, "ana", "root", []string{"*"}, agree[memory.User], f.now))
		}},
		{"member.password_set ana  ana@example.com", func(ctx context.Context) error { return f.SetPassword(ctx, "ana", "new", f.now) }},
		{"member.removed bo  bo@example.com", func(ctx context.Context) error {
			return second(f.RemoveMember(ctx, "bo", agree[memory.User], f.now))
		}},
	}
	for _, step := range steps {
		f.tick()
		wantErr(t, step.entry, step.do(ctx), nil)
		list, _, err := f.Audit(ctx, memory.Page{Size: 1})
		if err != nil || len(list) != 1 {
			t.Fatalf("the log: %v, %v", list, err)
		}
		e := list[0]
		wantEqual(t, "entry", fmt.Sprintf("%s %s %s %s", e.Action, e.Target, e.Workspace, e.Detail), step.entry)
		wantEqual(t, "actor of "+step.entry, e.Actor, api.AuditActor{Kind: "key", ID: "key_1", Name: "ci"})
		wantEqual(t, "time and request of "+step.entry, []any{e.At, e.RequestID}, []any{f.now, "r-1"})
	}
	before := allPages(t, 200, func(p memory.Page) ([]api.AuditEntry, string, error) { return f.Audit(ctx, p) })
	wantErr(t, "revoking again", second(f.RevokeKey(ctx, "key_2", f.tick())), nil)
	wantErr(t, "forgetting again", second(f.Forget(ctx, "demo", ids[0], f.now)), memory.ErrNotFound)
	wantErr(t, "creating again", f.CreateKey(ctx, k), memory.ErrExists)
	for _, size := range []int{1, 4, 200} {
		got := allPages(t, size, func(p memory.Page) ([]api.AuditEntry, string, error) { return f.Audit(ctx, p) })
		wantEqual(t, "what changed nothing is not in the log", got, before)
	}
	if e := before[len(before)-1]; e.Actor.Kind != "system" || e.Action != memory.ActionInvitationCreated {
		t.Errorf("the oldest entry is %+v", e)
	}
}
