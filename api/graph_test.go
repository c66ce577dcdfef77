package api_test

import (
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestGraph(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/graph", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("page_token") == "" {
			reply(200, `{"entities": [{"id": "en_1", "name": "user", "kind": "person"}], "assertions": [{"id": "as_1",
				"source": "en_1", "qualified": false, "unqualified_reason": "hedged", "asserted_at": "2025-03-02T09:00:00Z"}],
				"next_page_token": "t1"}`)(w, r)
			return
		}
		reply(200, `{"entities": [], "assertions": []}`)(w, r)
	})
	first := &api.GraphPage{
		Entities: []api.Entity{{ID: "en_1", Name: "user", Kind: "person"}},
		Assertions: []api.Assertion{{
			ID: "as_1", Source: "en_1", UnqualifiedReason: api.UnqualifiedHedged, AssertedAt: date(2),
		}},
		NextPageToken: "t1",
	}
	got, err := c.Graph.List(ctx(t), "notes", api.ListOptions{})
	wantEqual(t, got, err, first)
	var pages []*api.GraphPage
	for page, err := range c.Graph.All(ctx(t), "notes", api.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
	}
	wantEqual(t, pages, nil, []*api.GraphPage{first, {Entities: []api.Entity{}, Assertions: []api.Assertion{}}})
}

func TestAssertion(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/assertions/as_1", reply(200, `{"id": "as_1", "relation": "lives_in",
		"asserted_at": "2025-03-02T09:00:00Z", "invalid_at": "2025-03-03T09:00:00Z", "expired_at": "2025-03-04T09:00:00Z",
		"entities": [{"id": "en_1", "name": "user", "kind": "person"}], "evidence": `+passageJSON+`},
		"submitted_by": {"via": "mcp"}, "superseded_by": "as_2", "history": [{"id": "as_1", "asserted_at": "2025-03-02T09:00:00Z"}]}`))
	got, err := c.Graph.Assertion(ctx(t), "notes", "as_1")
	evidence := wantPassage()
	wantEqual(t, got, err, &api.AssertionDetail{
		Assertion: api.Assertion{
			ID: "as_1", Relation: "lives_in", AssertedAt: date(2), InvalidAt: at(date(3)), ExpiredAt: at(date(4)),
		},
		Entities: []api.Entity{{ID: "en_1", Name: "user", Kind: "person"}}, Evidence: &evidence,
		SubmittedBy: &api.Source{Via: "mcp"}, SupersededBy: "as_2",
		History: []api.Assertion{{ID: "as_1", AssertedAt: date(2)}},
	})
}
