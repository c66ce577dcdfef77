package cmd

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func testApp() *app {
	return &app{Streams: Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}}
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

func TestEveryCommandHelps(t *testing.T) {
	walk(newRoot(testApp()), func(c *cobra.Command) {
		if c.IsAdditionalHelpTopicCommand() {
			return
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no short description or no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			if !strings.Contains(line, "lukasa ") || !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is no command line", c.CommandPath(), line)
			}
		}
	})
}

// TestExamplesParse runs the words of every example through the command's own parsing, up to its code.
func TestExamplesParse(t *testing.T) {
	var examples []string
	walk(newRoot(testApp()), func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			_, words, _ := strings.Cut(line, "lukasa ")
			examples = append(examples, strings.TrimSpace(words))
		}
	})
	for _, example := range examples {
		root := newRoot(testApp())
		walk(root, func(c *cobra.Command) {
			if c.RunE != nil {
				c.RunE = func(*cobra.Command, []string) error { return nil }
			}
		})
		root.SetArgs(splitWords(example))
		if err := root.Execute(); err != nil {
			t.Errorf("lukasa %s: %v", example, err)
		}
	}
}

// splitWords splits like a shell that knows single quotes alone.
func splitWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
