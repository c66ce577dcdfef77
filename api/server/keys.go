package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func createKey(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	body, err := decodeKey(v)
	if err != nil {
		return err
	}
	key, err := c.makeKey(c.ctx(), c.who, body)
	if err != nil {
		return err
	}
	return c.reply(http.StatusCreated, key)
}

// listKeys lists those keys that the caller could have made: of what is beyond their reach, they see nothing.
func listKeys(c *call) error {
	p := newPager("keys")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	keys, size := []api.Key{}, page.Size
	for {
		list, next, err := c.store.Keys(c.ctx(), page)
		if err != nil {
			return err
		}
		for _, key := range list {
			if commands(c.who, key) {
				keys = append(keys, completeKey(key))
			}
		}
		// Asking for as many as are missing keeps the cursor right behind the last key of the page.
		page.Size, page.After = size-len(keys), next
		if next == "" || page.Size <= 0 {
			return c.reply(http.StatusOK, api.KeyPage{Keys: keys, NextPageToken: p.token(next)})
		}
	}
}

func revokeKey(c *call) error {
	id, err := c.id("key_")
	var key api.Key
	if err == nil {
		key, err = c.findKey(c.ctx(), c.who, id)
	}
	if err == nil && key.RevokedAt == nil {
		key, err = c.store.RevokeKey(c.ctx(), id, now())
	}
	if errors.Is(err, memory.ErrNotFound) {
		return noKey(id)
	}
	if err != nil {
		return err
	}
	c.log.InfoContext(c.ctx(), "API key revoked", "request_id", c.record.id, "revoked", id)
	return c.reply(http.StatusOK, completeKey(key))
}

// CreateKey makes an API key for the operator of the store, who may give it any role, permission and selector. Its
// secret is in the answer and nowhere else. Errors are *[api.Error] when the request is at fault.
func (s *Server) CreateKey(ctx context.Context, body api.CreateKey) (api.NewKey, error) {
	return s.makeKey(asOperator(ctx), access.Local(), body)
}

// asOperator makes what follows the doing of whoever has the store.
func asOperator(ctx context.Context) context.Context {
	return memory.WithActor(ctx, memory.Actor{Kind: string(access.KindLocal)})
}

// Keys returns every API key of the store, newest first, revoked and expired ones too.
func (s *Server) Keys(ctx context.Context) ([]api.Key, error) {
	keys := []api.Key{}
	err := s.eachKey(ctx, func(key api.Key) bool {
		keys = append(keys, completeKey(key))
		return true
	})
	return keys, err
}

// RevokeKey ends an API key at once, and returns it as it is then. Revoking it again changes nothing. An id that isn't
// there is an error that is [api.ErrNotFound].
func (s *Server) RevokeKey(ctx context.Context, id string) (api.Key, error) {
	key, err := s.store.RevokeKey(asOperator(ctx), id, now())
	if errors.Is(err, memory.ErrNotFound) {
		return api.Key{}, noKey(id)
	}
	if err != nil {
		return api.Key{}, fmt.Errorf("revoking the API key: %w", err)
	}
	return completeKey(key), nil
}

// makeKey makes a key on behalf of maker, who can't grant more than they hold.
func (s *Server) makeKey(ctx context.Context, maker access.Principal, body api.CreateKey) (api.NewKey, error) {
	at := now()
	grant, err := readGrant(body, at)
	if err != nil {
		return api.NewKey{}, err
	}
	if err := maker.RequireGrant(grant.permissions, grant.selectors); err != nil {
		return api.NewKey{}, err
	}
	secret, err := access.GenerateKey()
	if err != nil {
		return api.NewKey{}, err
	}
	id, err := access.NewKeyID()
	if err != nil {
		return api.NewKey{}, err
	}
	key := api.Key{
		ID: id, Label: body.Label, Role: body.Role, Permissions: permissionNames(grant.permissions),
		Selectors: selectorTexts(grant.selectors), CreatedAt: at, ExpiresAt: grant.expiresAt,
	}
	if err := s.store.CreateKey(ctx, memory.Key{Key: key, Hash: access.Hash(secret)}); err != nil {
		return api.NewKey{}, fmt.Errorf("storing the API key: %w", err)
	}
	s.log.InfoContext(ctx, "API key created", "created", id, "by", maker.Kind, "key", maker.Key)
	return api.NewKey{Key: key, Secret: secret}, nil
}

