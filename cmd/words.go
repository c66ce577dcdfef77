package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// noWords refuses every word that is neither a command nor a flag.
func noWords(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("see `"+c.CommandPath()+" --help`", "unexpected word %q after %s", args[0], c.CommandPath())
}

// words takes exactly the words that are named.
func words(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage("see `"+c.CommandPath()+" --help`", "%s needs %s", c.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return usage("see `"+c.CommandPath()+" --help`; put several words in quotes", "unexpected word %q after %s", args[len(names)], c.CommandPath())
		}
		return nil
	}
}

// showHelp is what a command does that only has others below it.
func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

type completion = func(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// completeFirst completes the first word only.
func (a *app) completeFirst(f completion) completion {
	return func(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(c, args, prefix)
	}
}
