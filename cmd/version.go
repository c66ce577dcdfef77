package cmd

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is that of the module the program was built from, "devel" when it wasn't built from a released one.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func userAgent() string { return "lukasa/" + version() }

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  lukasa version -o json",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := a.settings(c, forPeople())
			if err != nil {
				// Who reports a fault of the configuration file needs the version too.
				s, err = a.resolve(c, forPeople(), configuration{})
			}
			if err != nil {
				return err
			}
			v := struct {
				Version  string `json:"version"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.result(s, v, func(out io.Writer) {
				fmt.Fprintf(out, "lukasa %s (%s, %s)\n", v.Version, v.Go, v.Platform)
			})
		},
	}
}
