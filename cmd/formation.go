package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

func newFormation(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "formation",
		Aliases: []string{"formations"},
		Short:   "Show what formations decided, and why",
		Long:    "A formation is the making of memories out of one conversation. Its handle is derived from the conversation.",
		Example: "  lukasa formation list -w notes",
		Args:    noWords,
		RunE:    showHelp,
	}
	c.AddCommand(newFormationShow(a), newFormationList(a))
	return c
}

func newFormationShow(a *app) *cobra.Command {
	var wait bool
	c := &cobra.Command{
		Use:               "show HANDLE",
		Short:             "Show the outcome of a formation, candidate by candidate",
		Example:           "  lukasa formation show -w notes fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho",
		Args:              words("HANDLE"),
		ValidArgsFunction: a.completeFirst(a.completeHandles),
		RunE: func(c *cobra.Command, args []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				workspace, err := s.needWorkspace()
				if err != nil {
					return err
				}
				get := conn.Formations.Get
				if wait {
					get = conn.Formations.Wait
				}
				f, err := get(ctx, workspace, args[0])
				if errors.Is(err, api.ErrNotFound) {
					return withHint(err, fmt.Sprintf("see them with `lukasa formation list -w %s`", workspace))
				}
				if err != nil {
					return err
				}
				return a.result(s, f, func(out io.Writer) { writeFormation(out, f) })
			})
		},
	}
	a.workspaceFlag(c)
	c.Flags().BoolVar(&wait, "wait", false, "wait until it has ended")
	return c
}

func newFormationList(a *app) *cobra.Command {
	var state string
	var limit int
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the formations of a workspace, newest first",
		Example: "  lukasa formation list -w notes --state failed",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usage("use 1 or more", "--limit %d is not a number of formations", limit)
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				workspace, err := s.needWorkspace()
				if err != nil {
					return err
				}
				page := api.FormationPage{Formations: []api.Formation{}}
				for f, err := range conn.Formations.All(ctx, workspace, api.FormationListOptions{State: api.FormationState(state)}) {
					if err != nil {
						return absentWorkspace(err, workspace, conn.endpoint)
					}
					if page.Formations = append(page.Formations, f); len(page.Formations) == limit {
						break
					}
				}
				return a.result(s, page, func(out io.Writer) { writeFormations(out, page.Formations) })
			})
		},
	}
	a.workspaceFlag(c)
	c.Flags().StringVar(&state, "state", "", "only those in this `state`: queued, running, finished or failed")
	c.Flags().IntVar(&limit, "limit", 50, "at most this `many`")
	complete(c, "state", "queued", "running", "finished", "failed")
	return c
}

func writeFormations(out io.Writer, list []api.Formation) {
	if len(list) == 0 {
		fmt.Fprintln(out, "no formations")
		return
	}
	rows := [][]string{{"HANDLE", "STATE", "SUBMITTED", "NEW", "REVISED", "KNOWN", "REJECTED"}}
	for _, f := range list {
		d := f.Decisions
		rows = append(rows, []string{
			f.Handle, string(f.State), day(f.SubmittedAt),
			fmt.Sprint(d.New), fmt.Sprint(d.Revised), fmt.Sprint(d.AlreadyKnown), fmt.Sprint(d.Rejected),
		})
	}
	table(out, rows...)
}

func writeFormation(out io.Writer, f *api.Formation) {
	fmt.Fprintf(out, "%s %s", f.Handle, f.State)
	switch f.State {
	case api.FormationFinished:
		fmt.Fprintf(out, ": %s", writes(f.Writes))
	case api.FormationFailed:
		fmt.Fprintf(out, ": %s (%s)", oneLine(f.Error), writes(f.Writes))
	case api.FormationQueued, api.FormationRunning:
	}
	fmt.Fprintln(out)
	writeRedactions(out, f.Redactions)
	writeCandidates(out, f.Candidates)
}

func writeRedactions(out io.Writer, redactions []api.Redaction) {
	for _, r := range redactions {
		fmt.Fprintf(out, "  redacted: %s in turn %d\n", plural(r.Count, r.Kind, r.Kind+" values"), r.Turn)
	}
}

func writeCandidates(out io.Writer, candidates []api.Candidate) {
	var rows [][]string
	for _, c := range candidates {
		text := shorten(c.Text, 100)
		if c.Reason != "" {
			text += " (" + c.Reason + ")"
		}
		rows = append(rows, []string{"  " + string(c.Decision), string(c.Kind), text})
	}
	for _, row := range rows {
		fmt.Fprintf(out, "%-15s  %-12s  %s\n", row[0], row[1], oneLine(row[2]))
	}
}

func writes(w api.Writes) string {
	if w.Total() == 0 {
		return "nothing written"
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{w.Passages, "passage", "passages"}, {w.Entities, "entity", "entities"},
		{w.Assertions, "assertion", "assertions"}, {w.Supersessions, "supersession", "supersessions"},
	} {
		if p.n > 0 {
			parts = append(parts, plural(p.n, p.one, p.many))
		}
	}
	return strings.Join(parts, ", ") + " written"
}

// shorten cuts s to about n characters.
func shorten(s string, n int) string {
	s = oneLine(s)
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return strings.TrimSpace(string(runes[:n-1])) + "…"
}

// completeHandles lists the newest handles of the workspace for the shell.
func (a *app) completeHandles(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	var handles []string
	err := a.call(c, func(ctx context.Context, s settings, conn *connection) error {
		page, err := conn.Formations.List(ctx, s.Workspace.Value, api.FormationListOptions{})
		if err != nil {
			return err
		}
		for _, f := range page.Formations {
			if formation.ValidHandle(f.Handle) {
				handles = append(handles, f.Handle)
			}
		}
		return nil
	})
	if err != nil {
		return nil, none
	}
	return handles, none
}
