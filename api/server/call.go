package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// callTime is how long a call may work, on top of what it asks to be held.
const callTime = 30 * time.Second

// writeTime is how long a reply, or a part of a stream, may take to be written. A reader that is slower is cut off.
const writeTime = 30 * time.Second

// call is one request on its way through the API.
type call struct {
	*Server
	w         http.ResponseWriter
	r         *http.Request
	route     Route
	record    *record
	who       access.Principal
	workspace string // "" outside of workspaces
	query     url.Values
}

func (s *Server) newCall(w http.ResponseWriter, r *http.Request, route Route) *call {
	c := &call{Server: s, w: w, r: r, route: route, record: recordOf(r.Context())}
	c.record.route = route.Pattern
	return c
}

func (c *call) ctx() context.Context { return c.r.Context() }

// serve lets a call through the checks that every route has in common, then to its handler.
func (s *Server) serve(c *call) {
	if !c.route.stream {
		wait, _ := preferredWait(c.r.Header)
		ctx, cancel := context.WithTimeout(c.ctx(), callTime+wait)
		defer cancel()
		c.r = c.r.WithContext(ctx)
		c.writeBy(callTime + wait + writeTime)
	}
	err := s.limits.check(c)
	if err == nil {
		err = s.admit(c)
	}
	if err == nil {
		err = c.route.handle(c)
	}
	if err != nil {
		s.fail(c, err)
	}
}

// admit says who calls and whether they may. It is the one place where access is checked, and it looks at nothing but
// the credential, the route and the name of the workspace: a refusal never tells whether the workspace exists.
func (s *Server) admit(c *call) error {
	if !c.route.Public {
		who, err := s.authenticate(c.r)
		if err != nil {
			return err
		}
		c.who, c.record.key, c.record.user, c.record.kind = who, who.Key, who.User, who.Kind
		if err := who.Require(access.Permission(c.route.Permission)); err != nil {
			return err
		}
	}
	c.r = c.r.WithContext(memory.WithActor(c.ctx(), c.actor()))
	if c.route.InWorkspace() {
		c.workspace = c.r.PathValue("workspace")
		if err := c.who.RequireReach(c.workspace); err != nil {
			return err
		}
		if !api.ValidWorkspaceName(c.workspace) {
			return noWorkspace(c.workspace)
		}
		c.record.workspace = c.workspace
	}
	return c.readQuery()
}

// actor is who the audit log says made a change.
func (c *call) actor() memory.Actor {
	a := memory.Actor{Kind: string(c.who.Kind), RequestID: c.record.id}
	switch c.who.Kind {
	case access.KindKey:
		a.ID, a.Name = c.who.Key, c.who.Label
	case access.KindUser:
		a.ID, a.Name = c.who.User, c.who.Email
	case access.KindLocal:
	default:
		a.Kind = "system"
	}
	return a
}

// readQuery refuses parameters that the route doesn't take: a filter that is misspelt must not be a list unfiltered.
func (c *call) readQuery() error {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return newError(api.CodeInvalidRequest, "the query of the address is malformed")
	}
	for name, values := range query {
		switch {
		case c.route.signIn: // RFC 6749 section 3.1
		case !slices.Contains(c.route.Query, name):
			return badParameter(joinPath("", strings.ToValidUTF8(name, "\uFFFD")), "is not a parameter of this route")
		case len(values) > 1:
			return badParameter(name, "is given twice")
		}
	}
	c.query = query
	return nil
}

// reply answers with v as JSON.
func (c *call) reply(status int, v any) error {
	c.write("application/json", status, v)
	return nil
}

// write encodes v once and answers with it.
func (c *call) write(contentType string, status int, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// A value that can't be encoded is a fault of ours. An error always can be.
		c.fail(c, fmt.Errorf("encoding the reply: %w", err))
		return
	}
	c.writeBytes(contentType, status, b.Bytes())
}

func (c *call) writeBytes(contentType string, status int, body []byte) {
	h := c.w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // a reader that went away is not told anything
}

// writeBy sets when the reply must be written. In process there is no connection to cut off.
func (c *call) writeBy(after time.Duration) {
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(after))
}

// now is the present as the store keeps it.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
