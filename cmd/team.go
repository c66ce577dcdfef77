package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

func newTeam(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "team",
		Short: "Invite people, and manage members and roles",
		Long: `People of the team sign in with "lukasa login". What they may do is what their role says, in the workspaces that
their selectors cover; changes apply at once. Nobody gives more than they hold.`,
		Example: "  lukasa team invite bo@example.com --role member --workspaces 'team.*'\n  lukasa team members",
		Args:    noWords,
		RunE:    showHelp,
	}
	c.AddCommand(newTeamInvite(a), newTeamInvitations(a), newTeamMembers(a), newTeamRoles(a), newTeamAudit(a))
	return c
}

// membershipFlags are the role and the selectors that somebody gets.
type membershipFlags struct {
	role      string
	selectors []string
}

func (m *membershipFlags) add(a *app, c *cobra.Command) {
	c.Flags().StringVar(&m.role, "role", "", "`role` they get: admin, member, reader, or a custom one")
	c.Flags().StringSliceVar(&m.selectors, "workspaces", nil, "`selectors` of the workspaces that they reach, separated by commas")
	_ = c.RegisterFlagCompletionFunc("role", a.completeRoles)
}

func (m *membershipFlags) check() error {
	if m.role == "" {
		return usage("add --role member; see `lukasa team roles`", "no role is named")
	}
	if len(m.selectors) == 0 {
		return usage("add --workspaces NAME, --workspaces 'prefix.*' or --workspaces '*'", "they would reach no workspace")
	}
	return nil
}

// completeRoles lists the names of roles for the shell. What fails completes nothing.
func (a *app) completeRoles(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	err := a.call(c, func(ctx context.Context, _ settings, conn *connection) error {
		for r, err := range conn.Roles.All(ctx, api.ListOptions{}) {
			if err != nil {
				return err
			}
			names = append(names, r.Name)
		}
		return nil
	})
	if err != nil {
		names = nil
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func newTeamInvite(a *app) *cobra.Command {
	var m membershipFlags
	var expires time.Duration
	c := &cobra.Command{
		Use:   "invite EMAIL",
		Short: "Invite somebody, and print the link that they join with",
		Long: `Invite somebody to the team. The link alone is printed on standard output, this once: send it to that person and to
nobody else, for whoever follows it joins. An earlier invitation to the same address ends.`,
		Example: "  lukasa team invite bo@example.com --role member --workspaces 'team.*'",
		Args:    words("EMAIL"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := m.check(); err != nil {
				return err
			}
			body := api.CreateInvitation{Email: args[0], Role: m.role, Selectors: m.selectors}
			if expires != 0 {
				at := time.Now().Add(expires).UTC()
				body.ExpiresAt = &at
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				made, err := conn.Invitations.Create(ctx, body)
				if errors.Is(err, api.ErrAlreadyExists) {
					return withHint(err, "change what they may do with `lukasa team members set`")
				}
				if err != nil {
					return err
				}
				return a.result(s, made, func(out io.Writer) { fmt.Fprintln(out, made.Link) })
			})
		},
	}
	m.add(a, c)
	c.Flags().DurationVar(&expires, "expires-in", 0, "`time` for which the link is good, at most 720h; 168h by default")
	return c
}

func newTeamInvitations(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "invitations",
		Short:   "List invitations, newest first",
		Example: "  lukasa team invitations\n  lukasa team invitations revoke iv_5pcxiiy4rlwu263e",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				list := api.InvitationPage{Invitations: []api.Invitation{}}
				for i, err := range conn.Invitations.All(ctx, api.ListOptions{}) {
					if err != nil {
						return err
					}
					list.Invitations = append(list.Invitations, i)
				}
				return a.result(s, list, func(out io.Writer) { writeInvitations(out, list.Invitations) })
			})
		},
	}
	c.AddCommand(&cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke an invitation",
		Example: "  lukasa team invitations revoke iv_5pcxiiy4rlwu263e",
		Args:    words("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				i, err := conn.Invitations.Revoke(ctx, args[0])
				if errors.Is(err, api.ErrNotFound) {
					return withHint(err, "see their ids with `lukasa team invitations`")
				}
				if err != nil {
					return err
				}
				return a.result(s, i, func(out io.Writer) {
					fmt.Fprintf(out, "invitation %s to %s is %s\n", i.ID, oneLine(i.Email), invitationState(*i))
				})
			})
		},
	})
	return c
}

func writeInvitations(out io.Writer, list []api.Invitation) {
	if len(list) == 0 {
		fmt.Fprintln(out, "no invitations")
		return
	}
	rows := [][]string{{"ID", "E-MAIL", "ROLE", "WORKSPACES", "BY", "UNTIL", "STATE"}}
	for _, i := range list {
		email := i.Email
		if email == "" {
			email = "(first administrator)"
		}
		rows = append(rows, []string{i.ID, email, i.Role, strings.Join(i.Selectors, ","), i.InvitedBy, day(i.ExpiresAt), invitationState(i)})
	}
	table(out, rows...)
}

func invitationState(i api.Invitation) string {
	switch {
	case i.AcceptedAt != nil:
		return "accepted"
	case i.RevokedAt != nil:
		return "revoked"
	case i.ExpiresAt.Before(time.Now()):
		return "expired"
	}
	return "open"
}

func newTeamAudit(a *app) *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:     "audit",
		Short:   "Show changes of access and erasures, newest first",
		Example: "  lukasa team audit --limit 20",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usage("use --limit 50", "a limit of %d shows nothing", limit)
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				log := api.AuditPage{Entries: []api.AuditEntry{}}
				for e, err := range conn.Audit.All(ctx, api.ListOptions{PageSize: min(limit, 200)}) {
					if err != nil {
						return err
					}
					if log.Entries = append(log.Entries, e); len(log.Entries) == limit {
						break
					}
				}
				return a.result(s, log, func(out io.Writer) { writeAudit(out, log.Entries) })
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 50, "how many to show")
	return c
}

func writeAudit(out io.Writer, entries []api.AuditEntry) {
	rows := [][]string{{"AT", "ACTION", "TARGET", "BY", "DETAIL"}}
	for _, e := range entries {
		by := e.Actor.Kind
		if e.Actor.Name != "" {
			by = e.Actor.Name
		}
		rows = append(rows, []string{day(e.At), e.Action, e.Target, by, e.Detail})
	}
	table(out, rows...)
}
