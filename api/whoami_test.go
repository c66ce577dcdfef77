package api_test

import (
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

func TestWhoAmI(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/whoami", reply(200, `{"kind": "key", "key": "key_1", "label": "laptop", "role": "reader",
		"permissions": ["memory:recall"], "selectors": ["team.*"], "expires_at": "2025-03-31T09:00:00Z"}`))
	got, err := c.WhoAmI.Get(ctx(t))
	wantEqual(t, got, err, &api.Identity{
		Kind: "key", Key: "key_1", Label: "laptop", Role: "reader", Permissions: []string{"memory:recall"},
		Selectors: []string{"team.*"}, ExpiresAt: at(date(31)),
	})
}

func TestPermissions(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/permissions", reply(200, `{"permissions": ["memory:recall", "memory:read"]}`))
	got, err := c.Permissions.List(ctx(t))
	wantEqual(t, got, err, &api.PermissionList{Permissions: []string{"memory:recall", "memory:read"}})
}

func at(t time.Time) *time.Time { return &t }
