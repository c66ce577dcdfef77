package cmd

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server"
	"github.com/lukasa-dev/lukasa/auth"
)

// localURL is what the in-process client calls its server. Nothing listens there: no request leaves the process.
const localURL = "http://lukasa.localhost"

// connection is a client, what it is connected to, and how it signs in.
type connection struct {
	*api.Client
	endpoint   string
	url        *url.URL // nil when the endpoint is local
	credential auth.Credential
	local      *server.Server // nil unless the endpoint is local
}

// How long a program that ends waits for the renewal of its session. A host kills an agent's server soon; people's
// commands end by themselves, and a renewal takes 15 seconds at the most.
const (
	agentRenewal  = 700 * time.Millisecond
	peopleRenewal = 15 * time.Second
)

// close ends the embedded server, when there is one, and lets a renewal of the session end.
func (c *connection) close() error {
	c.credential.Settle(agentRenewal)
	if c.local == nil {
		return nil
	}
	return c.local.Close()
}

// connect returns a client of the configured endpoint. It sends nothing yet.
func (a *app) connect(ctx context.Context, s settings) (*connection, error) {
	if s.API.Value == endpointLocal {
		return a.connectLocal(ctx, s)
	}
	return a.connectRemote(ctx, s)
}

func (a *app) connectLocal(ctx context.Context, s settings) (*connection, error) {
	if s.API.Source == "default" && (a.Getenv(auth.EnvKey) != "" || a.Getenv(auth.EnvKeyFile) != "" || a.flags.keyFile != "") {
		return nil, usage("set "+envAPI+" to the API that the key is for, or to local to use the memory of this machine",
			"there is an API key, but no endpoint that it is for")
	}
	dsn, err := a.storeDSN()
	if err != nil {
		return nil, err
	}
	srv, err := openStore(ctx, server.Options{Store: dsn, Logger: a.logger(s.LogLevel.Value)})
	if err != nil {
		return nil, err
	}
	client, err := api.NewClient(localURL, api.WithTransport(srv.LocalTransport()), api.WithUserAgent(userAgent()))
	if err != nil {
		return nil, errors.Join(err, srv.Close())
	}
	return &connection{Client: client, endpoint: endpointLocal, local: srv}, nil
}

func (a *app) connectRemote(ctx context.Context, s settings) (*connection, error) {
	endpoint, err := a.parseEndpoint(s)
	if err != nil {
		return nil, err
	}
	credential, err := a.credential(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	return a.client(s, endpoint, credential, credential.Transport(endpoint, api.Transport()))
}

// parseEndpoint checks the configured endpoint.
func (a *app) parseEndpoint(s settings) (*url.URL, error) {
	endpoint, err := url.Parse(s.API.Value)
	if err != nil {
		return nil, usage("use https://HOST, or local", "endpoint %q of %s is not a URL", s.API.Value, s.API.Source)
	}
	return endpoint, nil
}

// credential is what signs the requests to endpoint.
func (a *app) credential(ctx context.Context, endpoint *url.URL) (auth.Credential, error) {
	options := auth.Options{KeyFile: a.flags.keyFile, Getenv: a.Getenv, Endpoint: endpoint, Transport: api.Transport()}
	if dir, err := a.sessionsDir(); err == nil { // without a home folder nobody has signed in
		options.Sessions = auth.NewSessions(dir, nil)
	}
	credential, err := auth.Resolve(ctx, options)
	switch {
	case err == nil:
		return credential, nil
	case errors.Is(err, auth.ErrKeyringLocked), errors.Is(err, auth.ErrKeyringSilent), errors.Is(err, auth.ErrKeyringAbsent):
		err = withHint(err, "unlock or start the keyring, or set "+auth.EnvKey+", or "+signIn(endpoint)+" again with --insecure-storage")
	case a.flags.keyFile != "", a.Getenv(auth.EnvKey) != "", a.Getenv(auth.EnvKeyFile) != "":
		err = withHint(err, "set "+auth.EnvKey+", or name a key file with --api-key-file")
	default:
		err = withHint(err, signIn(endpoint))
	}
	return credential, err
}

// signIn is what to do to be signed in.
func signIn(endpoint *url.URL) string { return "run `lukasa login --api " + endpoint.Redacted() + "`" }

// client is a client of a remote endpoint over a transport that signs.
func (a *app) client(s settings, endpoint *url.URL, credential auth.Credential, transport http.RoundTripper) (*connection, error) {
	options := []api.Option{
		api.WithUserAgent(userAgent()), api.WithLogger(a.logger(s.LogLevel.Value)), api.WithTransport(transport),
	}
	if a.flags.allowHTTP {
		options = append(options, api.WithAllowHTTP())
	}
	client, err := api.NewClient(s.API.Value, options...)
	if err != nil {
		return nil, &failure{code: exitUsage, message: "endpoint of " + s.API.Source, cause: err, hint: "use https://HOST, or local; --allow-http allows plain http"}
	}
	return &connection{Client: client, endpoint: s.API.Value, url: endpoint, credential: credential}, nil
}

// call runs do with a client of the configured endpoint, as most commands do.
func (a *app) call(c *cobra.Command, do func(ctx context.Context, s settings, conn *connection) error) error {
	s, err := a.settings(c, forPeople())
	if err != nil {
		return err
	}
	if c.Flags().Lookup("workspace") != nil && s.Workspace.Value != "" {
		if err := checkWorkspace(s.Workspace); err != nil { // before a store is opened, or made
			return err
		}
	}
	conn, err := a.connect(c.Context(), s)
	if err != nil {
		return err
	}
	err = conn.explain(do(c.Context(), s, conn), s)
	conn.credential.Settle(peopleRenewal)
	if closing := conn.close(); err == nil {
		err = closing
	}
	return err
}

// explain adds to an error what to do about it, where the command line knows better than the API.
func (c *connection) explain(err error, s settings) error {
	var e *api.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		if e.Code == api.CodeUnauthenticated && c.credential.Kind == auth.KindKey && c.credential.Place == "" {
			return withHint(err, "check the key of "+c.credential.Source)
		}
		if e.Code == api.CodeUnauthenticated && c.url != nil && e.Hint == "" {
			return withHint(err, signIn(c.url))
		}
		return err
	case errors.Is(err, auth.ErrUnusable) && c.url != nil:
		return withHint(err, signIn(c.url))
	}
	if errors.Is(err, api.ErrUnreachable) && !errors.Is(err, context.Canceled) {
		return withHint(err, "check that "+s.API.Value+" ("+s.API.Source+") is right and running")
	}
	return err
}

// completeWorkspaces lists the names of workspaces for the shell. What fails completes nothing.
func (a *app) completeWorkspaces(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	var names []string
	err := a.call(c, func(ctx context.Context, _ settings, conn *connection) error {
		for w, err := range conn.Workspaces.All(ctx, api.ListOptions{}) {
			if err != nil || len(names) == 1000 {
				return err
			}
			names = append(names, w.Name)
		}
		return nil
	})
	if err != nil {
		return nil, none
	}
	return names, none
}
