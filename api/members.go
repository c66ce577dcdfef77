package api

import (
	"context"
	"iter"
	"net/http"
)

// MembersService knows the people of the team, and changes what they may do.
type MembersService struct{ c *Client }

// List returns a page of members, in the order in which they joined.
func (s *MembersService) List(ctx context.Context, opts ListOptions) (*MemberPage, error) {
	return send[MemberPage](ctx, s.c, call{method: http.MethodGet, path: "/v1/members", query: opts.query()})
}

// All iterates over the members, in the order in which they joined, and ends with the first error.
func (s *MembersService) All(ctx context.Context, opts ListOptions) iter.Seq2[Member, error] {
	seq := pages(opts, func(o ListOptions) (*MemberPage, error) { return s.List(ctx, o) },
		func(p *MemberPage) string { return p.NextPageToken })
	return items(seq, func(p *MemberPage) []Member { return p.Members })
}

// Get returns a member.
func (s *MembersService) Get(ctx context.Context, id string) (*Member, error) {
	path, err := route("members", id)
	if err != nil {
		return nil, err
	}
	return send[Member](ctx, s.c, call{method: http.MethodGet, path: path})
}

// Change gives a member another role and other selectors, and returns the member as they are then. It applies to
// whoever is signed in at once. Giving the role "root" passes it on: whoever had it is an admin then.
func (s *MembersService) Change(ctx context.Context, id string, m ChangeMember) (*Member, error) {
	path, err := route("members", id)
	if err != nil {
		return nil, err
	}
	if m.Selectors == nil {
		m.Selectors = []string{} // the contract has lists, never null
	}
	return send[Member](ctx, s.c, call{method: http.MethodPut, path: path, body: m})
}

// Reset returns a link, for one use, with which a member who lost their password chooses another; it goes to that person
// alone. It is never repeated by itself.
func (s *MembersService) Reset(ctx context.Context, id string) (*NewInvitation, error) {
	path, err := route("members", id, "reset")
	if err != nil {
		return nil, err
	}
	return send[NewInvitation](ctx, s.c, call{method: http.MethodPost, path: path})
}

// Remove takes a member out of the team and ends all their sign-ins at once. It returns the member as they were. When
// the reply was lost on its way, the repeated call's error is [ErrNotFound].
func (s *MembersService) Remove(ctx context.Context, id string) (*Member, error) {
	path, err := route("members", id)
	if err != nil {
		return nil, err
	}
	return send[Member](ctx, s.c, call{method: http.MethodDelete, path: path})
}
