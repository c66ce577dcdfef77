package cmd

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/auth"
)

// signedOut is what `logout -o json` prints.
type signedOut struct {
	Endpoint string `json:"endpoint"`
	Deleted  bool   `json:"deleted"` // there was a session, and it is gone
	Revoked  bool   `json:"revoked"` // its server ended it as well
}

func newLogout(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Sign out of an endpoint",
		Long: `Sign out of an endpoint: the session is deleted on this machine, and ended at its server when that can be reached.
Running agents stop using it. An API key that was kept is deleted here, and not revoked.`,
		Example: "  lukasa logout --api https://memory.example.com",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := a.settings(c, forPeople())
			if err != nil {
				return err
			}
			if s.API.Value == endpointLocal {
				return usage("name an endpoint: lukasa logout --api https://HOST", "the memory of this machine has no sign-in")
			}
			out, err := a.logout(c, s)
			if err != nil {
				return err
			}
			a.warnOfVariables("which still signs in")
			return a.result(s, out, func(w io.Writer) { writeSignedOut(w, out) })
		},
	}
}

func (a *app) logout(c *cobra.Command, s settings) (*signedOut, error) {
	out := &signedOut{Endpoint: s.API.Value}
	endpoint, err := a.parseEndpoint(s)
	if err != nil {
		return nil, err
	}
	dir, err := a.sessionsDir()
	if err != nil {
		return nil, err
	}
	farewell, err := auth.NewSessions(dir, nil).Logout(c.Context(), endpoint, api.Transport())
	if errors.Is(err, auth.ErrNotSignedIn) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Deleted, out.Revoked = true, farewell.Revoked
	if farewell.Problem != nil {
		fmt.Fprint(a.Err, prefixed("warning: ", plain(farewell.Problem.Error())))
	}
	return out, nil
}

func writeSignedOut(w io.Writer, s *signedOut) {
	switch {
	case !s.Deleted:
		fmt.Fprintf(w, "not signed in at %s\n", oneLine(s.Endpoint))
	case s.Revoked:
		fmt.Fprintf(w, "signed out of %s\n", oneLine(s.Endpoint))
	default:
		fmt.Fprintf(w, "signed out of %s on this machine\n", oneLine(s.Endpoint))
	}
}
