package api

import (
	"context"
	"iter"
	"net/http"
)

// GraphService reads entities and assertions.
type GraphService struct{ c *Client }

// List returns a page of a workspace's graph: assertions, newest first, closed ones too, with the entities at their
// ends.
func (s *GraphService) List(ctx context.Context, workspace string, opts ListOptions) (*GraphPage, error) {
	path, err := route("workspaces", workspace, "graph")
	if err != nil {
		return nil, err
	}
	return send[GraphPage](ctx, s.c, call{method: http.MethodGet, path: path, query: opts.query()})
}

// All iterates over the pages of a workspace's graph, and ends with the first error. It yields pages rather than
// assertions because each carries the entities that its assertions name by id.
func (s *GraphService) All(ctx context.Context, workspace string, opts ListOptions) iter.Seq2[*GraphPage, error] {
	return pages(opts, func(o ListOptions) (*GraphPage, error) { return s.List(ctx, workspace, o) },
		func(p *GraphPage) string { return p.NextPageToken })
}

// Assertion returns an assertion with its provenance and history.
func (s *GraphService) Assertion(ctx context.Context, workspace, id string) (*AssertionDetail, error) {
	path, err := route("workspaces", workspace, "assertions", id)
	if err != nil {
		return nil, err
	}
	return send[AssertionDetail](ctx, s.c, call{method: http.MethodGet, path: path})
}
