package cmd

import (
	"context"
	"errors"
	"net/url"

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
	credential auth.Credential
	local      *server.Server // nil unless the endpoint is local
}

// close ends the embedded server, when there is one.
func (c *connection) close() error {
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
	return a.connectRemote(s)
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

func (a *app) connectRemote(s settings) (*connection, error) {
	credential, err := auth.Resolve(auth.Options{KeyFile: a.flags.keyFile, Getenv: a.Getenv})
	if err != nil {
		return nil, withHint(err, "set "+auth.EnvKey+", or name a key file with --api-key-file")
	}
	endpoint, err := url.Parse(s.API.Value)
	if err != nil {
		return nil, usage("use https://HOST, or local", "endpoint %q of %s is not a URL", s.API.Value, s.API.Source)
	}
	options := []api.Option{
		api.WithUserAgent(userAgent()), api.WithLogger(a.logger(s.LogLevel.Value)),
		api.WithTransport(credential.Transport(endpoint, api.Transport())),
	}
	if a.flags.allowHTTP {
		options = append(options, api.WithAllowHTTP())
	}
	client, err := api.NewClient(s.API.Value, options...)
	if err != nil {
		return nil, &failure{code: exitUsage, message: "endpoint of " + s.API.Source, cause: err, hint: "use https://HOST, or local; --allow-http allows plain http"}
	}
	return &connection{Client: client, endpoint: s.API.Value, credential: credential}, nil
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
		if e.Code == api.CodeUnauthenticated && c.credential.Kind == auth.KindKey {
			return withHint(err, "check the key of "+c.credential.Source)
		}
		return err
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
