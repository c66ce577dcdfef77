package api

import (
	"context"
	"iter"
	"net/http"
)

// InvitationsService asks people to join the team.
type InvitationsService struct{ c *Client }

// Create invites somebody. The link is in the answer and can't be had again: whoever follows it joins the team, so that
// it goes to that person alone. An earlier open invitation to the same address ends. It is never repeated by itself.
func (s *InvitationsService) Create(ctx context.Context, i CreateInvitation) (*NewInvitation, error) {
	if i.Selectors == nil {
		i.Selectors = []string{} // the contract has lists, never null
	}
	return send[NewInvitation](ctx, s.c, call{method: http.MethodPost, path: "/v1/invitations", body: i})
}

// List returns a page of invitations, newest first, those that are closed too.
func (s *InvitationsService) List(ctx context.Context, opts ListOptions) (*InvitationPage, error) {
	return send[InvitationPage](ctx, s.c, call{method: http.MethodGet, path: "/v1/invitations", query: opts.query()})
}

// All iterates over the invitations, newest first, and ends with the first error.
func (s *InvitationsService) All(ctx context.Context, opts ListOptions) iter.Seq2[Invitation, error] {
	seq := pages(opts, func(o ListOptions) (*InvitationPage, error) { return s.List(ctx, o) },
		func(p *InvitationPage) string { return p.NextPageToken })
	return items(seq, func(p *InvitationPage) []Invitation { return p.Invitations })
}

// Revoke ends an open invitation, and returns it as it is then. One that is closed stays as it is.
func (s *InvitationsService) Revoke(ctx context.Context, id string) (*Invitation, error) {
	path, err := route("invitations", id)
	if err != nil {
		return nil, err
	}
	return send[Invitation](ctx, s.c, call{method: http.MethodDelete, path: path})
}
