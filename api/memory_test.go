package api_test

import (
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

const recallJSON = `{"passages": [{"id": "ps_1", "text": "I moved to Utrecht.", "role": "user", "turn": 0, "formation": "fm_1",
	"said_at": "2025-03-01T09:00:00Z", "score": 1.5, "flags": ["addresses_reader"], "later": 1.50}],
	"graph": {"nodes": [{"id": "en_1", "name": "user", "kind": "person"}], "edges": [{"id": "as_1", "source": "en_1",
	"relation": "lives_in", "target": "en_2", "statement": "The user lives in Utrecht.", "qualified": true,
	"valid_at": "2025-03-01T09:00:00Z", "asserted_at": "2025-03-02T09:00:00Z", "passage": "ps_1"}], "truncated": true},
	"read_at": "2025-03-03T09:00:00Z", "notes": ["a note"]}`

func TestRecall(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces/notes/recall", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"query": "where", "limit": 3, "as_of": "2025-03-01T09:00:00Z"}`)
		reply(200, recallJSON)(w, r)
	})
	got, err := c.Memory.Recall(ctx(t), "notes", api.RecallRequest{Query: "where", Limit: 3, AsOf: at(date(1))})
	wantEqual(t, got, err, &api.Recall{
		Passages: []api.Passage{{
			ID: "ps_1", Text: "I moved to Utrecht.", Role: "user", Formation: "fm_1", SaidAt: date(1), Score: 1.5,
			Flags: []string{api.FlagAddressesReader},
		}},
		Graph: api.Graph{
			Nodes: []api.Entity{{ID: "en_1", Name: "user", Kind: "person"}},
			Edges: []api.Assertion{{
				ID: "as_1", Source: "en_1", Relation: "lives_in", Target: "en_2", Statement: "The user lives in Utrecht.",
				Qualified: true, ValidAt: at(date(1)), AssertedAt: date(2), Passage: "ps_1",
			}},
			Truncated: true,
		},
		ReadAt: date(3), Notes: []string{"a note"},
	})
}

// What isn't asked for isn't sent: the API has its own defaults.
func TestRecallDefaults(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces/notes/recall", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"query": "where"}`)
		reply(200, `{"passages": []}`)(w, r)
	})
	if _, err := c.Memory.Recall(ctx(t), "notes", api.RecallRequest{Query: "where"}); err != nil {
		t.Error(err)
	}
}

// The bytes are the API's own: fields that this client doesn't know, and the way numbers are written, survive.
func TestRecallJSON(t *testing.T) {
	for _, tt := range []struct {
		body string
		ok   bool
	}{
		{recallJSON, true}, {"\n{}\n", true}, {`{"passages": 1}`, true},
		{recallJSON[:len(recallJSON)-1], false}, {"", false}, {"[]", false}, {"null", false}, {"{} {}", false},
	} {
		c, mux := setup(t)
		mux.HandleFunc("POST /v1/workspaces/notes/recall", reply(200, tt.body))
		got, err := c.Memory.RecallJSON(ctx(t), "notes", api.RecallRequest{Query: "where"})
		switch {
		case tt.ok:
			wantEqual(t, string(got), err, tt.body)
		case err == nil:
			t.Errorf("%q was taken", tt.body)
		}
	}
}
