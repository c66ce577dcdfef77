package api

import (
	"context"
	"iter"
	"net/http"
)

// RolesService knows the roles, and changes the custom ones.
type RolesService struct{ c *Client }

// List returns a page of roles: the built-in ones, then the custom ones by name.
func (s *RolesService) List(ctx context.Context, opts ListOptions) (*RolePage, error) {
	return send[RolePage](ctx, s.c, call{method: http.MethodGet, path: "/v1/roles", query: opts.query()})
}

// All iterates over the roles, the built-in ones first, and ends with the first error.
func (s *RolesService) All(ctx context.Context, opts ListOptions) iter.Seq2[Role, error] {
	seq := pages(opts, func(o ListOptions) (*RolePage, error) { return s.List(ctx, o) },
		func(p *RolePage) string { return p.NextPageToken })
	return items(seq, func(p *RolePage) []Role { return p.Roles })
}

// Create makes a custom role, of permissions that the caller holds. It is never repeated by itself.
func (s *RolesService) Create(ctx context.Context, r CreateRole) (*Role, error) {
	return send[Role](ctx, s.c, call{method: http.MethodPost, path: "/v1/roles", body: r})
}

// Change gives a custom role other permissions. It applies to everyone who has the role at once.
func (s *RolesService) Change(ctx context.Context, name string, r ChangeRole) (*Role, error) {
	path, err := route("roles", name)
	if err != nil {
		return nil, err
	}
	return send[Role](ctx, s.c, call{method: http.MethodPut, path: path, body: r})
}

// Delete deletes a custom role that nobody has and nobody is invited to, and returns it. While somebody does, the error
// is [ErrAlreadyExists].
func (s *RolesService) Delete(ctx context.Context, name string) (*Role, error) {
	path, err := route("roles", name)
	if err != nil {
		return nil, err
	}
	return send[Role](ctx, s.c, call{method: http.MethodDelete, path: path})
}
