package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

func newTeamMembers(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "members",
		Short: "List members; change and remove them",
		Example: `  lukasa team members
  lukasa team members set bo@example.com --role reader --workspaces 'team.*'`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				list := api.MemberPage{Members: []api.Member{}}
				for m, err := range conn.Members.All(ctx, api.ListOptions{}) {
					if err != nil {
						return err
					}
					list.Members = append(list.Members, m)
				}
				return a.result(s, list, func(out io.Writer) { writeMembers(out, list.Members) })
			})
		},
	}
	c.AddCommand(newMemberSet(a), newMemberReset(a), newMemberRemove(a))
	return c
}

func newMemberSet(a *app) *cobra.Command {
	var m membershipFlags
	var yes bool
	c := &cobra.Command{
		Use:   "set MEMBER",
		Short: "Give a member another role and other workspaces",
		Long: `Give a member, named by e-mail address or id, another role and other workspaces. It applies at once.
Whoever has the role root passes it on with --role root --workspaces '*' --yes, and is an admin then.`,
		Example: "  lukasa team members set bo@example.com --role reader --workspaces notes",
		Args:    words("MEMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			if m.role == "root" && !yes {
				return usage("to go on, add --yes", "passing the role root on to %s takes it from you", args[0])
			}
			return a.withMember(c, args[0], func(ctx context.Context, s settings, conn *connection, member api.Member) error {
				got, err := conn.Members.Change(ctx, member.ID, api.ChangeMember{Role: m.role, Selectors: m.selectors})
				if err != nil {
					return err
				}
				return a.result(s, got, func(out io.Writer) {
					fmt.Fprintf(out, "%s is %s of %s\n", oneLine(got.Email), got.Role, strings.Join(got.Selectors, ", "))
				})
			})
		},
	}
	m.add(a, c)
	c.Flags().BoolVar(&yes, "yes", false, "really pass root on")
	return c
}

func newMemberReset(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "reset MEMBER",
		Short: "Print a link with which a member chooses a new password",
		Long: `Print a link, good for one use and a day, with which a member who lost their password chooses another. Send it to that
person and to nobody else. For root, the operator does that with a key of the role root, made with --store.`,
		Example: "  lukasa team members reset bo@example.com",
		Args:    words("MEMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withMember(c, args[0], func(ctx context.Context, s settings, conn *connection, member api.Member) error {
				made, err := conn.Members.Reset(ctx, member.ID)
				if err != nil {
					return err
				}
				return a.result(s, made, func(out io.Writer) { fmt.Fprintln(out, made.Link) })
			})
		},
	}
}

func newMemberRemove(a *app) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "remove MEMBER",
		Short:   "Take a member out of the team, and end their sign-ins",
		Example: "  lukasa team members remove bo@example.com --yes",
		Args:    words("MEMBER"),
		RunE: func(c *cobra.Command, args []string) error {
			if !yes {
				return usage(fmt.Sprintf("to go on: lukasa team members remove %s --yes", args[0]),
					"removing %s ends their sign-ins at once", args[0])
			}
			return a.withMember(c, args[0], func(ctx context.Context, s settings, conn *connection, member api.Member) error {
				got, err := conn.Members.Remove(ctx, member.ID)
				if err != nil {
					return err
				}
				return a.result(s, got, func(out io.Writer) { fmt.Fprintf(out, "%s is removed\n", oneLine(got.Email)) })
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "really remove them")
	return c
}

// withMember runs do with the member of that id or e-mail address.
func (a *app) withMember(
	c *cobra.Command, name string, do func(ctx context.Context, s settings, conn *connection, member api.Member) error,
) error {
	return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
		for m, err := range conn.Members.All(ctx, api.ListOptions{PageSize: 200}) {
			if err != nil {
				return err
			}
			if m.ID == name || strings.EqualFold(m.Email, name) {
				return do(ctx, s, conn, m)
			}
		}
		return &failure{message: fmt.Sprintf("no member is called %q", name), hint: "see them with `lukasa team members`"}
	})
}

