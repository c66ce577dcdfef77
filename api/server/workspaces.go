package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func listWorkspaces(c *call) error {
	p := newPager("workspaces")
	page, err := p.page(c.query)
	if err != nil {
		return err
	}
	list, next, err := c.store.Workspaces(c.ctx(), c.who.Reaches, page)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, api.WorkspacePage{Workspaces: filled(list), NextPageToken: p.token(next)})
}

func createWorkspace(c *call) error {
	v, err := c.readBody()
	if err != nil {
		return err
	}
	body, err := decodeWorkspace(v)
	if err != nil {
		return err
	}
	if err := c.who.RequireReach(body.Name); err != nil {
		return err
	}
	w, err := c.store.CreateWorkspace(c.ctx(), body.Name, body.Title, now())
	if errors.Is(err, memory.ErrExists) {
		return newError(api.CodeAlreadyExists, "workspace %s already exists", quoted(body.Name))
	}
	if err != nil {
		return err
	}
	c.w.Header().Set("Location", "/v1/workspaces/"+w.Name)
	return c.reply(http.StatusCreated, w)
}

func getWorkspace(c *call) error {
	read, minimal := c.store.Workspace, prefersMinimal(c.r.Header)
	if minimal {
		read = c.store.FindWorkspace
	}
	w, err := read(c.ctx(), c.workspace)
	if err != nil {
		return c.missingWorkspace(err)
	}
	if minimal {
		c.w.Header().Set("Preference-Applied", "return=minimal")
	}
	w.Permissions = permissionNames(c.who.Permissions)
	return c.reply(http.StatusOK, w)
}

func deleteWorkspace(c *call) error {
	erasure, err := c.store.DeleteWorkspace(c.ctx(), c.workspace, now())
	if err != nil {
		return c.missingWorkspace(err)
	}
	c.log.InfoContext(c.ctx(), "workspace erased", "request_id", c.record.id, "workspace", c.workspace)
	return c.reply(http.StatusOK, erasure)
}

// exportWorkspace streams. What fails before the first record is an error like any other; what fails afterwards breaks
// the connection off, so that nobody takes half an export for a whole one.
//
// An export holds a snapshot of the store for as long as it is read. So few run at once, and none may take for ever.
func exportWorkspace(c *call) error {
	select {
	case c.exports <- struct{}{}:
		defer func() { <-c.exports }()
	default:
		e := unavailable("as many exports as may run at once are under way: try again later")
		e.RetryAfter = exportRetry
		return e
	}
	out := &export{c: c, began: time.Now()}
	err := c.store.Export(c.ctx(), c.workspace, out.add)
	if err == nil {
		err = out.flush()
	}
	if err == nil || !out.hasBegun() {
		return c.missingWorkspace(err)
	}
	c.record.code = asProblem(err).Code
	c.log.WarnContext(c.ctx(), "export broken off", "request_id", c.record.id, "workspace", c.workspace, "error", err)
	panic(http.ErrAbortHandler) // how net/http is told to break a reply off
}

// maxExports is how many exports run at once. Each takes one of the store's readers; there are more of those.
const maxExports = 2

// exportRetry is how long a client is asked to wait when it is one too many.
const exportRetry = 5 * time.Second

// How slowly an export may be read: after a time in which nothing is counted, its reader has to take this many bytes a
// second on average.
const (
	exportGrace = time.Minute
	exportRate  = 32 << 10
)

// exportBuffer is how much of an export is written at once, in bytes.
const exportBuffer = 32 << 10

// export is the reply of an export on its way.
type export struct {
	c     *call
	buf   *bufio.Writer
	enc   *json.Encoder
	began time.Time
	sent  int64 // bytes
}

func (e *export) hasBegun() bool { return e.buf != nil }

func (e *export) add(record api.ExportRecord) error {
	if !e.hasBegun() {
		e.c.w.Header().Set("Content-Type", "application/jsonl")
		e.c.w.WriteHeader(http.StatusOK)
		e.buf = bufio.NewWriterSize(e, exportBuffer)
		e.enc = json.NewEncoder(e.buf)
		e.enc.SetEscapeHTML(false)
	}
	return e.enc.Encode(record)
}

// Write passes a full buffer on, in a time that the reader has for each and for all before it.
func (e *export) Write(p []byte) (int, error) {
	e.c.writeBy(min(writeTime, exportTime(e.sent)-time.Since(e.began)))
	n, err := e.c.w.Write(p)
	e.sent += int64(n)
	if err != nil {
		return n, err
	}
	return n, http.NewResponseController(e.c.w).Flush()
}

// exportTime is how long an export may have taken when its reader has had so many bytes.
func exportTime(sent int64) time.Duration {
	return exportGrace + time.Duration(sent/exportRate)*time.Second
}

func (e *export) flush() error {
	if !e.hasBegun() {
		return nil
	}
	return e.buf.Flush()
}

// missingWorkspace says which workspace wasn't found; any other error stays, nil too.
func (c *call) missingWorkspace(err error) error {
	if errors.Is(err, memory.ErrNotFound) {
		return noWorkspace(c.workspace)
	}
	return err
}

// missing says what wasn't found in the workspace, or that there is no such workspace.
func (c *call) missing(err error, kind, id string) error {
	if !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	if _, err := c.store.Workspace(c.ctx(), c.workspace); err != nil {
		return c.missingWorkspace(err)
	}
	return newError(api.CodeNotFound, "%s %s is not in workspace %s", kind, quoted(id), quoted(c.workspace))
}
