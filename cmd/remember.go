package cmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

type rememberOptions struct {
	path             string
	observedAt       string
	wait, dryRun     bool
	observedAtParsed *time.Time
}

func newRemember(a *app) *cobra.Command {
	var o rememberOptions
	c := &cobra.Command{
		Use:   "remember [FILE|-]",
		Short: "Remember a conversation",
		Long: `Submit the turns of a conversation to a workspace: a JSON array of {role, content}, or one such object a line.
With the memory of this machine the memories are formed before the command ends.`,
		Example: `  echo '{"role": "user", "content": "I moved to Utrecht."}' | lukasa remember -w notes
  lukasa remember -w notes --dry-run conversation.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noWords(c, args[1:])
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.path = "-"
			if len(args) == 1 {
				o.path = args[0]
			} else if isTerminal(a.In) {
				return usage("name a file, or pipe the conversation in", "there is no conversation on standard input")
			}
			return a.remember(c, o)
		},
	}
	a.workspaceFlag(c)
	c.Flags().StringVar(&o.observedAt, "observed-at", "", "when it took place, as an RFC 3339 `time` such as 2026-03-30T14:00:00+02:00")
	c.Flags().BoolVar(&o.wait, "wait", false, "wait for the outcome")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be decided, and write nothing")
	return c
}

func (a *app) remember(c *cobra.Command, o rememberOptions) error {
	if o.observedAt != "" {
		at, err := time.Parse(time.RFC3339Nano, o.observedAt)
		if err != nil {
			return usage("write it as 2026-03-30T14:00:00+02:00", "--observed-at %q is not an RFC 3339 time", o.observedAt)
		}
		o.observedAtParsed = &at
	}
	turns, err := a.readConversation(o.path)
	if err != nil {
		return err
	}
	submission := api.SubmitFormation{
		Turns: turns, ObservedAt: o.observedAtParsed,
		Source: &api.Source{Via: "cli", Client: &api.SourceClient{Name: "lukasa", Version: version()}},
	}
	return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
		workspace, err := s.needWorkspace()
		if err != nil {
			return err
		}
		if o.dryRun {
			return a.plan(ctx, s, conn, workspace, submission)
		}
		f, err := conn.Formations.Submit(ctx, workspace, submission)
		if err == nil && (o.wait || conn.local != nil) {
			f, err = conn.Formations.Wait(ctx, workspace, f.Handle)
		}
		if err != nil {
			return absentWorkspace(err, workspace, conn.endpoint)
		}
		if err := a.result(s, f, func(out io.Writer) { writeFormation(out, f) }); err != nil {
			return err
		}
		if f.State == api.FormationFailed {
			return silent(exitFailed)
		}
		return nil
	})
}

func (a *app) plan(ctx context.Context, s settings, conn *connection, workspace string, submission api.SubmitFormation) error {
	plan, err := conn.Formations.Plan(ctx, workspace, submission)
	if err != nil {
		return absentWorkspace(err, workspace, conn.endpoint)
	}
	return a.result(s, plan, func(out io.Writer) {
		fmt.Fprintf(out, "%s would be formed by %s: %s\n", plan.Handle, plan.Extractor.Name, writes(plan.Writes))
		writeRedactions(out, plan.Redactions)
		writeCandidates(out, plan.Candidates)
	})
}