// grant is what a new key is to be able to do.
type grant struct {
	permissions []access.Permission
	selectors   []access.Selector
	expiresAt   *time.Time
}

func readGrant(body api.CreateKey, at time.Time) (g grant, err error) {
	var f faults
	switch {
	case strings.TrimSpace(body.Label) == "":
		f.add(api.CodeInvalidRequest, "label", "is blank")
	case hasControl(body.Label):
		f.add(api.CodeInvalidRequest, "label", "contains a control character")
	case len(body.Label) > maxLabel:
		f.add(api.CodeTooLarge, "label", "has %d bytes: the limit is %d", len(body.Label), maxLabel)
	}
	g.permissions = readPermissions(body, &f)
	g.selectors = readSelectors(body.Selectors, &f)
	if body.ExpiresAt != nil {
		expires := body.ExpiresAt.UTC().Truncate(time.Microsecond)
		g.expiresAt = &expires
		if !expires.After(at) {
			f.add(api.CodeInvalidRequest, "expires_at", "is not in the future")
		}
	}
	return g, f.err()
}

// readPermissions takes the permissions of a role, or those that are named, in the catalogue's order.
func readPermissions(body api.CreateKey, f *faults) []access.Permission {
	role := access.Role(body.Role)
	switch {
	case body.Role != "" && len(body.Permissions) > 0:
		f.add(api.CodeInvalidRequest, "permissions", "can't be given along with a role: give one of them")
		return nil
	case body.Role != "" && !role.Valid():
		f.add(api.CodeInvalidRequest, "role", "must be one of root, admin, member, reader")
		return nil
	case body.Role != "":
		return role.Permissions()
	case len(body.Permissions) == 0:
		f.add(api.CodeInvalidRequest, "permissions", "is empty: give a role or permissions")
	}
	for i, name := range body.Permissions {
		if !access.Permission(name).Valid() {
			f.add(api.CodeInvalidRequest, fmt.Sprintf("permissions[%d]", i),
				"is not a permission: /v1/permissions lists them")
		}
	}
	var list []access.Permission
	for _, p := range access.Permissions() {
		if slices.Contains(body.Permissions, string(p)) {
			list = append(list, p)
		}
	}
	return list
}

// findKey returns a key that who commands; any other isn't there.
func (s *Server) findKey(ctx context.Context, who access.Principal, id string) (api.Key, error) {
	var found *api.Key
	err := s.eachKey(ctx, func(key api.Key) bool {
		if key.ID == id && commands(who, key) {
			found = &key
		}
		return key.ID != id
	})
	if err != nil {
		return api.Key{}, err
	}
	if found == nil {
		return api.Key{}, memory.ErrNotFound
	}
	return *found, nil
}

// eachKey calls visit with every key, newest first, until it says no.
func (s *Server) eachKey(ctx context.Context, visit func(api.Key) bool) error {
	page := memory.Page{Size: maxPage}
	for {
		list, next, err := s.store.Keys(ctx, page)
		if err != nil {
			return fmt.Errorf("listing API keys: %w", err)
		}
		for _, key := range list {
			if !visit(key) {
				return nil
			}
		}
		if next == "" {
			return nil
		}
		page.After = next
	}
}

// commands reports whether a key can do nothing that who can't: it is one that they could have made.
func commands(who access.Principal, key api.Key) bool {
	p := principalOf(key)
	return who.Contains(p.Permissions, p.Selectors)
}

func completeKey(key api.Key) api.Key {
	key.Permissions, key.Selectors = filled(key.Permissions), filled(key.Selectors)
	return key
}

func noKey(id string) error {
	return newError(api.CodeNotFound, "API key %s does not exist", quoted(id))
}
