package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

func newRecall(a *app) *cobra.Command {
	var limit int
	var asOf string
	c := &cobra.Command{
		Use:     "recall QUERY",
		Short:   "Recall the passages that match a query, most relevant first",
		Example: "  lukasa recall -w notes 'where do I live'\n  lukasa recall -w notes 'where do I live' --as-of 2025-01-01T00:00:00Z",
		Args:    words("QUERY"),
		RunE: func(c *cobra.Command, args []string) error {
			request := api.RecallRequest{Query: args[0], Limit: limit}
			if asOf != "" {
				at, err := time.Parse(time.RFC3339Nano, asOf)
				if err != nil {
					return usage("write it as 2026-03-30T14:00:00+02:00", "--as-of %q is not an RFC 3339 time", asOf)
				}
				request.AsOf = &at
			}
			if limit < 1 || limit > 50 {
				return usage("use 1 to 50", "--limit %d is out of range", limit)
			}
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				workspace, err := s.needWorkspace()
				if err != nil {
					return err
				}
				r, err := conn.Memory.Recall(ctx, workspace, request)
				if err != nil {
					return absentWorkspace(err, workspace, conn.endpoint)
				}
				return a.result(s, r, func(out io.Writer) { writeRecall(out, r) })
			})
		},
	}
	a.workspaceFlag(c)
	c.Flags().IntVar(&limit, "limit", 10, "at most this `many` passages, 1 to 50")
	c.Flags().StringVar(&asOf, "as-of", "", "answer with what held at this RFC 3339 `time`")
	return c
}

func writeRecall(out io.Writer, r *api.Recall) {
	if len(r.Passages) == 0 {
		fmt.Fprintln(out, "no passages match")
	}
	for i, p := range r.Passages {
		note := ""
		if len(p.Flags) > 0 {
			note = ", " + strings.Join(p.Flags, ", ")
		}
		if p.SupersededBy != "" {
			note += ", superseded"
		}
		fmt.Fprintf(out, "%d. %s, %s%s (%s)\n%s\n", i+1, p.Role, day(p.SaidAt), note, p.ID, indent(plain(p.Text)))
	}
	if len(r.Graph.Edges) > 0 {
		fmt.Fprintln(out, "graph:")
	}
	for _, e := range r.Graph.Edges {
		note := ""
		if !e.Qualified {
			note = " (unqualified: " + e.UnqualifiedReason + ")"
		}
		fmt.Fprintf(out, "   %s%s\n", oneLine(e.Statement), note)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "note: %s\n", oneLine(n))
	}
}

func indent(s string) string { return "   " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n   ") }
