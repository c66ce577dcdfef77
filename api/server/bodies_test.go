package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

const anyHandle = "fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"

// turnsBody is a body with n turns of that content.
func turnsBody(n int, content string) string {
	turn, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	one := `{"role": "user", "content": ` + string(turn) + `}`
	return `{"turns": [` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
}

// Every body that can't be taken is refused by name, and nothing of it is stored.
func TestRefusedBodies(t *testing.T) {
	type refusal struct {
		name, body string
		status     int
		code       api.Code
		field      string // "" when the fault is in no field
	}
	bad := func(name, body, field string) refusal {
		return refusal{name, body, http.StatusBadRequest, api.CodeInvalidRequest, field}
	}
	large := func(name, body, field string) refusal {
		return refusal{name, body, http.StatusRequestEntityTooLarge, api.CodeTooLarge, field}
	}
	turns := func(name, body, field string) refusal {
		return refusal{name, body, http.StatusUnprocessableEntity, api.CodeInvalidTurns, field}
	}
	common := []refusal{
		bad("no body", "", ""),
		bad("blank body", "  ", ""),
		bad("not JSON", "hello", ""),
		bad("cut", `{"query": "a`, ""),
		bad("an array", `[]`, "the body"),
		bad("a string", `"query"`, "the body"),
		bad("null", `null`, "the body"),
		bad("two objects", `{} {}`, ""),
		bad("unknown field", `{"nonsense": 1}`, "nonsense"),
		bad("unknown field of a long name", `{"`+strings.Repeat("é", 200)+`": 1}`, strings.Repeat("é", 40)+"…"),
		bad("nested too deeply", `{"turns": `+strings.Repeat("[", 200)+strings.Repeat("]", 200)+`}`, "turns"+strings.Repeat("[0]", 16)),
		large("more than 1 MiB", `{"query": "`+strings.Repeat("a", 1<<20)+`"}`, ""),
		large("more than 1 MiB of blanks", strings.Repeat(" ", 1<<20)+"{}", ""),
	}
	tests := []struct {
		method, path string
		refusals     []refusal
	}{
		{"POST", "/v1/workspaces", []refusal{
			bad("no name", `{}`, "name"),
			bad("blank name", `{"name": " "}`, "name"),
			bad("number as name", `{"name": 5}`, "name"),
			bad("null as name", `{"name": null}`, "name"),
			bad("name with another case", `{"Name": "demo"}`, "Name"),
			bad("upper case", `{"name": "Demo"}`, "name"),
			bad("path", `{"name": "../etc"}`, "name"),
			bad("dots", `{"name": ".."}`, "name"),
			bad("slash", `{"name": "a/b"}`, "name"),
			bad("too long", `{"name": "`+strings.Repeat("a", 129)+`"}`, "name"),
			bad("NUL", `{"name": "a\u0000"}`, "name"),
			bad("line feed at the end", `{"name": "demo\n"}`, "name"),
			bad("full width", `{"name": "ｄｅｍｏ"}`, "name"),
			bad("right-to-left override", `{"name": "a\u202eb"}`, "name"),
			bad("SQL", `{"name": "a'; DROP TABLE workspaces; --"}`, "name"),
			bad("lone surrogate", `{"name": "a\ud800"}`, "name"),
			bad("not UTF-8", "{\"name\": \"a\xff\"}", "name"),
			bad("twice", `{"name": "a", "name": "b"}`, "name"),
			bad("control character in the title", `{"name": "demo", "title": "a\u001b[31m"}`, "title"),
			bad("list as title", `{"name": "demo", "title": ["x"]}`, "title"),
			large("long title", `{"name": "demo", "title": "`+strings.Repeat("a", 257)+`"}`, "title"),
		}},
		{"POST", "/v1/workspaces/demo/recall", []refusal{
			bad("no query", `{}`, "query"),
			bad("empty query", `{"query": ""}`, "query"),
			bad("blank query", `{"query": " \n\t\u00a0"}`, "query"),
			bad("number as query", `{"query": 5}`, "query"),
			bad("object as query", `{"query": {"text": "x"}}`, "query"),
			bad("NUL in the query", `{"query": "a\u0000b"}`, "query"),
			bad("lone surrogate in the query", `{"query": "\udfff"}`, "query"),
			large("query of more than 4 KiB", `{"query": "`+strings.Repeat("a", 4097)+`"}`, "query"),
			bad("limit 0", `{"query": "x", "limit": 0}`, "limit"),
			bad("limit -1", `{"query": "x", "limit": -1}`, "limit"),
			large("limit 51", `{"query": "x", "limit": 51}`, "limit"),
			bad("limit 1.5", `{"query": "x", "limit": 1.5}`, "limit"),
			bad("limit 1e400", `{"query": "x", "limit": 1e400}`, "limit"),
			bad("limit of 30 digits", `{"query": "x", "limit": 123456789012345678901234567890}`, "limit"),
			bad("limit as text", `{"query": "x", "limit": "10"}`, "limit"),
			bad("limit null", `{"query": "x", "limit": null}`, "limit"),
			bad("as_of without offset", `{"query": "x", "as_of": "2025-01-01T00:00:00"}`, "as_of"),
			bad("as_of a date", `{"query": "x", "as_of": "2025-01-01"}`, "as_of"),
			bad("as_of a number", `{"query": "x", "as_of": 1735689600}`, "as_of"),
			bad("as_of of year 0", `{"query": "x", "as_of": "0000-01-01T00:00:00Z"}`, "as_of"),
			bad("as_of of year 9999", `{"query": "x", "as_of": "9999-12-31T23:59:59-12:00"}`, "as_of"),
			bad("a workspace in the body", `{"query": "x", "workspace": "other"}`, "workspace"),
		}},
		{"PUT", "/v1/workspaces/demo/formations/" + anyHandle, []refusal{
			turns("no turns", `{}`, "turns"),
			turns("empty turns", `{"turns": []}`, "turns"),
			turns("null turns", `{"turns": null}`, "turns"),
			bad("turns as text", `{"turns": "[]"}`, "turns"),
			bad("turns as object", `{"turns": {"role": "user"}}`, "turns"),
			bad("turn as text", `{"turns": ["hello"]}`, "turns[0]"),
			bad("turn null", `{"turns": [{"role": "user", "content": "a"}, null]}`, "turns[1]"),
			bad("unknown field of a turn", `{"turns": [{"role": "user", "content": "a", "name": "x"}]}`, "turns[0].name"),
			bad("number as content", `{"turns": [{"role": "user", "content": 5}]}`, "turns[0].content"),
			bad("parts as content", `{"turns": [{"role": "user", "content": [{"type": "text"}]}]}`, "turns[0].content"),
			bad("null as content", `{"turns": [{"role": "user", "content": null}]}`, "turns[0].content"),
			turns("no content", `{"turns": [{"role": "user"}]}`, "turns[0].content"),
			turns("no role", `{"turns": [{"content": "a"}]}`, "turns[0].role"),
			turns("unknown role", `{"turns": [{"role": "developer", "content": "a"}]}`, "turns[0].role"),
			turns("role in upper case", `{"turns": [{"role": "User", "content": "a"}]}`, "turns[0].role"),
			turns("blank content", `{"turns": [{"role": "user", "content": "a"}, {"role": "user", "content": " \n"}]}`, "turns[1].content"),
			turns("NUL", `{"turns": [{"role": "user", "content": "a\u0000"}]}`, "turns[0].content"),
			turns("lone surrogate", `{"turns": [{"role": "user", "content": "a"}, {"role": "user", "content": "\ud83d"}]}`, "turns[1].content"),
			turns("lone surrogate as role", `{"turns": [{"role": "\ud83d", "content": "a"}]}`, "turns[0].role"),
			turns("not UTF-8", "{\"turns\": [{\"role\": \"user\", \"content\": \"\xff\"}]}", "turns[0].content"),
			large("501 turns", turnsBody(501, "a"), "turns"),
			large("a turn of more than 64 KiB", turnsBody(1, strings.Repeat("é", 32<<10+1)), "turns[0].content"),
			bad("observed_at without offset", `{"turns": [], "observed_at": "2025-01-01T00:00:00"}`, "observed_at"),
			bad("observed_at in lower case", `{"turns": [], "observed_at": "2025-01-01t00:00:00z"}`, "observed_at"),
			bad("observed_at with a comma", `{"turns": [], "observed_at": "2025-01-01T00:00:00,5Z"}`, "observed_at"),
			bad("observed_at on no day", `{"turns": [], "observed_at": "2025-02-30T00:00:00Z"}`, "observed_at"),
			bad("observed_at of a time to come", `{"turns": [{"role": "user", "content": "a"}], "observed_at": "2990-01-01T00:00:00Z"}`, "observed_at"),
			bad("observed_at of the day after tomorrow", fmt.Sprintf(`{"turns": [{"role": "user", "content": "a"}], "observed_at": %q}`,
				time.Now().Add(maxAhead+time.Minute).Format(time.RFC3339)), "observed_at"),
			bad("observed_at empty", `{"turns": [], "observed_at": ""}`, "observed_at"),
			bad("source as text", `{"turns": [], "source": "cli"}`, "source"),
			bad("source without via", `{"turns": [], "source": {}}`, "source.via"),
			bad("source via something else", `{"turns": [], "source": {"via": "web"}}`, "source.via"),
			bad("client as text", `{"turns": [], "source": {"via": "mcp", "client": "x"}}`, "source.client"),
			large("client of a long name", `{"turns": [], "source": {"via": "mcp", "client": {"name": "`+strings.Repeat("a", 300)+`"}}}`, "source.client.name"),
			bad("a handle in the body", `{"turns": [], "handle": "`+anyHandle+`"}`, "handle"),
		}},
		{"POST", "/v1/keys", []refusal{
			bad("no label", `{"role": "reader", "selectors": []}`, "label"),
			bad("neither role nor permissions", `{"label": "x", "selectors": []}`, "permissions"),
			bad("role and permissions", `{"label": "x", "role": "reader", "permissions": ["memory:read"], "selectors": []}`, "permissions"),
			bad("unknown role", `{"label": "x", "role": "king", "selectors": []}`, "role"),
			bad("unknown permission", `{"label": "x", "permissions": ["memory:recall", "memory:*"], "selectors": []}`, "permissions[1]"),
			bad("selector that is none", `{"label": "x", "role": "reader", "selectors": ["team*"]}`, "selectors[0]"),
			bad("selectors as text", `{"label": "x", "role": "reader", "selectors": "*"}`, "selectors"),
			bad("expiry in the past", `{"label": "x", "role": "reader", "selectors": [], "expires_at": "2001-01-01T00:00:00Z"}`, "expires_at"),
			bad("secret of one's own", `{"label": "x", "role": "reader", "selectors": [], "secret": "x"}`, "secret"),
			large("too many selectors", `{"label": "x", "role": "reader", "selectors": [`+strings.TrimSuffix(strings.Repeat(`"a",`, 101), ",")+`]}`, "selectors"),
		}},
	}
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	for _, test := range tests {
		for _, r := range append(common, test.refusals...) {
			t.Run(test.path+"/"+r.name, func(t *testing.T) {
				header := http.Header{"Content-Type": {"application/json"}}
				a := send(t, s, request{method: test.method, path: test.path, body: r.body, key: key, header: header})
				e := problem(t, a, r.status, r.code)
				if r.field == "" {
					return
				}
				if len(e.Errors) == 0 || e.Errors[0].Field != r.field || e.Errors[0].Message == "" {
					t.Errorf("errors %+v, want one of %s", e.Errors, r.field)
				}
			})
		}
	}
	if a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo/formations", key: key}); !strings.Contains(string(a.body), `"formations":[]`) {
		t.Errorf("something was stored: %s", a.body)
	}
}

