package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// maxRoles is how many custom roles there may be.
const maxRoles = 100

// roles returns every role: the built-in ones, then the custom ones by name.
func (c *call) roles() ([]api.Role, error) {
	var all []api.Role
	for _, r := range access.Roles() {
		all = append(all, api.Role{Name: string(r), BuiltIn: true, Permissions: permissionNames(r.Permissions())})
	}
	custom, err := c.store.Roles(c.ctx())
	if err != nil {
		return nil, fmt.Errorf("listing roles: %w", err)
	}
	for _, r := range custom {
		r.Permissions = filled(r.Permissions)
		all = append(all, r)
	}
	return all, nil
}

func listRoles(c *call) error {
	p := newPager("roles")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	all, err := c.roles()
	if err != nil {
		return err
	}
	if page.After != "" {
		// A role that was deleted meanwhile ends the list rather than beginning it again.
		at := slices.IndexFunc(all, func(r api.Role) bool { return r.Name == page.After })
		if at < 0 {
			return badToken()
		}
		all = all[at+1:]
	}
	next := ""
	if len(all) > page.Size {
		all, next = all[:page.Size], all[page.Size-1].Name
	}
	return c.reply(http.StatusOK, api.RolePage{Roles: filled(all), NextPageToken: p.token(next)})
}

func createRole(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	body, err := decodeRole(v)
	if err != nil {
		return err
	}
	if err := c.who.RequireAll(knownPermissions(body.Permissions), nil); err != nil {
		return err
	}
	existing, err := c.store.Roles(c.ctx())
	if err != nil {
		return fmt.Errorf("counting roles: %w", err)
	}
	if len(existing) >= maxRoles {
		return newError(api.CodeTooLarge, "there are %d custom roles already: the limit is %d", len(existing), maxRoles)
	}
	at := c.clock()
	role := api.Role{Name: body.Name, Permissions: body.Permissions, CreatedAt: &at}
	if err := c.store.CreateRole(c.ctx(), role); errors.Is(err, memory.ErrExists) {
		return newError(api.CodeAlreadyExists, "role %s already exists", quoted(body.Name))
	} else if err != nil {
		return err
	}
	c.w.Header().Set("Location", "/v1/roles/"+role.Name)
	return c.reply(http.StatusCreated, role)
}

func changeRole(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	body, err := decodeRoleChange(v)
	if err != nil {
		return err
	}
	name := c.r.PathValue("role")
	if access.Role(name).Valid() {
		return builtInRole(name)
	}
	if err := c.who.RequireAll(knownPermissions(body.Permissions), nil); err != nil {
		return err
	}
	if err := c.reachesHolders(name); err != nil {
		return err
	}
	role, err := c.store.ChangeRole(c.ctx(), name, body.Permissions, c.commandsRole, c.clock())
	if errors.Is(err, memory.ErrNotFound) {
		return noRole(name)
	}
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, role)
}

func deleteRole(c *call) error {
	name := c.r.PathValue("role")
	if access.Role(name).Valid() {
		return builtInRole(name)
	}
	var role api.Role
	err := c.store.DeleteRole(c.ctx(), name, func(r api.Role) error {
		role = r
		return c.commandsRole(r)
	}, c.clock())
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return noRole(name)
	case errors.Is(err, memory.ErrInUse):
		return newError(api.CodeAlreadyExists, "role %s is in use: give those who have it, or are invited to it, another one first", quoted(name))
	case err != nil:
		return err
	}
	role.Permissions = filled(role.Permissions)
	return c.reply(http.StatusOK, role)
}

// commandsRole refuses changes of a role that permits what the caller doesn't.
func (c *call) commandsRole(r api.Role) error {
	return c.who.RequireAll(knownPermissions(r.Permissions), nil)
}

// reachesHolders refuses changes of a role that somebody has in workspaces which the caller doesn't reach.
func (c *call) reachesHolders(role string) error {
	page := memory.Page{Size: maxPage}
	for {
		list, next, err := c.store.Members(c.ctx(), page)
		if err != nil {
			return fmt.Errorf("looking for who has the role: %w", err)
		}
		for _, m := range list {
			if m.Role != role {
				continue
			}
			if err := c.who.RequireAll(nil, knownSelectors(m.Selectors)); err != nil {
				return err
			}
		}
		if page.After = next; next == "" {
			return nil
		}
	}
}

func builtInRole(name string) error {
	return newError(api.CodeInvalidRequest, "role %s is built in: it can't be changed", quoted(name))
}

func noRole(name string) error {
	return newError(api.CodeNotFound, "role %s does not exist", quoted(name))
}

func decodeRole(v jsonValue) (body api.CreateRole, err error) {
	var f faults
	o := readObject(v, "", &f, "name", "permissions")
	body.Name = o.required("name", maxLabel)
	body.Permissions = readCatalogue(o, &f)
	if body.Name != "" && !access.ValidRoleName(body.Name) {
		f.add(api.CodeInvalidRequest, "name", "can't be %s: take 1–64 of a–z, 0–9, dash and underscore, beginning with a "+
			"letter, and not the name of a built-in role", quoted(body.Name))
	}
	return body, f.err()
}

func decodeRoleChange(v jsonValue) (body api.ChangeRole, err error) {
	var f faults
	body.Permissions = readCatalogue(readObject(v, "", &f, "permissions"), &f)
	return body, f.err()
}

// readCatalogue reads permissions that are in the catalogue, and returns them in its order. At least one has to be there.
func readCatalogue(o object, f *faults) []string {
	names := o.texts("permissions", len(access.Permissions()))
	if len(names) == 0 && len(f.list) == 0 {
		f.add(api.CodeInvalidRequest, "permissions", "is empty")
	}
	for i, name := range names {
		if !access.Permission(name).Valid() {
			f.add(api.CodeInvalidRequest, fmt.Sprintf("permissions[%d]", i), "is not a permission: /v1/permissions lists them")
		}
	}
	sorted := []string{}
	for _, p := range access.Permissions() {
		if slices.Contains(names, string(p)) {
			sorted = append(sorted, string(p))
		}
	}
	return sorted
}
