package cmd

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"strings"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/auth"
)

// maxTypedKey bounds what is read of standard input as a key, in bytes.
const maxTypedKey = 16 << 10

type loginFlags struct {
	withKey, device, insecure bool
	clientID, scope           string
}

// signedIn is what `login -o json` prints.
type signedIn struct {
	Endpoint   string        `json:"endpoint"`
	Credential string        `json:"credential"` // the kind: key or session
	Store      string        `json:"store"`      // keyring or file
	Identity   *api.Identity `json:"identity"`   // null when the endpoint did not tell
}

func newLogin(a *app) *cobra.Command {
	var f loginFlags
	c := &cobra.Command{
		Use:   "login",
		Short: "Sign in at an endpoint",
		Long: `Sign in at an endpoint, in the browser or, where there is none, with a code that is typed on another device.
Running agents take the new session without being started again. The session is kept in the system's keyring.`,
		Example: `  lukasa login --api https://memory.example.com
  lukasa login --api https://memory.example.com --device
  lukasa login --api https://memory.example.com --with-api-key`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error { return a.login(c, f) },
	}
	c.Flags().BoolVar(&f.withKey, "with-api-key", false, "read an API key from standard input and keep it")
	c.Flags().BoolVar(&f.device, "device", false, "sign in on another device, with a code")
	c.Flags().BoolVar(&f.insecure, "insecure-storage", false, "keep the session in a file of yours instead of the keyring")
	c.Flags().StringVar(&f.clientID, "client-id", auth.DefaultClientID, "`id` of this client at the authorization server")
	c.Flags().StringVar(&f.scope, "scope", "", "`scopes` to ask for, separated by blanks; the server's own by default")
	return c
}

func (a *app) login(c *cobra.Command, f loginFlags) error {
	if f.withKey && f.device {
		return usage("choose one of them", "--with-api-key and --device are two ways to sign in")
	}
	s, err := a.settings(c, forPeople())
	if err != nil {
		return err
	}
	if s.API.Value == endpointLocal {
		return usage("name an endpoint: lukasa login --api https://HOST", "the memory of this machine needs no sign-in")
	}
	endpoint, err := a.parseEndpoint(s)
	if err != nil {
		return err
	}
	// The client knows which endpoints it takes, and says what is wrong with others.
	if _, err := a.client(s, endpoint, auth.Credential{Kind: auth.KindNone}, api.Transport()); err != nil {
		return err
	}
	sessions, place, err := a.store(c.Context(), endpoint, f.insecure)
	if err != nil {
		return err
	}
	session, who, err := a.newSession(c.Context(), s, endpoint, f)
	if err != nil {
		return err
	}
	session.Place = place
	if err := sessions.Save(c.Context(), session); err != nil {
		return withHint(err, "nobody is signed in by this; the session that was there before is unchanged")
	}
	out := signedIn{Endpoint: s.API.Value, Credential: string(session.Kind), Store: string(place), Identity: who}
	if err := a.result(s, out, func(w io.Writer) { writeSignedIn(w, out, sessions.File(session.Endpoint)) }); err != nil {
		return err
	}
	a.warnOfVariables("which goes before the session")
	return a.adoptEndpoint(s)
}

// store opens the store of sessions and checks that it takes one, before anybody signs in for nothing.
func (a *app) store(ctx context.Context, endpoint *url.URL, insecure bool) (*auth.Sessions, auth.Place, error) {
	dir, err := a.sessionsDir()
	if err != nil {
		return nil, "", err
	}
	canonical, err := auth.Canonical(endpoint)
	if err != nil {
		return nil, "", err
	}
	var waiting func()
	if isTerminal(a.Err) {
		waiting = func() {
			fmt.Fprintln(a.Err, "waiting for the keyring: it may be asking for its password in a window")
		}
	}
	sessions := auth.NewSessions(dir, waiting)
	place := auth.PlaceKeyring
	if insecure || sessions.PlaceOf(canonical) == auth.PlaceFile {
		place = auth.PlaceFile
	}
	err = sessions.Prepare(ctx, canonical, place)
	if err != nil && place == auth.PlaceKeyring {
		hint := "start or unlock the keyring; or keep the session in a file that only you can read, with --insecure-storage"
		return nil, "", &failure{code: exitFailed, message: "keeping the session", cause: err, hint: hint}
	}
	if err != nil {
		// Signing in does not clear away what it can't trust: logging out does.
		return nil, "", withHint(err, "see why, and make it yours alone; or run `lukasa logout --api "+endpoint.Redacted()+"` first")
	}
	return sessions, place, nil
}

