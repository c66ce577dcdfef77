// Package auth finds the credential that requests to a memory API carry, and hands it out as an [http.RoundTripper].
//
// Where a credential comes from is part of it, so that people can be told. The order is: an explicit key file, the
// environment's LUKASA_API_KEY, the environment's LUKASA_API_KEY_FILE. The first that is present wins; one that is
// present but can't be used is an error, never a reason to look further.
//
//	cred, err := auth.Resolve(t.Context(), auth.Options{KeyFile: flagValue, Getenv: os.Getenv})
//	if err != nil {
//		return err
//	}
//	transport := cred.Transport(endpoint, http.DefaultTransport) // endpoint is a *url.URL
//	client, err := api.NewClient(endpoint.String(), api.WithTransport(transport))
package auth
