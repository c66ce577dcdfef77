package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/auth"
)

// variables are all environment variables that lukasa reads, with what each is for.
func variables() [][2]string {
	return [][2]string{
		{envAPI, "endpoint: https://…, or local (the default)"},
		{auth.EnvKey, "API key; it goes before the session of lukasa login"},
		{auth.EnvKeyFile, "file that holds the API key, for hosts that strip variables named KEY"},
		{envMCPWorkspace, "the pinned workspace of lukasa mcp, and of nothing else"},
		{envWorkspace, "default workspace of the people's commands"},
		{envOutput, "default of --output; ignored by lukasa mcp"},
		{envDataDir, "folder of the embedded store, and of the sessions of lukasa login"},
		{envConfigDir, "folder of config.toml"},
		{"DBUS_SESSION_BUS_ADDRESS", "the session bus, by which the keyring is found (Linux)"},
		{"SSH_CONNECTION, SSH_TTY", "when set, lukasa login needs no browser on this machine"},
		{"DISPLAY, WAYLAND_DISPLAY", "when neither is set, the same (Linux)"},
		{"NO_COLOR", "never colour the output"},
		{"HTTPS_PROXY, NO_PROXY", "proxies for the way to the endpoint"},
		{"SSL_CERT_FILE, SSL_CERT_DIR", "certificates to trust in place of the system's"},
	}
}

// newEnvironmentHelp is a help topic: it is shown by `lukasa help environment` and does nothing.
func newEnvironmentHelp() *cobra.Command {
	var b strings.Builder
	b.WriteString("Flags go before the environment, the environment before config.toml, and that before the defaults.\n\n")
	for _, v := range variables() {
		fmt.Fprintf(&b, "  %-28s %s\n", v[0], v[1])
	}
	return &cobra.Command{Use: "environment", Short: "The environment variables that lukasa reads", Long: strings.TrimRight(b.String(), "\n")}
}
