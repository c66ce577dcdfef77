// Package server is the memory API: the contract of package api over a store.
//
// It serves on a listener, or in the same process without any socket:
//
//	s, err := server.Open(ctx, server.Options{Store: "sqlite:/var/lib/lukasa/memory.db", Logger: logger})
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//
//	// for a team
//	key, err := s.CreateKey(ctx, api.CreateKey{Label: "ci", Role: "member", Selectors: []string{"team.*"}})
//	if err != nil {
//		return err
//	}
//	fmt.Println(key.Secret) // this once
//	return s.Serve(ctx, listener)
//
//	// or embedded
//	client, err := api.NewClient("http://localhost", api.WithTransport(s.LocalTransport()))
//
// [Routes] is the table of everything that can be asked for, with the permission that each takes. Access is checked in
// one place, from that table, before anything is looked up.
//
// A path that isn't in the table is a 404 with the code "not_found". A method that a path doesn't take is a 405 with
// Allow and the code "invalid_request": the contract has no code of its own for it. Unknown fields of a body and unknown
// parameters of a query are refused, never ignored.
package server
