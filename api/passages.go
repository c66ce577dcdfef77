package api

import (
	"context"
	"iter"
	"net/http"
)

// PassagesService reads and forgets remembered text.
type PassagesService struct{ c *Client }

// List returns a page of a workspace's passages, in the order in which they were remembered.
func (s *PassagesService) List(ctx context.Context, workspace string, opts ListOptions) (*PassagePage, error) {
	path, err := route("workspaces", workspace, "passages")
	if err != nil {
		return nil, err
	}
	return send[PassagePage](ctx, s.c, call{method: http.MethodGet, path: path, query: opts.query()})
}

// All iterates over a workspace's passages, in the order in which they were remembered, and ends with the first error.
func (s *PassagesService) All(ctx context.Context, workspace string, opts ListOptions) iter.Seq2[Passage, error] {
	seq := pages(opts, func(o ListOptions) (*PassagePage, error) { return s.List(ctx, workspace, o) },
		func(p *PassagePage) string { return p.NextPageToken })
	return items(seq, func(p *PassagePage) []Passage { return p.Passages })
}

// Get returns a passage with its provenance: what submitted it, and what was asserted on its evidence.
func (s *PassagesService) Get(ctx context.Context, workspace, id string) (*PassageDetail, error) {
	path, err := route("workspaces", workspace, "passages", id)
	if err != nil {
		return nil, err
	}
	return send[PassageDetail](ctx, s.c, call{method: http.MethodGet, path: path})
}

// Forget erases a passage and everything that was made of it, and returns the receipt. When the reply was lost on its
// way, the repeated call finds nothing to erase and the error is [ErrNotFound].
func (s *PassagesService) Forget(ctx context.Context, workspace, id string) (*Erasure, error) {
	path, err := route("workspaces", workspace, "passages", id)
	if err != nil {
		return nil, err
	}
	return send[Erasure](ctx, s.c, call{method: http.MethodDelete, path: path})
}
