package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/formation"
)

// The limits of requests, in bytes unless said otherwise. Each is refused by name.
const (
	maxBody      = 1 << 20
	maxQuery     = 4 << 10
	maxTitle     = 256
	maxLabel     = 256
	maxClient    = 256 // the name or version of a program
	maxSelectors = 100 // entries
	minRecall    = 1   // passages
	maxRecall    = 50  // passages
)

// defaultRecall is how many passages a recall returns that doesn't say.
const defaultRecall = 10

// maxAhead is how far a conversation may lie ahead of the server's clock: clocks differ. What holds is decided by when
// things were said, so one of years ahead would outdo all that is said until then.
const maxAhead = 24 * time.Hour

// readBody reads a request's JSON value.
func (c *call) readBody() (jsonValue, error) {
	r := c.r
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return jsonValue{}, newError(api.CodeInvalidRequest, "the body must be JSON: send Content-Type: application/json")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return jsonValue{}, newError(api.CodeInvalidRequest, "the body must not be compressed")
	}
	if r.ContentLength > maxBody {
		return jsonValue{}, c.tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return jsonValue{}, c.tooLarge()
	case err != nil:
		return jsonValue{}, newError(api.CodeInvalidRequest, "the body ended early")
	}
	// The body is here: nothing must end a call that goes on for longer.
	c.coming.bodyArrived(c.r)
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{})
	v, err := parseJSON(body)
	var fault *jsonFault
	if errors.As(err, &fault) {
		e := newError(api.CodeInvalidRequest, "%s", fault)
		if fault.path != "" {
			e.Errors = []api.FieldError{{Field: fault.path, Message: fault.message}}
		}
		return jsonValue{}, e
	}
	return v, err
}

// tooLarge refuses a body whose rest nobody wants to read: the connection can't be used again.
func (c *call) tooLarge() error {
	c.w.Header().Set("Connection", "close")
	return newError(api.CodeTooLarge, "the request is larger than 1 MiB (%d bytes)", maxBody)
}

func decodeWorkspace(v jsonValue) (body api.CreateWorkspace, err error) {
	var f faults
	o := readObject(v, "", &f, "name", "title")
	body.Name = o.required("name", maxBody)
	body.Title, _ = o.text("title", maxTitle)
	if err := f.err(); err != nil {
		return body, err
	}
	if !api.ValidWorkspaceName(body.Name) {
		f.add(api.CodeInvalidRequest, "name", "can't be %s: take 1–128 of a–z, 0–9, dot, dash and underscore, "+
			"with a letter or digit at both ends", quoted(body.Name))
	}
	if hasControl(body.Title) {
		f.add(api.CodeInvalidRequest, "title", "contains a control character")
	}
	return body, f.err()
}

func decodeRecall(v jsonValue) (body api.RecallRequest, err error) {
	var f faults
	o := readObject(v, "", &f, "query", "limit", "as_of")
	body.Query = o.required("query", maxQuery)
	body.AsOf = o.moment("as_of")
	body.Limit = defaultRecall
	if n, ok := o.whole("limit"); ok {
		body.Limit = n
		switch {
		case n < minRecall:
			f.add(api.CodeInvalidRequest, "limit", "is %d: take %d to %d", n, minRecall, maxRecall)
		case n > maxRecall:
			f.add(api.CodeTooLarge, "limit", "is %d: take %d to %d", n, minRecall, maxRecall)
		}
	}
	return body, f.err()
}

func decodeKey(v jsonValue) (body api.CreateKey, err error) {
	var f faults
	o := readObject(v, "", &f, "label", "role", "permissions", "selectors", "expires_at")
	body.Label = o.required("label", maxLabel)
	body.Role, _ = o.text("role", maxLabel)
	body.Permissions = o.texts("permissions", len(access.Permissions()))
	body.Selectors = o.texts("selectors", maxSelectors)
	body.ExpiresAt = o.moment("expires_at")
	return body, f.err()
}

// decodeFormation reads the conversation of a formation. Faults of form are a 400; a conversation that is well formed
// but that no formation can take is an error of its turns.
func decodeFormation(v jsonValue) (body api.SubmitFormation, err error) {
	var f faults
	o := readObject(v, "", &f, "turns", "observed_at", "source")
	body.ObservedAt = o.moment("observed_at")
	if t := body.ObservedAt; t != nil && time.Until(*t) > maxAhead {
		f.add(api.CodeInvalidRequest, o.at("observed_at"), "lies more than %d hours ahead of the server's clock", int(maxAhead.Hours()))
	}
	body.Source = readSource(o)
	turns, flaw := readTurns(o)
	if err := f.err(); err != nil {
		return body, err
	}
	if flaw != nil {
		return body, flaw
	}
	body.Turns = turns
	return body, formation.CheckTurns(turns)
}

// readTurns reads the turns, and finds the first whose text is not Unicode.
func readTurns(o object) (turns []api.Turn, flaw error) {
	items := o.list("turns")
	turns = make([]api.Turn, len(items))
	for i, item := range items {
		t := readObject(item, fmt.Sprintf("%s[%d]", o.at("turns"), i), o.faults, "role", "content")
		for _, name := range []string{"role", "content"} {
			v, ok := t.get(name)
			switch {
			case item.kind != jsonObject:
			case !ok:
				flaw = firstError(flaw, &formation.TurnError{Turn: i, Field: name, Reason: "is missing"})
			case v.kind != jsonString:
				o.faults.add(api.CodeInvalidRequest, t.at(name), "must be a string, not %s", v.kind)
			case v.flaw != "":
				flaw = firstError(flaw, &formation.TurnError{Turn: i, Field: name, Reason: v.flaw})
			case name == "role":
				turns[i].Role = formation.Role(v.text)
			default:
				turns[i].Content = v.text
			}
		}
	}
	return turns, flaw
}

func firstError(first, other error) error {
	if first != nil {
		return first
	}
	return other
}

func readSource(o object) *api.Source {
	v, ok := o.get("source")
	if !ok {
		return nil
	}
	s := readObject(v, o.at("source"), o.faults, "via", "client")
	source := &api.Source{Via: s.required("via", maxClient)}
	switch source.Via {
	case "", "mcp", "cli", "sdk", "import": // a missing one is told already
	default:
		o.faults.add(api.CodeInvalidRequest, s.at("via"), "must be one of mcp, cli, sdk, import")
	}
	if v, ok := s.get("client"); ok {
		c := readObject(v, s.at("client"), o.faults, "name", "version")
		source.Client = &api.SourceClient{}
		source.Client.Name, _ = c.text("name", maxClient)
		source.Client.Version, _ = c.text("version", maxClient)
	}
	return source
}

// hasControl reports whether s has a control character, which has no place in a name that is shown in a list.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || 0x7F <= r && r <= 0x9F })
}

// quoted shows a value that somebody sent, cut and escaped so that it can stand in a message.
func quoted(s string) string {
	const longest = 140
	if len(s) <= longest {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q…", s[:longest])
}
