// Package proxy is the MCP server that desktop agents start: it speaks the Model Context Protocol on two streams, is
// pinned to one workspace, and forwards three tools to a memory API.
//
// # Start
//
// [Run] checks the credential and the workspace with one request, while it already reads its input, and answers nothing
// before that has passed. What a host or a model sends later can't change the workspace: no tool takes one, unknown
// arguments are refused, and the path of each request is built from the pinned name alone.
//
// # Protocol
//
// The versions 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05 are spoken, each request in its own era.
// The library below (the MCP Go SDK) sees well-formed calls only. Whatever else hosts write, from lines that are no JSON
// to ids that are used twice, is answered by a connection of our own, and none of it ends the session.
// That connection also makes the usual calls of the tools by itself, for the time they take; what comes back is the same.
//
// # Tools
//
// recall_memory returns passages and a snapshot of the graph, as the API's own bytes while they fit what the host shows
// its model. remember_conversation sends turns, detached from the call, and returns the formation's handle.
// formation_outcome says what became of a handle that this process submitted.
//
// # Example
//
// A program that serves one workspace on its standard streams, until a signal or the end of the input:
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
//	defer stop()
//	client, err := api.NewClient("https://memory.example.com", api.WithToken(os.Getenv("LUKASA_API_KEY")))
//	if err != nil {
//		return err
//	}
//	stdout, restore, err := proxy.TakeStdout()
//	if err != nil {
//		return err
//	}
//	defer restore()
//	return proxy.Run(ctx, proxy.Options{
//		Workspace: "notes",
//		API:       proxy.Client(client),
//		Endpoint:  client.BaseURL(),
//		Version:   "1.0.0",
//		Stdin:     os.Stdin,
//		Stdout:    stdout,
//		Stderr:    os.Stderr,
//	})
package proxy
