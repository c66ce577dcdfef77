package server

import (
	"errors"
	"net/http"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// How long an invitation is open.
const (
	defaultInvitation = 7 * 24 * time.Hour
	maxInvitation     = 30 * 24 * time.Hour
)

func createInvitation(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	at := c.clock()
	i, m, err := c.readInvitation(v, at)
	if err != nil {
		return err
	}
	if err := c.who.RequireAll(m.permissions, m.selectors); err != nil {
		return err
	}
	issuer, err := c.invitationIssuer()
	if err != nil {
		return err
	}
	made, err := c.oauth.Invite(c.ctx(), i, issuer)
	switch {
	case errors.Is(err, memory.ErrExists):
		return newError(api.CodeAlreadyExists, "%s is a member already", quoted(i.Email))
	case errors.Is(err, memory.ErrNotFound):
		return badField("role", "was deleted just now")
	case err != nil:
		return err
	}
	c.w.Header().Set("Location", "/v1/invitations/"+made.ID)
	return c.reply(http.StatusCreated, made)
}

// invitationIssuer is the address that links lead to. In process there is none.
func (c *call) invitationIssuer() (string, error) {
	if c.who.Kind == access.KindLocal && c.public == "" {
		return "", newError(api.CodeInvalidRequest, "the memory of this machine is not served: nobody could follow the link")
	}
	return c.issuer(c.r)
}

// inviter is who invites, as people know them.
func (c *call) inviter() string {
	if by := c.actor(); by.Name != "" {
		return by.Name
	}
	return string(c.who.Kind)
}

func (c *call) readInvitation(v jsonValue, at time.Time) (i api.Invitation, m membership, err error) {
	var f faults
	o := readObject(v, "", &f, "email", "role", "selectors", "expires_at")
	email, ok := oauth.FoldEmail(o.required("email", maxLabel))
	if !ok && len(f.list) == 0 {
		f.add(api.CodeInvalidRequest, "email", "is not an e-mail address")
	}
	expires := at.Add(defaultInvitation)
	if moment := o.moment("expires_at"); moment != nil {
		expires = moment.UTC().Truncate(time.Microsecond)
		if !expires.After(at) || expires.After(at.Add(maxInvitation)) {
			f.add(api.CodeInvalidRequest, "expires_at", "must be in the future, and at most 30 days ahead")
		}
	}
	if m, err = c.readMembership(o, &f); err != nil {
		return i, m, err
	}
	if m.role == access.RoleRoot {
		return i, m, badField("role", "can't be root: invite an admin, and pass root on to them")
	}
	return api.Invitation{
		Email: email, Role: string(m.role), Selectors: selectorTexts(m.selectors), InvitedBy: c.inviter(), CreatedAt: at,
		ExpiresAt: expires,
	}, m, nil
}

func listInvitations(c *call) error {
	p := newPager("invitations")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Invitations(c.ctx(), page)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Selectors = filled(list[i].Selectors)
	}
	return c.reply(http.StatusOK, api.InvitationPage{Invitations: filled(list), NextPageToken: p.token(next)})
}

// revokeInvitation ends an invitation. Whoever manages the team may end any: it takes nothing from anybody.
func revokeInvitation(c *call) error {
	id, err := c.id("iv_")
	if err != nil {
		return err
	}
	i, err := c.store.RevokeInvitation(c.ctx(), id, func(api.Invitation) error { return nil }, c.clock())
	if errors.Is(err, memory.ErrNotFound) {
		return newError(api.CodeNotFound, "invitation %s does not exist", quoted(id))
	}
	if err != nil {
		return err
	}
	i.Selectors = filled(i.Selectors)
	return c.reply(http.StatusOK, i)
}

func listAudit(c *call) error {
	p := newPager("audit")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Audit(c.ctx(), page)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, api.AuditPage{Entries: filled(list), NextPageToken: p.token(next)})
}
