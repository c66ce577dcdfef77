package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/auth"
)

// whoAmI is what `whoami -o json` prints.
type whoAmI struct {
	Endpoint   string        `json:"endpoint"`
	Identity   *api.Identity `json:"identity"`
	Credential string        `json:"credential"`           // the kind: none, key or session
	Source     string        `json:"source,omitempty"`     // where the credential came from
	Store      string        `json:"store,omitempty"`      // where a session is kept: keyring or file
	ExpiresAt  *time.Time    `json:"expires_at,omitempty"` // when a session's access token ends; it is renewed before
	Settings   settings      `json:"settings"`             // each with its source
}

func newWhoAmI(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "whoami",
		Short:   "Show who you are to the endpoint, and where each setting comes from",
		Example: "  lukasa whoami -o json",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
				if conn.local == nil && conn.credential.Kind == auth.KindNone {
					return &failure{
						code: exitRefused, message: "not signed in at " + conn.endpoint,
						hint: signIn(conn.url) + ", or set " + auth.EnvKey,
					}
				}
				id, err := conn.WhoAmI.Get(ctx)
				if err != nil {
					return err
				}
				w := describeMe(s, conn, id)
				return a.result(s, w, func(out io.Writer) { writeWhoAmI(out, w) })
			})
		},
	}
}

func describeMe(s settings, conn *connection, id *api.Identity) whoAmI {
	c := conn.credential
	w := whoAmI{
		Endpoint: conn.endpoint, Identity: id, Credential: string(auth.KindNone),
		Source: c.Source, Store: string(c.Place), Settings: s,
	}
	if c.Kind != "" {
		w.Credential = string(c.Kind)
	}
	if at := c.ExpiresAt(); !at.IsZero() {
		w.ExpiresAt = &at
	}
	return w
}

func writeWhoAmI(out io.Writer, w whoAmI) {
	who := w.Identity.Kind
	if name := w.Identity.Label + w.Identity.User; name != "" {
		who += " " + name
	}
	rows := [][]string{{"endpoint", w.Endpoint}, {"identity", who}, {"credential", w.Credential}}
	if w.Source != "" {
		rows = append(rows, []string{"source", w.Source})
	}
	if w.Store != "" {
		rows = append(rows, []string{"store", w.Store})
	}
	if w.ExpiresAt != nil {
		rows = append(rows, []string{"token until", day(*w.ExpiresAt) + ", then renewed"})
	}
	if w.Identity.Role != "" {
		rows = append(rows, []string{"role", w.Identity.Role})
	}
	rows = append(rows,
		[]string{"permissions", strings.Join(w.Identity.Permissions, ", ")},
		[]string{"workspaces", strings.Join(w.Identity.Selectors, ", ")})
	if w.Identity.ExpiresAt != nil {
		rows = append(rows, []string{"expires", day(*w.Identity.ExpiresAt)})
	}
	table(out, rows...)
	fmt.Fprintln(out)
	table(out,
		[]string{"SETTING", "VALUE", "FROM"},
		[]string{"api", w.Settings.API.Value, w.Settings.API.Source},
		[]string{"workspace", w.Settings.Workspace.Value, w.Settings.Workspace.Source},
		[]string{"output", w.Settings.Output.Value, w.Settings.Output.Source},
		[]string{"log_level", w.Settings.LogLevel.Value, w.Settings.LogLevel.Source},
		[]string{"max_reply", w.Settings.MaxReply.Value, w.Settings.MaxReply.Source},
	)
}
