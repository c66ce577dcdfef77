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

func newWorkspace(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "workspace",
		Aliases: []string{"workspaces", "agents"},
		Short:   "Create, list, show and delete workspaces",
		Long:    "A workspace is an isolated memory. Names are lower-case letters, digits, '.', '_' and '-'; '.' separates levels.",
		Example: "  lukasa workspace create notes\n  lukasa workspace list",
		Args:    noWords,
		RunE:    showHelp,
	}
	c.AddCommand(newWorkspaceCreate(a), newWorkspaceList(a), newWorkspaceShow(a), newWorkspaceDelete(a))
	return c
}

func newWorkspaceCreate(a *app) *cobra.Command {
	var title string
	c := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create a workspace",
		Example: "  lukasa workspace create team.app --title 'The app of the team'",
		Args:    workspaceWord,
		RunE: func(c *cobra.Command, args []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				w, err := conn.Workspaces.Create(ctx, api.CreateWorkspace{Name: args[0], Title: title})
				if errors.Is(err, api.ErrAlreadyExists) {
					return withHint(err, fmt.Sprintf("see it with `lukasa workspace show %s`", args[0]))
				}
				if err != nil {
					return err
				}
				return a.result(s, w, func(out io.Writer) {
					fmt.Fprintf(out, "workspace %s created %s\n", w.Name, place(conn.endpoint))
				})
			})
		},
	}
	c.Flags().StringVar(&title, "title", "", "`text` that tells people what it is for")
	return c
}

func newWorkspaceList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the workspaces that you reach",
		Example: "  lukasa workspace list -o json",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				page := api.WorkspacePage{Workspaces: []api.Workspace{}}
				for w, err := range conn.Workspaces.All(ctx, api.ListOptions{}) {
					if err != nil {
						return err
					}
					page.Workspaces = append(page.Workspaces, w)
				}
				return a.result(s, page, func(out io.Writer) {
					if len(page.Workspaces) == 0 {
						fmt.Fprintf(out, "no workspaces %s; create one with `lukasa workspace create NAME`\n", place(conn.endpoint))
						return
					}
					rows := [][]string{{"NAME", "CREATED", "TITLE"}}
					for _, w := range page.Workspaces {
						rows = append(rows, []string{w.Name, day(w.CreatedAt), w.Title})
					}
					table(out, rows...)
				})
			})
		},
	}
}

func newWorkspaceShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show what a workspace holds and what you may do there",
		Example:           "  lukasa workspace show notes",
		Args:              workspaceWord,
		ValidArgsFunction: a.completeFirst(a.completeWorkspaces),
		RunE: func(c *cobra.Command, args []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				w, err := conn.Workspaces.Get(ctx, args[0])
				if err != nil {
					return absentWorkspace(err, args[0], conn.endpoint)
				}
				return a.result(s, w, func(out io.Writer) {
					rows := [][]string{{"name", w.Name}}
					if w.Title != "" {
						rows = append(rows, []string{"title", w.Title})
					}
					rows = append(rows, []string{"created", day(w.CreatedAt)})
					if n := w.Counts; n != nil {
						rows = append(rows, []string{"holds", holds(*n)})
					}
					rows = append(rows, []string{"you may", strings.Join(w.Permissions, ", ")})
					table(out, rows...)
				})
			})
		},
	}
}

func newWorkspaceDelete(a *app) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:               "delete NAME",
		Short:             "Erase a workspace and everything in it",
		Long:              "Erase a workspace and everything in it. It can't be undone.",
		Example:           "  lukasa workspace delete notes --yes",
		Args:              workspaceWord,
		ValidArgsFunction: a.completeFirst(a.completeWorkspaces),
		RunE: func(c *cobra.Command, args []string) error {
			if !yes {
				return usage(fmt.Sprintf("to go on: lukasa workspace delete %s --yes", args[0]),
					"deleting workspace %q erases everything in it, for good", args[0])
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				receipt, err := conn.Workspaces.Delete(ctx, args[0])
				if err != nil {
					return absentWorkspace(err, args[0], conn.endpoint)
				}
				return a.result(s, receipt, func(out io.Writer) {
					fmt.Fprintf(out, "workspace %s erased: %s\n", receipt.Workspace, holds(receipt.Removed))
				})
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "really erase it")
	return c
}

func holds(n api.WorkspaceCounts) string {
	return strings.Join([]string{
		plural(n.Passages, "passage", "passages"), plural(n.Entities, "entity", "entities"),
		plural(n.Assertions, "assertion", "assertions"), plural(n.Formations, "formation", "formations"),
	}, ", ")
}

// absentWorkspace says of a workspace that isn't there what people can do about it.
func absentWorkspace(err error, name, endpoint string) error {
	if !errors.Is(err, api.ErrNotFound) {
		return err
	}
	return &failure{
		message: fmt.Sprintf("workspace %q does not exist %s", name, place(endpoint)),
		hint:    fmt.Sprintf("create it with `lukasa workspace create %s`", name),
	}
}

// place says where an endpoint's workspaces are.
func place(endpoint string) string {
	if endpoint == endpointLocal {
		return "in the memory of this machine"
	}
	return "at " + endpoint
}
