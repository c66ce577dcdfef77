package server

import (
	"net/http"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func listPassages(c *call) error {
	p := newPager("passages", c.workspace)
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Passages(c.ctx(), c.workspace, page)
	if err != nil {
		return c.missingWorkspace(err)
	}
	return c.reply(http.StatusOK, api.PassagePage{Passages: filled(list), NextPageToken: p.token(next)})
}

func getPassage(c *call) error {
	id, err := c.id("ps_")
	var detail api.PassageDetail
	if err == nil {
		detail, err = c.store.Passage(c.ctx(), c.workspace, id)
	}
	if err != nil {
		return c.missing(err, "passage", id)
	}
	detail.Assertions = filled(detail.Assertions)
	return c.reply(http.StatusOK, detail)
}

func forgetPassage(c *call) error {
	id, err := c.id("ps_")
	var erasure api.Erasure
	if err == nil {
		erasure, err = c.store.Forget(c.ctx(), c.workspace, id, now())
	}
	if err != nil {
		return c.missing(err, "passage", id)
	}
	c.log.InfoContext(c.ctx(), "passage erased", "request_id", c.record.id, "workspace", c.workspace, "passage", id)
	return c.reply(http.StatusOK, erasure)
}

func listGraph(c *call) error {
	p := newPager("graph", c.workspace)
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	g, err := c.store.Graph(c.ctx(), c.workspace, now(), page)
	if err != nil {
		return c.missingWorkspace(err)
	}
	g.Entities, g.Assertions, g.NextPageToken = filled(g.Entities), filled(g.Assertions), p.token(g.NextPageToken)
	return c.reply(http.StatusOK, g)
}

func getAssertion(c *call) error {
	id, err := c.id("as_")
	var detail api.AssertionDetail
	if err == nil {
		detail, err = c.store.Assertion(c.ctx(), c.workspace, id, now())
	}
	if err != nil {
		return c.missing(err, "assertion", id)
	}
	detail.Entities, detail.History = filled(detail.Entities), filled(detail.History)
	return c.reply(http.StatusOK, detail)
}

// id returns the id in the path, and an error that wraps [memory.ErrNotFound] when nothing can have it: a store is
// never asked for what could be anything.
func (c *call) id(prefix string) (string, error) {
	id := c.r.PathValue("id")
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok || rest == "" || len(rest) > 64 {
		return id, memory.ErrNotFound
	}
	for _, r := range rest {
		if ('a' > r || r > 'z') && ('0' > r || r > '9') {
			return id, memory.ErrNotFound
		}
	}
	return id, nil
}
