package cmd

import (
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api/server"
)

func newServe(a *app) *cobra.Command {
	var listen, store string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the memory API over HTTP",
		Long: `Serve the memory API. Every request needs an API key; make the first with "lukasa key create --store DSN".
It ends at SIGTERM or SIGINT, after the requests that are under way.`,
		Example: "  lukasa serve --listen 127.0.0.1:7437 --store sqlite:memory.db",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := a.settings(c, forPeople())
			if err != nil {
				return err
			}
			if store == "" {
				if store, err = a.storeDSN(); err != nil {
					return err
				}
			}
			srv, err := openStore(c.Context(), server.Options{Store: store, Logger: a.logger(s.LogLevel.Value)})
			if err != nil {
				return err
			}
			err = a.serve(c, srv, listen)
			if closing := srv.Close(); err == nil {
				err = closing
			}
			return err
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:7437", "`address` to listen on; port 0 takes a free one")
	c.Flags().StringVar(&store, "store", "", "where memories are kept: a `DSN` such as sqlite:PATH; the memory of this machine by default")
	return c
}

func (a *app) serve(c *cobra.Command, srv *server.Server, listen string) error {
	var config net.ListenConfig
	l, err := config.Listen(c.Context(), "tcp", listen)
	if err != nil {
		return withHint(fmt.Errorf("listening: %w", err), "choose another address with --listen HOST:PORT; port 0 takes a free one")
	}
	fmt.Fprintf(a.Err, "listening on http://%s\n", l.Addr())
	return srv.Serve(c.Context(), l)
}
