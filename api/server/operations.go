package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

// readyTime is how long the store may take to show that it can be read.
const readyTime = 2 * time.Second

func getHealth(c *call) error { return c.reply(http.StatusOK, api.Health{Status: "ok"}) }

// getReady answers in the form of getHealth, not as a problem: what asks is a load balancer.
func getReady(c *call) error {
	ctx, cancel := context.WithTimeout(c.ctx(), readyTime)
	defer cancel()
	select {
	case <-c.stopping:
		return c.unready()
	default:
	}
	if err := c.store.Ping(ctx); err != nil {
		c.log.WarnContext(c.ctx(), "the store is not ready", "request_id", c.record.id, "error", err)
		return c.unready()
	}
	return c.reply(http.StatusOK, api.Health{Status: "ok"})
}

func (c *call) unready() error {
	c.w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
	return c.reply(http.StatusServiceUnavailable, api.Health{Status: "unavailable"})
}

func getOpenAPI(c *call) error {
	c.writeBytes("application/yaml", http.StatusOK, api.OpenAPI())
	return nil
}

func getWhoAmI(c *call) error {
	p := c.who
	return c.reply(http.StatusOK, api.Identity{
		Kind: string(p.Kind), User: p.Email, Key: p.Key, Label: p.Label, Role: string(p.Role), ExpiresAt: p.ExpiresAt,
		Permissions: permissionNames(p.Permissions), Selectors: selectorTexts(p.Selectors),
	})
}

func listPermissions(c *call) error {
	return c.reply(http.StatusOK, api.PermissionList{Permissions: permissionNames(access.Permissions())})
}

func permissionNames(permissions []access.Permission) []string {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = string(p)
	}
	return names
}

func selectorTexts(selectors []access.Selector) []string {
	texts := make([]string, len(selectors))
	for i, s := range selectors {
		texts[i] = s.String()
	}
	return texts
}
