package api

import (
	"context"
	"encoding/json"
	"net/http"
)

// MemoryService reads what a workspace remembers.
type MemoryService struct{ c *Client }

// Recall returns the passages that match a query, most relevant first, and a snapshot of the graph.
func (s *MemoryService) Recall(ctx context.Context, workspace string, r RecallRequest) (*Recall, error) {
	k, err := recallCall(workspace, r)
	if err != nil {
		return nil, err
	}
	return send[Recall](ctx, s.c, k)
}

// RecallJSON is [MemoryService.Recall] with the API's own bytes, which are checked to be one whole JSON object and no
// more.
func (s *MemoryService) RecallJSON(ctx context.Context, workspace string, r RecallRequest) (json.RawMessage, error) {
	k, err := recallCall(workspace, r)
	if err != nil {
		return nil, err
	}
	body, err := s.c.fetch(ctx, k)
	if err != nil {
		return nil, err
	}
	if err := object(body); err != nil {
		return nil, s.c.decodingError(err)
	}
	return body, nil
}

func recallCall(workspace string, r RecallRequest) (call, error) {
	path, err := route("workspaces", workspace, "recall")
	return call{method: http.MethodPost, path: path, body: r, repeat: true}, err
}
