package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

func background() context.Context { return context.Background() }

// exampleAPI is an API that knows the workspace "notes" and what was said in it.
func exampleAPI() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /v1/workspaces/notes/formations/{handle}", func(w http.ResponseWriter, r *http.Request) {
		reply(202, `{"handle": "`+r.PathValue("handle")+`", "state": "queued"}`)(w, r)
	})
	mux.HandleFunc("GET /v1/workspaces/notes/formations/{handle}", reply(200, `{"state": "finished", "decisions": {"new": 1},
		"writes": {"passages": 1}}`))
	mux.HandleFunc("POST /v1/workspaces/notes/formations:plan", reply(200, `{"candidates": [{"kind": "fact",
		"text": "I moved to Utrecht in March.", "decision": "new"}]}`))
	mux.HandleFunc("POST /v1/workspaces/notes/recall", reply(200, `{"passages": [{"role": "user",
		"text": "I moved to Utrecht in March.", "said_at": "2025-04-02T08:00:00Z"}]}`))
	mux.HandleFunc("GET /v1/workspaces/notes/export", reply(200, exportLines))
	mux.HandleFunc("GET /v1/workspaces/{workspace}", reply(404, `{"code": "not_found", "detail": "there is no workspace diary"}`))
	return httptest.NewServer(mux)
}

// A client needs an address and, unless the API is this machine's own, a credential.
func ExampleNewClient() {
	client, err := api.NewClient("https://memory.example.com",
		api.WithToken("lukasa_sk_example"),
		api.WithUserAgent("my-script/1.0"),
		api.WithRetry(api.RetryPolicy{Attempts: 6, MaxWait: 10 * time.Second}),
	)
	if err != nil {
		panic(err)
	}
	fmt.Println(client) // the credential is not printed
	// Output: api.Client(https://memory.example.com)
}

// Remember a conversation, wait until its memories are formed, and recall them.
func Example() {
	server := exampleAPI()
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	submitted, err := client.Formations.Submit(ctx, "notes", api.SubmitFormation{Turns: []api.Turn{
		{Role: "user", Content: "I moved to Utrecht in March."},
		{Role: "assistant", Content: "Noted."},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Println("submitted", submitted.Handle)

	formed, err := client.Formations.Wait(ctx, "notes", submitted.Handle)
	if err != nil {
		panic(err)
	}
	fmt.Println(formed.State, formed.Writes.Total(), "written")

	recall, err := client.Memory.Recall(ctx, "notes", api.RecallRequest{Query: "where does the user live", Limit: 5})
	if err != nil {
		panic(err)
	}
	for _, passage := range recall.Passages {
		fmt.Println(passage.SaidAt.Format(time.DateOnly), passage.Role, passage.Text)
	}
	// Output:
	// submitted fm_zwgxelycefjn7l6olkfmhjox3xp4rktc
	// finished 1 written
	// 2025-04-02 user I moved to Utrecht in March.
}

// See what would be remembered, without remembering it.
func ExampleFormationsService_Plan() {
	server := exampleAPI()
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		panic(err)
	}
	plan, err := client.Formations.Plan(context.Background(), "notes", api.SubmitFormation{Turns: []api.Turn{
		{Role: "user", Content: "I moved to Utrecht in March."},
	}})
	if err != nil {
		panic(err)
	}
	for _, candidate := range plan.Candidates {
		fmt.Println(candidate.Decision, candidate.Kind, candidate.Text)
	}
	// Output: new fact I moved to Utrecht in March.
}

// Errors of the API are told apart by their code.
func ExampleError() {
	server := exampleAPI()
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		panic(err)
	}
	_, err = client.Workspaces.Get(context.Background(), "diary")
	fmt.Println(errors.Is(err, api.ErrNotFound), err)
	if e, ok := errors.AsType[*api.Error](err); ok {
		fmt.Println(e.Status, e.Code)
	}
	// Output:
	// true there is no workspace diary
	// 404 not_found
}

// Walk through everything that a workspace holds.
func ExampleMemoryService_Export() {
	server := exampleAPI()
	defer server.Close()
	client, err := api.NewClient(server.URL)
	if err != nil {
		panic(err)
	}
	for record, err := range client.Memory.Export(context.Background(), "notes") {
		if err != nil {
			panic(err)
		}
		fmt.Println(record.Type, string(record.Data))
	}
	// Output:
	// workspace {"name":"notes"}
	// passage {"id":"ps_1","extra":1.50}
}
