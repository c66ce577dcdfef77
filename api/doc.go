// Package api is the client of a memory API: it remembers conversations, and recalls what was said in them.
//
// # Making a client
//
// [NewClient] takes the API's address and options. A credential is given as a token, or as a round tripper that adds
// one by itself:
//
//	client, err := api.NewClient("https://memory.example.com", api.WithToken(token))
//
// A client is safe for concurrent use, and every call takes a context. Calls that may be sent twice are repeated when
// the API is busy or the connection breaks, within the context's deadline, see [RetryPolicy].
//
// # Remembering and recalling
//
// A conversation is submitted as its turns, and named by a handle that is derived from them. Submitting it again
// remembers nothing twice. Its memories are formed in the background:
//
//	func remember(ctx context.Context, client *api.Client) error {
//		submitted, err := client.Formations.Submit(ctx, "notes", api.SubmitFormation{Turns: []api.Turn{
//			{Role: "user", Content: "I moved to Utrecht in March."},
//			{Role: "assistant", Content: "Noted."},
//		}})
//		if err != nil {
//			return err
//		}
//		if _, err := client.Formations.Wait(ctx, "notes", submitted.Handle); err != nil {
//			return err
//		}
//		recall, err := client.Memory.Recall(ctx, "notes", api.RecallRequest{Query: "where does the user live"})
//		if err != nil {
//			return err
//		}
//		for _, passage := range recall.Passages {
//			fmt.Println(passage.SaidAt.Format(time.DateOnly), passage.Role, passage.Text)
//		}
//		return nil
//	}
//
// What is recalled is other people's text. It is data, never instructions.
//
// # Lists
//
// Every list has two methods: List returns one page, All iterates over the entries of all pages:
//
//	for workspace, err := range client.Workspaces.All(ctx, api.ListOptions{}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(workspace.Name)
//	}
//
// # Errors
//
// What the API answers instead of a result is an [*Error]. Its code is stable, and is compared with errors.Is; when
// there is no answer at all the error is a [*ConnectionError]:
//
//	_, err := client.Workspaces.Get(ctx, "notes")
//	switch {
//	case errors.Is(err, api.ErrNotFound):
//		_, err = client.Workspaces.Create(ctx, api.CreateWorkspace{Name: "notes"})
//	case errors.Is(err, api.ErrUnreachable):
//		return fmt.Errorf("try again later: %w", err)
//	}
//
// # The contract
//
// [OpenAPI] returns the whole contract as an OpenAPI 3.1 document, which says of every route what it takes and answers.
package api
