package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
)

const (
	outputText = "text"
	outputJSON = "json"
	// endpointLocal is the endpoint that is this process itself, over the store on this machine.
	endpointLocal = "local"

	envAPI          = "LUKASA_API_URL"
	envWorkspace    = "LUKASA_WORKSPACE"
	envMCPWorkspace = "LUKASA_MCP_WORKSPACE"
	envOutput       = "LUKASA_OUTPUT"
)

// setting is a value with where it came from: "--flag", a variable, "config.toml", or "default".
type setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// settings is the configuration of one run.
type settings struct {
	API       setting `json:"api"`
	Workspace setting `json:"workspace"`
	Output    setting `json:"output"`
	LogLevel  setting `json:"log_level"`
	MaxReply  setting `json:"max_reply"`
}

// configuration is the file's content. Nothing secret belongs in it.
type configuration struct {
	API       string `toml:"api"`
	Workspace string `toml:"workspace"`
	Output    string `toml:"output"`
	LogLevel  string `toml:"log_level"`
	MaxReply  int    `toml:"max_reply"`
}

// audience is for whom a command runs: people's defaults never pin an agent, nor choose its output.
type audience struct{ workspaceEnv, outputEnv string }

func forPeople() audience { return audience{envWorkspace, envOutput} }

func forAgent() audience { return audience{workspaceEnv: envMCPWorkspace} }

// settings resolves every setting: flag before environment before file before default.
func (a *app) settings(c *cobra.Command, who audience) (settings, error) {
	file, err := a.readConfig()
	if err != nil {
		return settings{}, err
	}
	return a.resolve(c, who, file)
}

// resolve is settings with a file that was read.
func (a *app) resolve(c *cobra.Command, who audience, file configuration) (settings, error) {
	pick := func(flag, variable, inFile, fallback string) setting {
		if f := c.Flags().Lookup(flag); f != nil && f.Changed {
			return setting{f.Value.String(), "--" + flag}
		}
		if variable != "" {
			if v := a.Getenv(variable); v != "" {
				return setting{v, variable}
			}
		}
		if inFile != "" {
			return setting{inFile, "config.toml"}
		}
		return setting{fallback, "default"}
	}
	maxReply := ""
	if file.MaxReply != 0 {
		maxReply = strconv.Itoa(file.MaxReply)
	}
	if who == forAgent() {
		file.Workspace, file.Output = "", ""
	}
	s := settings{
		API:       pick("api", envAPI, file.API, endpointLocal),
		Workspace: pick("workspace", who.workspaceEnv, file.Workspace, ""),
		Output:    pick("output", who.outputEnv, file.Output, outputText),
		LogLevel:  pick("log-level", "", file.LogLevel, "warn"),
		MaxReply:  pick("max-reply", "", maxReply, "0"),
	}
	return s, s.check()
}

func (s settings) check() error {
	if s.Output.Value != outputText && s.Output.Value != outputJSON {
		return usage("use text or json", "output %q of %s is not a format", s.Output.Value, s.Output.Source)
	}
	switch s.LogLevel.Value {
	case "debug", "info", "warn", "error":
	default:
		return usage("use debug, info, warn or error", "log level %q of %s is not a level", s.LogLevel.Value, s.LogLevel.Source)
	}
	return nil
}

func (a *app) readConfig() (configuration, error) {
	var c configuration
	path, err := a.configFile()
	if err != nil {
		// Without a home folder there is no configuration file; what needs one says so itself.
		return c, nil //nolint:nilerr // see above
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, &failure{code: exitUsage, message: "reading the configuration file", cause: err}
	}
	err = toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields().Decode(&c)
	if err == nil {
		return c, nil
	}
	return c, usage("it takes api, workspace, output, log_level and max_reply", "%s:%s", path, configFault(err))
}

// configFault is the line and what is wrong there.
func configFault(err error) string {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := unknown.Errors[0]
		row, _ := e.Position()
		return fmt.Sprintf("%d: unknown key %q", row, strings.Join(e.Key(), "."))
	}
	var syntax *toml.DecodeError
	if errors.As(err, &syntax) {
		row, _ := syntax.Position()
		return fmt.Sprintf("%d: %s", row, strings.TrimPrefix(syntax.Error(), "toml: "))
	}
	return " " + err.Error()
}

// needWorkspace is the workspace of a command that can't do without one.
func (s settings) needWorkspace() (string, error) {
	if s.Workspace.Value == "" {
		return "", usage("name it with --workspace, or set "+envWorkspace, "no workspace is named")
	}
	return s.Workspace.Value, checkWorkspace(s.Workspace)
}

// checkWorkspace refuses what no workspace can be called.
func checkWorkspace(w setting) error {
	if api.ValidWorkspaceName(w.Value) {
		return nil
	}
	return usage("use lower-case letters, digits, '.', '_' and '-', such as team.app",
		"%q of %s is not a workspace name", w.Value, w.Source)
}

// workspaceWord takes exactly one word, the name of a workspace.
func workspaceWord(c *cobra.Command, args []string) error {
	if err := words("NAME")(c, args); err != nil {
		return err
	}
	return checkWorkspace(setting{args[0], "NAME"})
}

// workspaceFlag adds -w to a command and completes it with the names there are.
func (a *app) workspaceFlag(c *cobra.Command) {
	c.Flags().StringP("workspace", "w", "", "`name` of the workspace ($"+envWorkspace+")")
	_ = c.RegisterFlagCompletionFunc("workspace", a.completeWorkspaces)
}
