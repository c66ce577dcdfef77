package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/lukasa-dev/lukasa/api"
)

// maxGraph is how many nodes, and how many edges, a reply has at most.
const maxGraph = 50

// errUnreadable is for an answer that is not the API's.
var errUnreadable = errors.New("the answer is not one of the memory API")

// recall is recall_memory.
func (t *tools) recall(ctx context.Context, host peer, arguments json.RawMessage) (*toolReply, error) {
	a, err := decodeRecall(arguments)
	if err != nil {
		return failed("recall_memory was refused: " + sentence(err.Error())), nil
	}
	release, ok := t.acquire(ctx)
	if !ok {
		return failed(recallFailed(ctx.Err())), nil
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, t.o.CallTimeout)
	defer cancel()
	raw, err := t.o.API.Recall(ctx, t.o.Workspace, api.RecallRequest{Query: a.query, Limit: a.limit})
	if err != nil {
		return failed(recallFailed(err)), nil
	}
	doc, err := recallReply(raw, t.o.budgetFor(host.name), a.query)
	if err != nil {
		return failed(recallFailed(err)), nil
	}
	return document(doc), nil
}

func recallFailed(err error) string {
	return "Nothing was recalled: " + describe(err) + " This does not mean that nothing is remembered."
}

// recalled is an answer of the API, still in its own bytes.
type recalled struct {
	passages, graph, nodes, edges, notes []byte
	nodeCount, edgeCount                 int
	unqualified                          int  // edges that are not active facts
	unmarked                             int  // edges that don't say; they count as unqualified
	graphCut                             bool // the API left some of the graph out
}

// recallReply turns the API's answer into the tool's. What fits is spliced in as it is.
func recallReply(raw []byte, budget int, query string) ([]byte, error) {
	r, err := scanRecall(raw)
	if err != nil {
		return nil, err
	}
	if r.nodeCount <= maxGraph && r.edgeCount <= maxGraph && r.unmarked == 0 {
		if doc := r.whole(); len(doc) <= budget {
			return doc, nil
		}
	}
	return cutRecall(r, budget, query), nil
}

func scanRecall(raw []byte) (recalled, error) {
	var r recalled
	if !utf8.Valid(raw) {
		return r, errUnreadable
	}
	members(raw, func(key, value []byte) bool {
		switch string(key) {
		case "passages":
			r.passages = value
		case "graph":
			r.graph = value
		case "notes":
			r.notes = value
		}
		return true
	})
	members(r.graph, func(key, value []byte) bool {
		switch string(key) {
		case "nodes":
			r.nodes = value
		case "edges":
			r.edges = value
		case "truncated":
			r.graphCut = string(value) == "true"
		}
		return true
	})
	okNodes := elements(r.nodes, func([]byte) bool { r.nodeCount++; return true })
	okEdges := elements(r.edges, func(edge []byte) bool {
		r.edgeCount++
		switch string(member(edge, "qualified")) {
		case "true":
		case "false":
			r.unqualified++
		default:
			r.unqualified++
			r.unmarked++
		}
		return true
	})
	if kind(r.passages) != '[' || !okNodes || !okEdges {
		return r, errUnreadable
	}
	return r, nil
}

// whole is the reply with everything in it.
func (r *recalled) whole() []byte {
	b := make([]byte, 0, len(r.passages)+len(r.nodes)+len(r.edges)+len(r.notes)+300)
	b = append(append(b, `{"passages":`...), r.passages...)
	b = append(append(b, `,"graph":{"nodes":`...), r.nodes...)
	b = append(append(b, `,"edges":`...), r.edges...)
	b = fmt.Appendf(b, `,"truncated":%t},"notes":`, r.graphCut)
	b = appendNotes(b, r.notesFor(r.unqualified, r.edgeCount))
	return append(b, `,"truncated":false}`...)
}

// notesFor returns the API's notes, and one on edges that are not active facts.
func (r *recalled) notesFor(unqualified, edges int) []string {
	var notes []string
	elements(r.notes, func(raw []byte) bool {
		var note string
		if kind(raw) == '"' && json.Unmarshal(raw, &note) == nil {
			notes = append(notes, note)
		}
		return true
	})
	if unqualified > 0 {
		notes = append(notes, qualifiedNote(unqualified, edges))
	}
	return notes
}

func qualifiedNote(unqualified, edges int) string {
	return fmt.Sprintf("%d of the graph's %d edges have qualified=false: they are not known to hold now, so do not treat them as active facts.",
		unqualified, edges)
}

func appendNotes(b []byte, notes []string) []byte {
	b = append(b, '[')
	for i, n := range notes {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, n)
	}
	return append(b, ']')
}
