package proxy

import (
	"encoding/json"
	"fmt"
	"slices"
)

const (
	noteRoom     = 360 // bytes that are kept free for the notes of a cut reply
	smallestText = 120 // bytes of a passage's text under which there is no sense in showing it
)

// cutter fills a reply that can't be whole: passages first, in order, then the graph.
type cutter struct {
	room  int // bytes that are left
	query string

	passages, nodes, edges [][]byte
	passagesCut, graphCut  bool
	passageCount           int
	unqualified            int
}

// cutRecall returns a reply of at most budget bytes. It is valid against the schema whatever was cut.
func cutRecall(r recalled, budget int, query string) []byte {
	const frame = `{"passages":[],"graph":{"nodes":[],"edges":[],"truncated":false},"notes":[],"truncated":false}`
	notes := r.fittingNotes(budget / 4)
	c := &cutter{query: query, room: budget - len(frame) - len(appendNotes(nil, notes)) - noteRoom}
	c.takePassages(r.passages, budget)
	c.takeGraph(r)
	c.graphCut = c.graphCut || len(c.nodes) < r.nodeCount || len(c.edges) < r.edgeCount
	if c.passagesCut || c.graphCut {
		notes = append(notes, fmt.Sprintf("Cut to fit: %d of %d passages and %d of %d edges are shown. Ask more narrowly, or with a smaller limit, for the rest.",
			len(c.passages), c.passageCount, len(c.edges), r.edgeCount))
	}
	if c.unqualified > 0 {
		notes = append(notes, qualifiedNote(c.unqualified, len(c.edges)))
	}
	return c.assemble(notes, r.graphCut)
}

// fittingNotes returns the API's notes as far as they take at most room bytes.
func (r *recalled) fittingNotes(room int) []string {
	notes := r.notesFor(0, 0)
	for len(notes) > 0 && len(appendNotes(nil, notes)) > room {
		notes = notes[:len(notes)-1]
	}
	return notes
}

func (c *cutter) assemble(notes []string, graphCut bool) []byte {
	b := append([]byte(nil), `{"passages":`...)
	b = appendList(b, c.passages)
	b = append(b, `,"graph":{"nodes":`...)
	b = appendList(b, c.nodes)
	b = append(b, `,"edges":`...)
	b = appendList(b, c.edges)
	b = fmt.Appendf(b, `,"truncated":%t},"notes":`, graphCut || c.graphCut)
	b = appendNotes(b, notes)
	return fmt.Appendf(b, `,"truncated":%t}`, c.passagesCut || c.graphCut)
}

func appendList(b []byte, list [][]byte) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// takePassages takes passages in order. When they don't fit together, long ones are cut first, so that one of them does
// not take the place of all others; then the last ones are left out.
func (c *cutter) takePassages(raw []byte, budget int) {
	var all [][]byte
	total := 0
	elements(raw, func(p []byte) bool {
		all = append(all, p)
		total += len(p) + 1
		return true
	})
	c.passageCount = len(all)
	if total <= c.room {
		c.passages, c.room = all, c.room-total
		return
	}
	c.passagesCut = true
	share := max(budget/4, 2*smallestText)
	for _, p := range all {
		p = cutPassage(p, min(share, c.room-1), c.query)
		if p == nil {
			return
		}
		c.passages = append(c.passages, p)
		c.room -= len(p) + 1
	}
}

// cutPassage returns a passage of at most size bytes, its text cut around the match, or nil when nothing sensible is
// left of it.
func cutPassage(raw []byte, size int, query string) []byte {
	if len(raw) <= size {
		return raw
	}
	const mark = `,"truncated":true`
	quoted := member(raw, "text")
	if kind(quoted) != '"' {
		return nil
	}
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return nil
	}
	left := size - (len(raw) - len(quoted)) - len(mark)
	if left < smallestText {
		return nil
	}
	shown := excerpt(text, left, query)
	b := append(make([]byte, 0, size), '{')
	members(raw, func(key, value []byte) bool {
		if string(key) == "truncated" {
			return true
		}
		b = append(appendQuoted(b, key), ':')
		if string(key) == "text" {
			b = appendQuoted(b, shown)
		} else {
			b = append(b, value...)
		}
		b = append(b, ',')
		return true
	})
	b = append(b, mark[1:]...)
	if b = append(b, '}'); len(b) > size { // keys that were written with escapes, or twice
		return nil
	}
	return b
}

// takeGraph takes edges in order, each with its ends, then nodes that no edge has.
func (c *cutter) takeGraph(r recalled) {
	g := graphCutter{cutter: c, byID: make(map[string][]byte), taken: make(map[string]bool)}
	var ids []string
	elements(r.nodes, func(node []byte) bool {
		key := string(member(node, "id"))
		ids = append(ids, key)
		g.byID[key] = node
		return true
	})
	all := true
	elements(r.edges, func(edge []byte) bool {
		all = g.takeEdge(edge)
		return all
	})
	for _, key := range ids {
		if !all || !g.takeNodes(key) {
			return
		}
	}
}

type graphCutter struct {
	*cutter
	byID  map[string][]byte
	taken map[string]bool
}

func (g *graphCutter) takeEdge(edge []byte) bool {
	qualified := string(member(edge, "qualified"))
	if qualified != "true" && qualified != "false" {
		edge = withQualified(edge)
	}
	ends := []string{string(member(edge, "source")), string(member(edge, "target"))}
	size := len(edge) + 1
	if len(g.edges) == maxGraph || size > g.room {
		return false
	}
	g.room -= size
	if !g.takeNodes(ends...) {
		g.room += size
		return false
	}
	g.edges = append(g.edges, edge)
	if qualified != "true" {
		g.unqualified++
	}
	return true
}

// takeNodes takes the nodes that are not taken yet, all or none of them.
func (g *graphCutter) takeNodes(keys ...string) bool {
	var missing []string
	size := 0
	for _, key := range keys {
		if node, ok := g.byID[key]; ok && !g.taken[key] && !slices.Contains(missing, key) {
			missing = append(missing, key)
			size += len(node) + 1
		}
	}
	if size > g.room || len(g.nodes)+len(missing) > maxGraph {
		return false
	}
	for _, key := range missing {
		g.taken[key] = true
		g.nodes = append(g.nodes, g.byID[key])
	}
	g.room -= size
	return true
}

// withQualified marks an edge that does not say whether it holds as one that is not known to.
func withQualified(edge []byte) []byte {
	b := append([]byte(nil), '{')
	members(edge, func(key, value []byte) bool {
		if string(key) != "qualified" {
			b = append(appendQuoted(b, key), ':')
			b = append(append(b, value...), ',')
		}
		return true
	})
	return append(b, `"qualified":false}`...)
}
