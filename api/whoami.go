package api

import (
	"context"
	"net/http"
)

// WhoAmIService tells who the credential is.
type WhoAmIService struct{ c *Client }

// Get returns the identity, permissions and selectors of the credential.
func (s *WhoAmIService) Get(ctx context.Context) (*Identity, error) {
	return send[Identity](ctx, s.c, call{method: http.MethodGet, path: "/v1/whoami"})
}

// PermissionsService knows the catalogue of permissions.
type PermissionsService struct{ c *Client }

// List returns every permission that there is.
func (s *PermissionsService) List(ctx context.Context) (*PermissionList, error) {
	return send[PermissionList](ctx, s.c, call{method: http.MethodGet, path: "/v1/permissions"})
}
