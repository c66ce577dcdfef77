package proxy

import (
	"context"
	"encoding/json"

	"github.com/lukasa-dev/lukasa/api"
)

// Client adapts the SDK's client to what the proxy needs.
func Client(c *api.Client) API { return client{c} }

type client struct{ c *api.Client }

func (a client) Check(ctx context.Context, workspace string) error {
	return a.c.Workspaces.Check(ctx, workspace)
}

func (a client) CreateWorkspace(ctx context.Context, name string) error {
	_, err := a.c.Workspaces.Create(ctx, api.CreateWorkspace{Name: name})
	return err
}

func (a client) Recall(ctx context.Context, workspace string, request api.RecallRequest) (json.RawMessage, error) {
	return a.c.Memory.RecallJSON(ctx, workspace, request)
}

func (a client) Submit(ctx context.Context, workspace string, body api.SubmitFormation) (*api.Formation, error) {
	return a.c.Formations.Submit(ctx, workspace, body)
}

func (a client) Formation(ctx context.Context, workspace, handle string) (*api.Formation, error) {
	return a.c.Formations.Get(ctx, workspace, handle)
}