// newSession signs in. The identity is nil when the endpoint did not tell, which is no reason to lose a login.
func (a *app) newSession(ctx context.Context, s settings, endpoint *url.URL, f loginFlags) (*auth.Session, *api.Identity, error) {
	if f.withKey {
		return a.keySession(ctx, s, endpoint)
	}
	l := auth.Login{
		Endpoint: endpoint, ClientID: f.clientID, Scopes: strings.Fields(f.scope), AllowHTTP: a.flags.allowHTTP,
		Transport: api.Transport(), Tell: func(text string) { fmt.Fprintln(a.Err, plain(text)) },
	}
	if !f.device && a.hasBrowser() {
		l.Open = a.openBrowser
	}
	session, err := l.Run(ctx)
	if err != nil {
		return nil, nil, err
	}
	who, err := a.identity(ctx, s, endpoint, session)
	if err != nil {
		fmt.Fprint(a.Err, prefixed("warning: ", "the endpoint did not say who you are: "+plain(err.Error())))
	}
	return session, who, nil
}

// keySession reads a key from standard input. A key that the endpoint refuses is not kept.
func (a *app) keySession(ctx context.Context, s settings, endpoint *url.URL) (*auth.Session, *api.Identity, error) {
	if isTerminal(a.In) {
		return nil, nil, usage("lukasa login --with-api-key < key.txt", "the API key is read from standard input, which is a terminal")
	}
	text, err := io.ReadAll(io.LimitReader(a.In, maxTypedKey))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the API key from standard input: %w", err)
	}
	session, err := auth.NewKeySession(endpoint, string(text), "standard input")
	if err != nil {
		return nil, nil, err
	}
	who, err := a.identity(ctx, s, endpoint, session)
	if err != nil {
		return nil, nil, withHint(fmt.Errorf("trying the key: %w", err), "nothing was kept")
	}
	return session, who, nil
}

// identity asks the endpoint who a session is.
func (a *app) identity(ctx context.Context, s settings, endpoint *url.URL, session *auth.Session) (*api.Identity, error) {
	conn, err := a.client(s, endpoint, auth.Credential{}, session.Transport(endpoint, api.Transport()))
	if err != nil {
		return nil, err
	}
	return conn.WhoAmI.Get(ctx)
}

// hasBrowser reports whether a browser that opens here would be seen by the person who types.
func (a *app) hasBrowser() bool {
	if a.Browse != nil {
		return true
	}
	if a.Getenv("SSH_CONNECTION") != "" || a.Getenv("SSH_TTY") != "" {
		return false
	}
	return runtime.GOOS == "windows" || runtime.GOOS == "darwin" || a.Getenv("DISPLAY") != "" || a.Getenv("WAYLAND_DISPLAY") != ""
}

func (a *app) openBrowser(ctx context.Context, address string) error {
	if a.Browse != nil {
		return a.Browse(ctx, address)
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	// A browser inherits the environment, and lives for long.
	if err := os.Unsetenv(auth.EnvKey); err != nil {
		return err
	}
	return browser.OpenURL(address)
}

func writeSignedIn(w io.Writer, s signedIn, file string) {
	who := ""
	if s.Identity != nil {
		if name := s.Identity.User + s.Identity.Label; name != "" {
			who = " as " + oneLine(name)
		}
	}
	fmt.Fprintf(w, "signed in at %s%s\n", oneLine(s.Endpoint), who)
	if s.Store == string(auth.PlaceFile) {
		fmt.Fprintf(w, "kept in %s, which whoever can read your files can use\n", oneLine(file))
		return
	}
	fmt.Fprintln(w, "kept in the keyring")
}

// warnOfVariables tells of environment variables that hold a key.
func (a *app) warnOfVariables(what string) {
	for _, name := range []string{auth.EnvKey, auth.EnvKeyFile} {
		if a.Getenv(name) != "" {
			fmt.Fprintf(a.Err, "warning: %s is set, %s\n", name, what)
		}
	}
}

// adoptEndpoint makes the endpoint of --api the default one when there is none yet, so that an agent's command line
// needs no endpoint.
func (a *app) adoptEndpoint(s settings) error {
	if s.API.Source != "--api" {
		return nil
	}
	file, err := a.readConfig()
	if err != nil {
		return err
	}
	if file.API != "" {
		if file.API != s.API.Value {
			fmt.Fprintf(a.Err, "note: the default endpoint stays %s (config.toml)\n", oneLine(file.API))
		}
		return nil
	}
	path, err := a.configFile()
	if err == nil {
		err = setEndpoint(path, s.API.Value)
	}
	if err != nil {
		fmt.Fprint(a.Err, prefixed("warning: ", "the default endpoint could not be set: "+plain(err.Error())))
		return nil
	}
	fmt.Fprintf(a.Err, "note: %s is now the default endpoint (api in %s)\n", oneLine(s.API.Value), oneLine(path))
	if v := a.Getenv(envAPI); v != "" && v != s.API.Value {
		fmt.Fprintf(a.Err, "warning: %s is set to %s, which goes before it\n", envAPI, oneLine(v))
	}
	return nil
}
