package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

// demoPatience bounds the demonstration: it takes about a second.
const demoPatience = time.Minute

func newDemo(a *app) *cobra.Command {
	var trace bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "See an agent remember and recall, on a throw-away memory",
		Long: `Play a desktop agent: start "lukasa mcp" as a host would, on a memory that is thrown away at the end, remember two
conversations over MCP, look at what became of them, and recall. --trace shows every frame of the protocol.`,
		Example: "  lukasa demo --trace",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), demoPatience)
			defer cancel()
			ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal is closed: that must tidy up too
			defer stop()
			defer holdPipeSignals()()
			out := &lockedWriter{w: a.Out, fail: cancel}
			err := (&demo{out: out, trace: trace}).run(ctx)
			return out.explain(err)
		},
	}
	c.Flags().BoolVar(&trace, "trace", false, "show every frame of the protocol")
	return c
}

// holdPipeSignals keeps the process alive when nobody reads its output any more, so that it can tidy up after itself:
// the writing fails instead. The returned function takes that back.
func holdPipeSignals() (release func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}

// demo is one performance.
type demo struct {
	out     io.Writer
	trace   bool
	session *mcp.ClientSession
}

func (d *demo) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "lukasa-demo-")
	if err != nil {
		return fmt.Errorf("making a throw-away memory: %w", err)
	}
	defer func() {
		if removing := os.RemoveAll(dir); err == nil {
			err = removing
		}
	}()
	host, err := startHost(ctx, dir, d.traceTo())
	if err != nil {
		return err
	}
	d.step("An agent host starts `lukasa mcp --workspace demo --create` over a throw-away memory.")
	client := mcp.NewClient(&mcp.Implementation{Name: "lukasa-demo", Version: version()}, nil)
	d.session, err = client.Connect(ctx, host.transport(), nil)
	if err != nil {
		return errors.Join(fmt.Errorf("starting the server: %w", err), host.stop())
	}
	err = d.play(ctx)
	return errors.Join(err, d.session.Close(), host.stop())
}

func (d *demo) traceTo() io.Writer {
	if d.trace {
		return d.out
	}
	return nil
}

func (d *demo) play(ctx context.Context) error {
	if err := d.meet(ctx); err != nil {
		return err
	}
	err := d.remember(ctx, "The agent remembers a conversation.", []api.Turn{
		{Role: "user", Content: "I live in Utrecht, and I prefer short answers."},
		{Role: "assistant", Content: "Noted. What are you building?"},
		{Role: "user", Content: "A billing service. We use PostgreSQL 16 for it, and we decided to ship on Tuesdays."},
	})
	if err != nil {
		return err
	}
	if err := d.recall(ctx, "which database does the billing service use?"); err != nil {
		return err
	}
	err = d.remember(ctx, "Weeks later something has changed.", []api.Turn{
		{Role: "user", Content: "I moved to Ghent. The rest is as it was."},
	})
	if err != nil {
		return err
	}
	if err := d.recall(ctx, "where do I live?"); err != nil {
		return err
	}
	d.step("Done. To keep a memory: `lukasa workspace create notes`, then have a host start `lukasa mcp --workspace notes`.")
	return nil
}

func (d *demo) meet(ctx context.Context) error {
	tools, err := d.session.ListTools(ctx, nil)
	if err != nil {
		return fmt.Errorf("listing the tools: %w", err)
	}
	info := d.session.InitializeResult()
	d.say("protocol %s, server %s %s", info.ProtocolVersion, info.ServerInfo.Name, info.ServerInfo.Version)
	for _, t := range tools.Tools {
		d.say("tool     %s", t.Name)
	}
	return nil
}

// formed is what formation_outcome answers.
type formed struct {
	Handle     string          `json:"handle"`
	Status     string          `json:"status"`
	Candidates []api.Candidate `json:"candidates"`
}

func (d *demo) remember(ctx context.Context, title string, turns []api.Turn) error {
	d.step(title)
	for _, t := range turns {
		d.say("%-9s %s", t.Role, t.Content)
	}
	var accepted formed
	if err := d.call(ctx, "remember_conversation", map[string]any{"turns": turns}, &accepted); err != nil {
		return err
	}
	d.say("=> %s, %s", accepted.Handle, accepted.Status)
	outcome, err := d.outcome(ctx, accepted.Handle)
	if err != nil {
		return err
	}
	d.step("Its outcome: %s. Every candidate has its decision:", outcome.Status)
	for _, c := range outcome.Candidates {
		text := oneLine(c.Text)
		if c.Reason != "" {
			text += " (" + oneLine(c.Reason) + ")"
		}
		d.say("%-13s %-12s %s", c.Decision, c.Kind, text)
	}
	return nil
}

func (d *demo) outcome(ctx context.Context, handle string) (formed, error) {
	for {
		var f formed
		if err := d.call(ctx, "formation_outcome", map[string]any{"handle": handle}, &f); err != nil {
			return f, err
		}
		if f.Status != "running" {
			return f, nil
		}
		select {
		case <-ctx.Done():
			return f, fmt.Errorf("waiting for the outcome: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (d *demo) recall(ctx context.Context, query string) error {
	d.step("The agent recalls: %s", query)
	var r api.Recall
	if err := d.call(ctx, "recall_memory", map[string]any{"query": query, "limit": 2}, &r); err != nil {
		return err
	}
	if len(r.Passages) == 0 {
		return errors.New("recalling: nothing was found")
	}
	for _, p := range r.Passages {
		d.say("passage   %s (%s, %s)", oneLine(p.Text), p.Role, day(p.SaidAt))
	}
	for _, e := range r.Graph.Edges {
		d.say("assertion %s (qualified: %v)", oneLine(e.Statement), e.Qualified)
	}
	return nil
}

// call calls a tool and decodes its structured content.
func (d *demo) call(ctx context.Context, tool string, arguments, into any) error {
	res, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("calling %s: %w", tool, err)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return fmt.Errorf("reading the answer of %s: %w", tool, err)
	}
	if res.IsError {
		return fmt.Errorf("calling %s: %s", tool, contentText(res))
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", tool, err)
	}
	return nil
}

func contentText(res *mcp.CallToolResult) string {
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text
		}
	}
	return "no reason was given"
}

func (d *demo) step(format string, args ...any) { fmt.Fprintf(d.out, "\n"+format+"\n", args...) }

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, "  "+format+"\n", args...) }
