package cmd

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Streams are what a command reads, writes and is told by the environment.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(name string) string
	// Browse opens a browser at an address; nil means the system's own.
	Browse func(ctx context.Context, address string) error
}

// app is what all commands share: the streams, the global flags, and nothing that outlives one run.
type app struct {
	Streams
	flags globalFlags
	// running is set once a command's own code runs: until then an error is one of usage.
	running bool
}

type globalFlags struct {
	api, output, logLevel, keyFile string
	allowHTTP                      bool
}

// Main runs the command line of the process and returns its exit code: 0 done, 1 failed, 2 wrong usage, 4 not signed
// in, refused or not permitted.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv})
}

// Run runs one command line and returns its exit code, see [Main].
func Run(ctx context.Context, args []string, streams Streams) int {
	a := &app{Streams: streams}
	root := a.rootFor(args)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	return a.report(err)
}

// rootFor returns the command line as far as args need it: a host waits for "lukasa mcp", which is spared the rest.
func (a *app) rootFor(args []string) *cobra.Command {
	if len(args) == 0 || args[0] != "mcp" {
		return newRoot(a)
	}
	root := newTop(a)
	root.AddCommand(newMCP(a))
	return root
}

func newRoot(a *app) *cobra.Command {
	root := newTop(a)
	root.AddCommand(
		newDemo(a), newMCP(a), newRemember(a), newRecall(a), newFormation(a), newWorkspace(a), newKey(a), newTeam(a),
		newServe(a), newLogin(a), newLogout(a), newWhoAmI(a), newVersion(a), newEnvironmentHelp(),
	)
	return root
}

// newTop is the command without those below it.
func newTop(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "lukasa",
		Short: "Memory for desktop AI agents",
		Long: `lukasa gives desktop AI agents a memory.

An agent host starts "lukasa mcp --workspace NAME" and gets three tools: recall_memory, remember_conversation and
formation_outcome. Without any configuration the memory is kept on this machine.`,
		Example:       "  lukasa demo\n  lukasa workspace create notes\n  lukasa mcp --workspace notes",
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.running = true
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.flags.api, "api", "", "endpoint: the `URL` of a memory API, or local")
	flags.StringVarP(&a.flags.output, "output", "o", "", "output `format`: text or json")
	flags.StringVar(&a.flags.logLevel, "log-level", "", "log `level`: debug, info, warn or error")
	flags.StringVar(&a.flags.keyFile, "api-key-file", "", "`file` that holds the API key")
	flags.BoolVar(&a.flags.allowHTTP, "allow-http", false, "allow plain http to hosts other than this machine")
	complete(root, "output", "text", "json")
	complete(root, "log-level", "debug", "info", "warn", "error")
	return root
}

// complete offers fixed values for a flag. The flag is there, so registering can't fail.
func complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// logger writes to stderr from the configured level up.
func (a *app) logger(level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: l}))
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
