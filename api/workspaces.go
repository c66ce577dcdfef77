package api

import (
	"context"
	"iter"
	"net/http"
)

// WorkspacesService makes, finds and erases workspaces.
type WorkspacesService struct{ c *Client }

// List returns a page of the workspaces that the credential reaches, by name.
func (s *WorkspacesService) List(ctx context.Context, opts ListOptions) (*WorkspacePage, error) {
	return send[WorkspacePage](ctx, s.c, call{method: http.MethodGet, path: "/v1/workspaces", query: opts.query()})
}

// All iterates over the workspaces that the credential reaches, by name, and ends with the first error.
func (s *WorkspacesService) All(ctx context.Context, opts ListOptions) iter.Seq2[Workspace, error] {
	seq := pages(opts, func(o ListOptions) (*WorkspacePage, error) { return s.List(ctx, o) },
		func(p *WorkspacePage) string { return p.NextPageToken })
	return items(seq, func(p *WorkspacePage) []Workspace { return p.Workspaces })
}

// Create makes a workspace, or fails with [ErrAlreadyExists]. It is never repeated by itself.
func (s *WorkspacesService) Create(ctx context.Context, w CreateWorkspace) (*Workspace, error) {
	return send[Workspace](ctx, s.c, call{method: http.MethodPost, path: "/v1/workspaces", body: w})
}

// Get returns a workspace with its counts and with what the credential may do in it.
func (s *WorkspacesService) Get(ctx context.Context, workspace string) (*Workspace, error) {
	path, err := route("workspaces", workspace)
	if err != nil {
		return nil, err
	}
	return send[Workspace](ctx, s.c, call{method: http.MethodGet, path: path})
}

// Check asks for a workspace and is content with any JSON object: the workspace is there and the credential reaches
// it. It costs one request, and is what a program does when it starts.
func (s *WorkspacesService) Check(ctx context.Context, workspace string) error {
	path, err := route("workspaces", workspace)
	if err != nil {
		return err
	}
	body, err := s.c.fetch(ctx, call{method: http.MethodGet, path: path, prefer: "return=minimal"})
	if err != nil {
		return err
	}
	if err := object(body); err != nil {
		return s.c.decodingError(err)
	}
	return nil
}

// Delete erases a workspace and everything in it, and returns the receipt. When the reply was lost on its way, the
// repeated call finds nothing to erase and the error is [ErrNotFound].
func (s *WorkspacesService) Delete(ctx context.Context, workspace string) (*Erasure, error) {
	path, err := route("workspaces", workspace)
	if err != nil {
		return nil, err
	}
	return send[Erasure](ctx, s.c, call{method: http.MethodDelete, path: path})
}