func writeMembers(out io.Writer, list []api.Member) {
	if len(list) == 0 {
		fmt.Fprintln(out, "no members")
		return
	}
	rows := [][]string{{"ID", "E-MAIL", "NAME", "ROLE", "WORKSPACES", "JOINED", "LAST SIGN-IN"}}
	for _, m := range list {
		last := "never"
		if m.LastSignInAt != nil {
			last = day(*m.LastSignInAt)
		}
		rows = append(rows, []string{m.ID, m.Email, m.Name, m.Role, strings.Join(m.Selectors, ","), day(m.JoinedAt), last})
	}
	table(out, rows...)
}

func newTeamRoles(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "roles",
		Short:   "List roles; create, change and delete custom ones",
		Example: "  lukasa team roles\n  lukasa team roles create looker --permissions memory:recall,memory:read",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				list := api.RolePage{Roles: []api.Role{}}
				for r, err := range conn.Roles.All(ctx, api.ListOptions{}) {
					if err != nil {
						return err
					}
					list.Roles = append(list.Roles, r)
				}
				return a.result(s, list, func(out io.Writer) { writeRoles(out, list.Roles) })
			})
		},
	}
	c.AddCommand(newRoleSave(a, "create"), newRoleSave(a, "set"), newRoleDelete(a))
	return c
}

// newRoleSave makes the command that creates a role, or changes one.
func newRoleSave(a *app, verb string) *cobra.Command {
	var permissions []string
	short := map[string]string{"create": "Create a custom role", "set": "Change what a custom role permits, to everyone who has it"}
	c := &cobra.Command{
		Use:     verb + " NAME",
		Short:   short[verb],
		Example: fmt.Sprintf("  lukasa team roles %s looker --permissions memory:recall,memory:read", verb),
		Args:    words("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(permissions) == 0 {
				return usage("add --permissions memory:recall,memory:read", "the role has no permissions")
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				role, err := saveRole(ctx, conn, verb, args[0], permissions)
				if err != nil {
					return err
				}
				return a.result(s, role, func(out io.Writer) {
					fmt.Fprintf(out, "role %s permits %s\n", role.Name, strings.Join(role.Permissions, ", "))
				})
			})
		},
	}
	c.Flags().StringSliceVar(&permissions, "permissions", nil, "what it permits, separated by commas")
	return c
}

func saveRole(ctx context.Context, conn *connection, verb, name string, permissions []string) (*api.Role, error) {
	if verb == "create" {
		role, err := conn.Roles.Create(ctx, api.CreateRole{Name: name, Permissions: permissions})
		if errors.Is(err, api.ErrAlreadyExists) {
			err = withHint(err, "change it with `lukasa team roles set`")
		}
		return role, err
	}
	role, err := conn.Roles.Change(ctx, name, api.ChangeRole{Permissions: permissions})
	if errors.Is(err, api.ErrNotFound) {
		err = withHint(err, "create it with `lukasa team roles create`")
	}
	return role, err
}

func newRoleDelete(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Delete a custom role that nobody has",
		Example: "  lukasa team roles delete looker",
		Args:    words("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				role, err := conn.Roles.Delete(ctx, args[0])
				if err != nil {
					return err
				}
				return a.result(s, role, func(out io.Writer) { fmt.Fprintf(out, "role %s deleted\n", role.Name) })
			})
		},
	}
}

func writeRoles(out io.Writer, list []api.Role) {
	rows := [][]string{{"ROLE", "KIND", "PERMITS"}}
	for _, r := range list {
		kind := "custom"
		if r.BuiltIn {
			kind = "built in"
		}
		rows = append(rows, []string{r.Name, kind, strings.Join(r.Permissions, ", ")})
	}
	table(out, rows...)
}
