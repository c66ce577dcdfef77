package cmd

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api/server"
)

func newServe(a *app) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the memory API over HTTP",
		Long: `Serve the memory API, and sign people in to it. With --setup it prints a link, for one use, with which somebody
becomes the first administrator; they invite the others with "lukasa team invite". API keys are for programs; the
operator makes them with "lukasa key create --store DSN".

Behind a reverse proxy, which has to do the TLS, say with --public-url what people type: sign-in needs it. When the proxy
sets X-Forwarded-For, add --forwarded-for, so that callers are limited one by one and not all together.
It ends at SIGTERM or SIGINT, after the requests that are under way.`,
		Example: `  lukasa serve --listen 127.0.0.1:7437 --store sqlite:memory.db --setup
  lukasa serve --store sqlite:/var/lib/lukasa/memory.db --public-url https://memory.example.com`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := a.settings(c, forPeople())
			if err != nil {
				return err
			}
			if o.store == "" {
				if o.store, err = a.storeDSN(); err != nil {
					return err
				}
			}
			srv, err := openStore(c.Context(), server.Options{
				Store: o.store, Logger: a.logger(s.LogLevel.Value), PublicURL: o.publicURL,
				ForwardedFor: o.forwardedFor,
				SignIn:       server.SignInOptions{AccessToken: o.accessToken},
			})
			if err != nil {
				return err
			}
			err = a.serve(c, srv, o)
			if closing := srv.Close(); err == nil {
				err = closing
			}
			return err
		},
	}
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:7437", "`address` to listen on; port 0 takes a free one")
	c.Flags().StringVar(&o.store, "store", "", "where memories are kept: a `DSN` such as sqlite:PATH; the memory of this machine by default")
	c.Flags().StringVar(&o.publicURL, "public-url", "", "`URL` at which people reach it, such as https://memory.example.com")
	c.Flags().BoolVar(&o.forwardedFor, "forwarded-for", false, "take callers' addresses from X-Forwarded-For: for a reverse proxy that sets it")
	c.Flags().BoolVar(&o.setup, "setup", false, "print a link, for one use, with which somebody becomes the first administrator")
	c.Flags().DurationVar(&o.accessToken, "access-token-life", 30*time.Minute, "`time` for which an access token is good")
	return c
}

// serveOptions are the flags of serve.
type serveOptions struct {
	listen, store, publicURL string
	setup, forwardedFor      bool
	accessToken              time.Duration
}

func (a *app) serve(c *cobra.Command, srv *server.Server, o serveOptions) error {
	var config net.ListenConfig
	l, err := config.Listen(c.Context(), "tcp", o.listen)
	if err != nil {
		return withHint(fmt.Errorf("listening: %w", err), "choose another address with --listen HOST:PORT; port 0 takes a free one")
	}
	if o.setup {
		if err := a.printSetup(c, srv, l.Addr().String()); err != nil {
			_ = l.Close()
			return err
		}
	}
	fmt.Fprintf(a.Err, "listening on http://%s\n", l.Addr())
	return srv.Serve(c.Context(), l)
}

// printSetup prints the link for the first administrator, alone: it is a secret.
func (a *app) printSetup(c *cobra.Command, srv *server.Server, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("reading the address that is listened on: %w", err)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	link, err := srv.SetupLink(c.Context(), "http://"+net.JoinHostPort(host, port))
	if err != nil {
		return withHint(err, "leave out --setup; behind a reverse proxy, say with --public-url what people type")
	}
	if _, err := fmt.Fprintln(a.Out, link); err != nil {
		return fmt.Errorf("printing the link: %w", err)
	}
	return nil
}
