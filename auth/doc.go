// Package auth finds the credential that requests to a memory API carry, and hands it out as an [http.RoundTripper]. It
// signs people in, keeps their sessions and renews them.
//
// # Order
//
// An explicit key file, the environment's LUKASA_API_KEY, the environment's LUKASA_API_KEY_FILE, the session that is
// stored for the endpoint. The first that is present wins; one that is present but can't be used is an error, never a
// reason to look further. Where a credential comes from is part of it, so that people can be told.
//
//	sessions := auth.NewSessions(filepath.Join(dataDir, "sessions"), nil)
//	cred, err := auth.Resolve(ctx, auth.Options{
//		KeyFile: flagValue, Getenv: os.Getenv, Endpoint: endpoint, Sessions: sessions, // endpoint is a *url.URL
//	})
//	if err != nil {
//		return err
//	}
//	defer cred.Settle(time.Second)
//	transport := cred.Transport(endpoint, http.DefaultTransport)
//	client, err := api.NewClient(endpoint.String(), api.WithTransport(transport))
//
// # Signing in
//
// [Login] finds the authorization server of an endpoint and runs the authorization code grant in a browser, or the
// device grant. What it returns is kept with [Sessions.Save] and ended with [Sessions.Logout]:
//
//	canonical, err := auth.Canonical(endpoint)
//	if err != nil {
//		return err
//	}
//	if err := sessions.Prepare(ctx, canonical, auth.PlaceKeyring); err != nil {
//		return err // before anybody signs in for nothing
//	}
//	session, err := auth.Login{Endpoint: endpoint, Tell: show, Open: openBrowser}.Run(ctx)
//	if err != nil {
//		return err
//	}
//	session.Place = auth.PlaceKeyring
//	return sessions.Save(ctx, session)
//
// # Keeping
//
// A session is one file, for one endpoint alone. With [PlaceKeyring] its secrets are sealed with a key that is in the
// system's keyring; with [PlaceFile] they are in the clear, in a file that only its owner can read.
//
// # Renewing
//
// Processes that share a session renew it one at a time, under a lock: whoever gets the lock looks first whether another
// one was faster. Only a server that says invalid_grant ends a session. A program that runs on follows what happens to
// the file: it takes a new session, and stops using one that was ended.
package auth
