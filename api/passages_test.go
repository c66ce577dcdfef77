package api_test

import (
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

const passageJSON = `{"id": "ps_1", "text": "I moved.", "role": "tool", "turn": 2, "formation": "fm_1",
	"said_at": "2025-03-01T09:00:00Z", "superseded_by": "ps_2", "truncated": true`

func wantPassage() api.Passage {
	return api.Passage{
		ID: "ps_1", Text: "I moved.", Role: "tool", Turn: 2, Formation: "fm_1", SaidAt: date(1), SupersededBy: "ps_2", Truncated: true,
	}
}

func TestPassagesList(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/passages", reply(200, `{"passages": [`+passageJSON+`}]}`))
	page, err := c.Passages.List(ctx(t), "notes", api.ListOptions{})
	wantEqual(t, page, err, &api.PassagePage{Passages: []api.Passage{wantPassage()}})
	var got []api.Passage
	for p, err := range c.Passages.All(ctx(t), "notes", api.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	wantEqual(t, got, nil, []api.Passage{wantPassage()})
}

func TestPassagesGet(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/passages/ps_1", reply(200, passageJSON+`, "source": {"via": "cli"},
		"assertions": [{"id": "as_1", "asserted_at": "2025-03-02T09:00:00Z"}]}`))
	got, err := c.Passages.Get(ctx(t), "notes", "ps_1")
	wantEqual(t, got, err, &api.PassageDetail{
		Passage: wantPassage(), Source: &api.Source{Via: "cli"}, Assertions: []api.Assertion{{ID: "as_1", AssertedAt: date(2)}},
	})
}

func TestPassagesForget(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("DELETE /v1/workspaces/notes/passages/ps_1", reply(200, `{"workspace": "notes", "passage": "ps_1",
		"removed": {"passages": 1, "entities": 1, "assertions": 2, "formations": 0}, "erased_at": "2025-03-02T09:00:00Z"}`))
	got, err := c.Passages.Forget(ctx(t), "notes", "ps_1")
	wantEqual(t, got, err, &api.Erasure{
		Workspace: "notes", Passage: "ps_1", ErasedAt: date(2),
		Removed: api.WorkspaceCounts{Passages: 1, Entities: 1, Assertions: 2},
	})
}
