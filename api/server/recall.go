package server

import (
	"net/http"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

// graphEdges is how many assertions a recall's snapshot of the graph has at most.
const graphEdges = 50

func recall(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	body, err := decodeRecall(v)
	if err != nil {
		return err
	}
	read := now()
	at := read
	if body.AsOf != nil {
		at = body.AsOf.UTC()
		body.AsOf = &at
	}
	q := search.ParseQuery(body.Query)
	passages, err := c.store.Search(c.ctx(), c.workspace, q, body.Limit, body.AsOf)
	if err != nil {
		return c.missingWorkspace(err)
	}
	graph, err := c.store.Snapshot(c.ctx(), c.workspace, at, graphEdges)
	if err != nil {
		return c.missingWorkspace(err)
	}
	graph.Nodes, graph.Edges = filled(graph.Nodes), filled(graph.Edges)
	answer := api.Recall{Passages: filled(passages), Graph: graph, ReadAt: read}
	if len(q.Terms) == 0 {
		answer.Notes = []string{"the query has no letters or digits to look for"}
	}
	return c.reply(http.StatusOK, answer)
}

// filled makes a list that is nil an empty one: the contract has [], never null.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
