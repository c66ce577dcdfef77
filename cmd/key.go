package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server"
)

func newKey(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "key",
		Aliases: []string{"keys"},
		Short:   "Create, list and revoke API keys",
		Long:    "API keys of an endpoint; or, with --store, of a store on this machine, for its operator.",
		Example: "  lukasa key create --label ci --role member --workspaces team.*\n  lukasa key list",
		Args:    noWords,
		RunE:    showHelp,
	}
	c.AddCommand(newKeyCreate(a), newKeyList(a), newKeyRevoke(a))
	return c
}

// keyring is where keys are kept: an endpoint, or a store on this machine.
type keyring interface {
	Create(ctx context.Context, k api.CreateKey) (*api.NewKey, error)
	All(ctx context.Context, o api.ListOptions) iter.Seq2[api.Key, error]
	Revoke(ctx context.Context, id string) (*api.Key, error)
}

// operator has the keys of a store on this machine, and may give any role.
type operator struct{ srv *server.Server }

func (o operator) Create(ctx context.Context, k api.CreateKey) (*api.NewKey, error) {
	made, err := o.srv.CreateKey(ctx, k)
	return &made, err
}

func (o operator) All(ctx context.Context, _ api.ListOptions) iter.Seq2[api.Key, error] {
	return func(yield func(api.Key, error) bool) {
		keys, err := o.srv.Keys(ctx)
		if err != nil {
			yield(api.Key{}, err)
			return
		}
		for _, k := range keys {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func (o operator) Revoke(ctx context.Context, id string) (*api.Key, error) {
	k, err := o.srv.RevokeKey(ctx, id)
	return &k, err
}

// withKeys runs do with the keys of the store when one is named, else with those of the endpoint.
// makes says whether a store that isn't there is made.
func (a *app) withKeys(c *cobra.Command, store string, makes bool, do func(ctx context.Context, s settings, keys keyring) error) error {
	if store == "" {
		return a.call(c, func(ctx context.Context, s settings, conn *connection) error {
			return do(ctx, s, conn.Keys)
		})
	}
	s, err := a.settings(c, forPeople())
	if err != nil {
		return err
	}
	srv, err := openStore(c.Context(), server.Options{
		Store: store, Existing: !makes, NoWorker: true, Logger: a.logger(s.LogLevel.Value),
	})
	if err != nil {
		return err
	}
	err = do(c.Context(), s, operator{srv})
	if closing := srv.Close(); err == nil {
		err = closing
	}
	return err
}

// openStore opens a store that people named, and says what they can do when it isn't one.
func openStore(ctx context.Context, o server.Options) (*server.Server, error) {
	srv, err := server.Open(ctx, o)
	switch {
	case errors.Is(err, server.ErrNoStore):
		return nil, withHint(err, "check its path; `lukasa serve` and `lukasa key create` make a new one")
	case errors.Is(err, server.ErrNotStore):
		return nil, withHint(err, "name the file of a store as sqlite:PATH; it has been left as it is")
	}
	return srv, err
}

func newKeyCreate(a *app) *cobra.Command {
	var store string
	var k api.CreateKey
	var expires time.Duration
	c := &cobra.Command{
		Use:   "create",
		Short: "Create an API key and print its secret, this once",
		Long: `Create an API key. Its secret alone is printed on standard output, this once: only its digest is kept.
Roles: admin, member, reader. Workspaces: an exact name, prefix.*, or *.`,
		Example: `  lukasa key create --label laptop --role member --workspaces notes
  lukasa key create --store sqlite:/var/lib/lukasa/memory.db --label first --role admin --workspaces '*'`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			if k.Label == "" {
				return usage("add --label NAME, so that you know it again when you revoke it", "the key has no label")
			}
			if k.Role == "" && len(k.Permissions) == 0 {
				return usage("add --role member, or --permissions memory:recall,memory:read", "the key has neither a role nor permissions")
			}
			if len(k.Selectors) == 0 {
				return usage("add --workspaces NAME, --workspaces 'prefix.*' or --workspaces '*'", "the key reaches no workspace")
			}
			if expires != 0 {
				at := time.Now().Add(expires).UTC()
				k.ExpiresAt = &at
			}
			return a.withKeys(c, store, true, func(ctx context.Context, s settings, keys keyring) error {
				made, err := keys.Create(ctx, k)
				if err != nil {
					return err
				}
				return a.result(s, made, func(out io.Writer) { fmt.Fprintln(out, made.Secret) })
			})
		},
	}
	storeFlag(c, &store)
	c.Flags().StringVar(&k.Label, "label", "", "`name` to know it by")
	c.Flags().StringVar(&k.Role, "role", "", "built-in `role` whose permissions it gets: admin, member or reader")
	c.Flags().StringSliceVar(&k.Permissions, "permissions", nil, "`permissions` of its own, separated by commas")
	c.Flags().StringSliceVar(&k.Selectors, "workspaces", nil, "`selectors` of the workspaces that it reaches, separated by commas")
	c.Flags().DurationVar(&expires, "expires-in", 0, "`time` after which it ends, such as 720h; never by default")
	complete(c, "role", "admin", "member", "reader")
	return c
}

func newKeyList(a *app) *cobra.Command {
	var store string
	c := &cobra.Command{
		Use:     "list",
		Short:   "List API keys, newest first",
		Example: "  lukasa key list",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.withKeys(c, store, false, func(ctx context.Context, s settings, keys keyring) error {
				all := api.KeyPage{Keys: []api.Key{}}
				for k, err := range keys.All(ctx, api.ListOptions{}) {
					if err != nil {
						return err
					}
					all.Keys = append(all.Keys, k)
				}
				return a.result(s, all, func(out io.Writer) { writeKeys(out, all.Keys) })
			})
		},
	}
	storeFlag(c, &store)
	return c
}

func newKeyRevoke(a *app) *cobra.Command {
	var store string
	c := &cobra.Command{
		Use:     "revoke ID",
		Short:   "Revoke an API key, at once and for good",
		Example: "  lukasa key revoke key_5pcxiiy4rlwu263e",
		Args:    words("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withKeys(c, store, false, func(ctx context.Context, s settings, keys keyring) error {
				k, err := keys.Revoke(ctx, args[0])
				if errors.Is(err, api.ErrNotFound) {
					return withHint(err, "see their ids with `lukasa key list`")
				}
				if err != nil {
					return err
				}
				return a.result(s, k, func(out io.Writer) { fmt.Fprintf(out, "key %s (%s) revoked\n", k.ID, oneLine(k.Label)) })
			})
		},
	}
	storeFlag(c, &store)
	return c
}

func storeFlag(c *cobra.Command, store *string) {
	c.Flags().StringVar(store, "store", "", "work on this store directly, as its operator: a `DSN` such as sqlite:PATH")
}

func writeKeys(out io.Writer, keys []api.Key) {
	if len(keys) == 0 {
		fmt.Fprintln(out, "no keys")
		return
	}
	rows := [][]string{{"ID", "LABEL", "MAY", "WORKSPACES", "CREATED", "LAST USED", "STATE"}}
	for _, k := range keys {
		may := k.Role
		if may == "" {
			may = strings.Join(k.Permissions, ",")
		}
		used := "never"
		if k.LastUsedAt != nil {
			used = day(*k.LastUsedAt)
		}
		rows = append(rows, []string{k.ID, k.Label, may, strings.Join(k.Selectors, ","), day(k.CreatedAt), used, keyState(k)})
	}
	table(out, rows...)
}

func keyState(k api.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt != nil && k.ExpiresAt.Before(time.Now()):
		return "expired"
	}
	return "active"
}
