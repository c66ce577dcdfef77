package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func listMembers(c *call) error {
	p := newPager("members")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Members(c.ctx(), page)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Selectors = filled(list[i].Selectors)
	}
	return c.reply(http.StatusOK, api.MemberPage{Members: filled(list), NextPageToken: p.token(next)})
}

func getMember(c *call) error {
	id, err := c.id("us_")
	if err != nil {
		return err
	}
	user, err := c.store.User(c.ctx(), id)
	if err != nil {
		return noMember(err, id)
	}
	user.Selectors = filled(user.Selectors)
	return c.reply(http.StatusOK, user.Member)
}

// changeMember gives a member another role and other selectors. The role root is passed on, by whoever has it.
func changeMember(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	id, err := c.id("us_")
	if err != nil {
		return err
	}
	var f faults
	o := readObject(v, "", &f, "role", "selectors")
	m, err := c.readMembership(o, &f)
	if err != nil {
		return err
	}
	if err := c.who.RequireAll(m.permissions, m.selectors); err != nil {
		return err
	}
	if m.role == access.RoleRoot && !c.who.PassesRoot() {
		return &access.Denied{Reason: "only who has the role root can pass it on"}
	}
	if m.role == access.RoleRoot && !slices.Contains(m.selectors, access.Everything()) {
		return badField("selectors", "must be * alone for the role root, which reaches everything")
	}
	check := func(u memory.User) error {
		if u.Role == memory.RootRole && m.role != access.RoleRoot {
			return &access.Denied{Reason: "the role root can only be passed on: give it to another member, and this one is an admin"}
		}
		return c.commandsMember(u)
	}
	member, err := c.store.ChangeMember(c.ctx(), id, string(m.role), selectorTexts(m.selectors), check, c.clock())
	if err != nil {
		return noMember(err, id)
	}
	return c.reply(http.StatusOK, member)
}

func removeMember(c *call) error {
	id, err := c.id("us_")
	if err != nil {
		return err
	}
	check := func(u memory.User) error {
		if u.Role == memory.RootRole {
			return &access.Denied{Reason: "who has the role root can't be removed: it has to be passed on first"}
		}
		return c.commandsMember(u)
	}
	member, err := c.store.RemoveMember(c.ctx(), id, check, c.clock())
	if err != nil {
		return noMember(err, id)
	}
	member.Selectors = filled(member.Selectors)
	return c.reply(http.StatusOK, member)
}

// resetMember makes a link with which a member who lost their password chooses another. Whoever has the link is that
// member, so that only who may do all that they may do gets one.
func resetMember(c *call) error {
	id, err := c.id("us_")
	if err != nil {
		return err
	}
	user, err := c.store.User(c.ctx(), id)
	if err != nil {
		return noMember(err, id)
	}
	if user.Role == memory.RootRole && !c.who.PassesRoot() {
		return &access.Denied{Reason: "only who has the role root can make a link that signs in as root"}
	}
	if err := c.commandsMember(user); err != nil {
		return err
	}
	issuer, err := c.invitationIssuer()
	if err != nil {
		return err
	}
	made, err := c.oauth.InviteReset(c.ctx(), user, c.inviter(), issuer)
	if err != nil {
		return noMember(err, id)
	}
	made.Selectors = filled(made.Selectors)
	c.w.Header().Set("Location", "/v1/invitations/"+made.ID)
	return c.reply(http.StatusCreated, made)
}

// commandsMember refuses changes of a member who may do more than the caller.
func (c *call) commandsMember(u memory.User) error {
	return c.who.RequireAll(rolePermissions(u.Role, u.RolePermissions), knownSelectors(u.Selectors))
}

func noMember(err error, id string) error {
	if errors.Is(err, memory.ErrNotFound) {
		return newError(api.CodeNotFound, "member %s does not exist", quoted(id))
	}
	return err
}

// membership is what a member is to be able to do.
type membership struct {
	role        access.Role
	permissions []access.Permission
	selectors   []access.Selector
}

// readMembership reads role and selectors. The role may be a custom one.
func (c *call) readMembership(o object, f *faults) (m membership, err error) {
	m.role = access.Role(o.required("role", maxLabel))
	m.selectors = readSelectors(o.texts("selectors", maxSelectors), f)
	if err := f.err(); err != nil {
		return m, err
	}
	roles, err := c.roles()
	if err != nil {
		return m, err
	}
	at := slices.IndexFunc(roles, func(r api.Role) bool { return r.Name == string(m.role) })
	if at < 0 {
		return m, badField("role", fmt.Sprintf("is %s, which is not a role: /v1/roles lists them", quoted(string(m.role))))
	}
	m.permissions = knownPermissions(roles[at].Permissions)
	return m, nil
}

// readSelectors takes each selector once.
func readSelectors(texts []string, f *faults) (list []access.Selector) {
	for i, text := range texts {
		selector, err := access.ParseSelector(text)
		if err != nil {
			f.add(api.CodeInvalidRequest, fmt.Sprintf("selectors[%d]", i), "%s", err)
		} else if !slices.Contains(list, selector) {
			list = append(list, selector)
		}
	}
	return list
}

func badField(field, message string) error {
	var f faults
	f.add(api.CodeInvalidRequest, field, "%s", message)
	return f.err()
}
