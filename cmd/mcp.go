package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/proxy"
)

func newMCP(a *app) *cobra.Command {
	var create bool
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve an agent's memory over MCP on standard input and output",
		Long: `Serve the Model Context Protocol on standard input and output, pinned to one workspace. Agent hosts start it; it ends
when its input does. The workspace comes from --workspace or LUKASA_MCP_WORKSPACE, and nothing that an agent sends can
change it.`,
		Example: "  lukasa mcp --workspace notes --create",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("an agent host starts it as: lukasa mcp --workspace NAME", "lukasa mcp takes no words, but was given %q", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return a.mcp(c, create) },
	}
	c.Flags().StringP("workspace", "w", "", "pin the server to the workspace of this `name` ($"+envMCPWorkspace+")")
	_ = c.RegisterFlagCompletionFunc("workspace", a.completeWorkspaces)
	c.Flags().BoolVar(&create, "create", false, "make the workspace if it is absent")
	c.Flags().Int("max-reply", 0, "longest reply in `bytes`; 0 chooses by host")
	return c
}

func (a *app) mcp(c *cobra.Command, create bool) error {
	if f := c.Flags().Lookup("output"); f != nil && f.Changed {
		return &failure{
			code: exitUsage,
			message: "lukasa mcp writes a protocol on standard output,\n" +
				"so --output " + f.Value.String() + " cannot be honoured",
			hint: "drop --output here;\nthis command has no result to render in any format",
		}
	}
	s, err := a.settings(c, forAgent())
	if err != nil {
		return err
	}
	if s.Workspace.Value == "" {
		return usage("pass --workspace NAME, or set "+envMCPWorkspace, "no workspace is pinned")
	}
	if err := checkWorkspace(s.Workspace); err != nil {
		return err
	}
	maxReply, err := strconv.Atoi(s.MaxReply.Value)
	if err != nil || maxReply < 0 {
		return usage("use a number of bytes, or 0 to choose by host", "max reply %q of %s is not a size", s.MaxReply.Value, s.MaxReply.Source)
	}
	return a.serveMCP(c.Context(), s, create, maxReply)
}

func (a *app) serveMCP(ctx context.Context, s settings, create bool, maxReply int) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // how some hosts end a server
	defer stop()
	stdin, stdout := a.In, a.Out
	if stdin == os.Stdin {
		taken, polled := proxy.TakeStdin()
		if stdin = taken; polled && s.API.Value != endpointLocal && a.Getenv("GOMAXPROCS") == "" {
			// What waits for two streams is faster on one processor: waking threads on another costs more than it gains.
			runtime.GOMAXPROCS(1)
		}
	}
	if stdout == os.Stdout {
		taken, restore, err := proxy.TakeStdout()
		if err != nil {
			return err
		}
		defer restore()
		stdout = taken
	}
	direct := a.Err
	stderr := proxy.NewStderr(direct)
	a.Err = stderr
	defer func() { // a refusal is printed when this is over, and must not be lost
		stderr.Flush()
		a.Err = direct
	}()
	conn, err := a.connect(ctx, s)
	if err != nil {
		return err
	}
	err = proxy.Run(ctx, proxy.Options{
		Workspace: s.Workspace.Value, API: proxy.Client(conn.Client), Endpoint: conn.endpoint, Create: create,
		MaxReply: maxReply, Version: version(), Logger: a.logger(s.LogLevel.Value),
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
	})
	if closing := conn.close(); err == nil {
		err = closing
	}
	return startFailure(err)
}

// startFailure gives the refusals of the start their exit codes.
func startFailure(err error) error {
	var refused *proxy.StartupError
	switch {
	case errors.Is(err, proxy.ErrHostGone):
		return silent(exitFailed)
	case errors.Is(err, context.Canceled):
		return silent(exitDone) // a signal ended it before the start-up check had
	case errors.As(err, &refused):
		return &failure{code: refused.ExitCode(), message: fmt.Sprint(refused), hint: refused.Hint}
	}
	return err
}