func TestContentType(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	tests := []struct {
		header http.Header
		ok     bool
	}{
		{http.Header{"Content-Type": {"application/json"}}, true},
		{http.Header{"Content-Type": {"Application/JSON; charset=utf-8"}}, true},
		{http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, true},
		{http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, false},
		{http.Header{"Content-Type": {"text/plain"}}, false},
		{http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, false},
		{http.Header{"Content-Type": {"application/json;;"}}, false},
		{http.Header{"Content-Type": nil}, false},
	}
	for _, test := range tests {
		a := send(t, s, request{
			method: "POST", path: "/v1/workspaces/demo/recall", body: `{"query": "x"}`, key: key, header: test.header,
		})
		if test.ok && a.status != http.StatusOK {
			t.Errorf("%v: %s", test.header, a.body)
		}
		if !test.ok {
			problem(t, a, http.StatusBadRequest, api.CodeInvalidRequest)
		}
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	v, err := parseJSON([]byte(`{"query": 5, "limit": 99, "as_of": "x", "nonsense": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = decodeRecall(v)
	e := asProblem(err)
	var fields []string
	for _, f := range e.Errors {
		fields = append(fields, f.Field)
	}
	if diff := cmp.Diff([]string{"nonsense", "query", "as_of", "limit"}, fields); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if e.Code != api.CodeInvalidRequest {
		t.Errorf("code %s: a request that isn't well formed is told so first", e.Code)
	}
	many, err := parseJSON([]byte(`{"turns": [` + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = decodeFormation(many)
	if got := len(asProblem(err).Errors); got != maxFaults {
		t.Errorf("%d faults are told, want %d", got, maxFaults)
	}
}

func TestDecodeFormation(t *testing.T) {
	v, err := parseJSON([]byte(`{
		"turns": [{"content": "  Ja\u0308 \ud83d\uddfc\r\n", "role": "user"}, {"role": "tool", "content": "\u001b[0m"}],
		"observed_at": "2025-03-30T01:30:00.25+01:00",
		"source": {"via": "mcp", "client": {"name": "Desk \"A\"", "version": "1"}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	body, err := decodeFormation(v)
	if err != nil {
		t.Fatal(err)
	}
	want := []api.Turn{{Role: "user", Content: "  Ja\u0308 🗼\r\n"}, {Role: "tool", Content: "\x1b[0m"}}
	if diff := cmp.Diff(want, body.Turns); diff != "" {
		t.Errorf("turns are taken exactly as given (-want +got):\n%s", diff)
	}
	if got := body.ObservedAt.Format(time.RFC3339Nano); got != "2025-03-30T01:30:00.25+01:00" {
		t.Errorf("observed_at %s lost its offset", got)
	}
	source := &api.Source{Via: "mcp", Client: &api.SourceClient{Name: `Desk "A"`, Version: "1"}}
	if diff := cmp.Diff(source, body.Source); diff != "" {
		t.Errorf("source (-want +got):\n%s", diff)
	}
}

func TestLimitsThatAreJustKept(t *testing.T) {
	for name, body := range map[string]string{
		"500 turns":     turnsBody(500, "a"),
		"64 KiB a turn": turnsBody(2, strings.Repeat("a", 64<<10)),
		"hours ahead": fmt.Sprintf(`{"turns": [{"role": "user", "content": "a"}], "observed_at": %q}`,
			time.Now().Add(maxAhead-time.Minute).Format(time.RFC3339)),
		"the least year": `{"turns": [{"role": "user", "content": "a"}], "observed_at": "1000-01-01T00:00:00Z"}`,
	} {
		v, err := parseJSON([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeFormation(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, limit := range []string{"1", "50", "10.0", "1e1", "5.0e1"} {
		v, err := parseJSON(fmt.Appendf(nil, `{"query": %q, "limit": %s}`, strings.Repeat("q", 4096), limit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeRecall(v); err != nil {
			t.Errorf("limit %s: %v", limit, err)
		}
	}
}

// FuzzDecodeFormation: what is taken is what formations take, and every refusal is one of the contract's.
func FuzzDecodeFormation(f *testing.F) {
	f.Add([]byte(turnsBody(2, "hello")))
	f.Add([]byte(`{"turns": [{"role": "user", "content": "\ud800"}]}`))
	f.Add([]byte(`{"turns": [{"role": "user", "content": "a"}], "observed_at": "2025-03-30T01:30:00+23:59", "source": {"via": "cli"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := parseJSON(raw)
		if err != nil {
			return
		}
		body, err := decodeFormation(v)
		if err != nil {
			if e := asProblem(err); e.Status/100 != 4 {
				t.Errorf("%q is answered with %d: %v", raw, e.Status, err)
			}
			return
		}
		if err := formation.CheckTurns(body.Turns); err != nil {
			t.Errorf("%q was taken: %v", raw, err)
		}
		if _, err := json.Marshal(body); err != nil {
			t.Errorf("what was taken can't be written: %v", err)
		}
	})
}
