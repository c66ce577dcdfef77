package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/content"
	"github.com/pb33f/libopenapi-validator/schema_validation"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server"
)

// operation is one method of one path of the contract.
type operation struct {
	id, method, path string
	statuses         []string
	spec             *v3.Operation
	parameters       []*v3.Parameter // those of the path too
}

// operations returns what the contract documents, by method and path; the names of path parameters are left out.
func operations(t *testing.T) map[string]operation {
	t.Helper()
	_, model := document(t)
	all := make(map[string]operation)
	for path, item := range model.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			method = strings.ToUpper(method)
			all[routeKey(method, path)] = operation{
				id: op.OperationId, method: method, path: path, spec: op,
				statuses:   slices.Collect(maps.Keys(maps.Collect(op.Responses.Codes.FromOldest()))),
				parameters: slices.Concat(item.Parameters, op.Parameters),
			}
		}
	}
	return all
}

func routeKey(method, path string) string {
	return method + " " + regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "{}")
}

// The server's routes and the document's are the same ones, with the same permissions and parameters.
func TestRoutesMatchDocument(t *testing.T) {
	documented := operations(t)
	for _, route := range server.Routes() {
		key := routeKey(route.Method, route.Pattern)
		op, ok := documented[key]
		if !ok {
			t.Errorf("%s is served, but not documented", key)
			continue
		}
		delete(documented, key)
		if public := op.spec.Security != nil; public != route.Public {
			t.Errorf("%s: public = %v, documented as %v", key, route.Public, public)
		}
		if want := permissionText(route); want != "" && !strings.Contains(op.spec.Description, want) {
			t.Errorf("%s: the description does not say %q", key, want)
		}
		var query []string
		for _, p := range op.parameters {
			if p.In == "query" {
				query = append(query, p.Name)
			}
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(route.Query)), slices.Sorted(slices.Values(query))); diff != "" {
			t.Errorf("%s: query parameters (-server +document):\n%s", key, diff)
		}
	}
	for key := range documented {
		t.Errorf("%s is documented, but not served", key)
	}
}

func permissionText(r server.Route) string {
	switch {
	case r.Public:
		return ""
	case r.Permission == "":
		return "Needs no permission."
	}
	return "`" + r.Permission + "`"
}

// The document is a valid one, and says what it means: a misspelt keyword would be ignored in silence.
func TestDocumentIsValid(t *testing.T) {
	doc, _ := document(t)
	v, errs := validator.NewValidator(doc)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if ok, faults := v.ValidateDocument(); !ok {
		t.Errorf("%v", faults)
	}
	ids := make(map[string]string)
	for key, op := range operations(t) {
		if other, taken := ids[op.id]; taken || op.id == "" {
			t.Errorf("%s has the operation id %q of %s", key, op.id, other)
		}
		ids[op.id] = key
	}
}

// contract watches what passes between a client and a server, and compares all of it with the document.
type contract struct {
	t         *testing.T
	validator validator.Validator
	mux       *http.ServeMux // finds the operation of a request
	mu        sync.Mutex
	seen      map[string]map[string]bool // statuses by operation
}

func newContract(t *testing.T) *contract {
	t.Helper()
	doc, _ := document(t)
	v, errs := validator.NewValidator(doc, config.WithStrictMode(), config.WithFormatAssertions(),
		config.WithBodyDecoder("application/jsonl", content.DecoderFunc(wholeBody)),
		config.WithBodyDecoder("text/html", content.DecoderFunc(wholeBody)),
		config.WithStrictIgnoredHeadersExtra("X-Content-Type-Options", "Cache-Control", "Content-Security-Policy", "Accept",
			"Accept-Encoding", "Vary", "Allow", "Content-Disposition", "RateLimit", "RateLimit-Policy", "Set-Cookie",
			"Pragma", "Referrer-Policy", "X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	c := &contract{t: t, validator: v, mux: http.NewServeMux(), seen: make(map[string]map[string]bool)}
	for _, op := range operations(t) {
		c.mux.HandleFunc(op.method+" "+op.path, func(http.ResponseWriter, *http.Request) {})
	}
	return c
}

// wholeBody takes JSON Lines as one text, as the document has them. [TestExportKeepsContract] looks at the lines.
func wholeBody(in *content.DecodeInput) (any, error) {
	b, err := io.ReadAll(in.Body)
	return string(b), err
}

// RoundTrip sends a request over the network. What succeeds must have been a valid request; what is answered must be
// documented in any case.
func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := http.DefaultTransport.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	checked := r.Clone(context.Background())
	for _, own := range []string{"Cookie", "Sec-Fetch-Site", "Referer"} { // what browsers add
		checked.Header.Del(own)
	}
	checked.Body = io.NopCloser(bytes.NewReader(body))
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	for _, fault := range c.faults(checked, resp) {
		c.t.Errorf("%s %s → %d: %s\nsent: %.300s\ngot: %.600s", r.Method, r.URL.Path, resp.StatusCode, fault, body, answer)
	}
	c.note(checked, resp.StatusCode)
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, nil
}

// faults compares one exchange with the document.
func (c *contract) faults(r *http.Request, resp *http.Response) (faults []string) {
	add := func(valid bool, list []string) {
		if !valid && len(list) == 0 {
			list = []string{"it does not match the document"}
		}
		faults = append(faults, list...)
	}
	if resp.StatusCode < 400 {
		valid, list := c.validator.ValidateHttpRequestSync(r)
		add(valid, texts(list))
	}
	valid, list := c.validator.ValidateHttpResponse(r, resp)
	add(valid, texts(list))
	return faults
}

func texts[E error](list []E) (all []string) {
	for _, err := range list {
		all = append(all, err.Error())
	}
	return all
}

func (c *contract) note(r *http.Request, status int) {
	_, pattern := c.mux.Handler(r)
	method, path, _ := strings.Cut(pattern, " ")
	key := routeKey(method, path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key] == nil {
		c.seen[key] = make(map[string]bool)
	}
	c.seen[key][itoa(status)] = true
}

// unseen lists the documented answers that were never given, but those that no request can provoke.
func (c *contract) unseen() (list []string) {
	for key, op := range operations(c.t) {
		for _, status := range op.statuses {
			if !slices.Contains([]string{"429", "500", "503"}, status) && !c.seen[key][status] {
				list = append(list, key+" → "+status)
			}
		}
	}
	slices.Sort(list)
	return list
}

// realServer runs our own server over a new store on a loopback port, and returns its URL and a key that may do
// everything.
func realServer(t *testing.T) (s *server.Server, url, key string) {
	t.Helper()
	s, err := server.Open(t.Context(), server.Options{Store: "sqlite:" + filepath.Join(t.TempDir(), "memory.db")})
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.CreateKey(t.Context(), api.CreateKey{Label: "test", Role: "root", Selectors: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s, "http://" + ln.Addr().String(), made.Secret
}

// Everything that the server answers is in the document, and everything in the document that a request can provoke is
// answered.
func TestServerKeepsContract(t *testing.T) {
	s, url, root := realServer(t)
	c := newContract(t)
	client := newClient(t, url, api.WithToken(root), api.WithTransport(c))
	tour := newTour(t, client)
	tour.walk()
	p := provoke(t, s, c, url, root)
	member := newVisitor(t, s, p, c).walk()
	if me, err := newClient(t, url, api.WithToken(member), api.WithTransport(c)).WhoAmI.Get(tour.ctx); err != nil || me.User != "ana@example.com" {
		t.Errorf("the first administrator is %+v, %v", me, err)
	}
	tour.team(p)
	if err := s.Close(); err != nil { // from here on the store doesn't answer
		t.Fatal(err)
	}
	p.ask("GET", "/readyz", "", "")
	p.ask("GET", "/v1/whoami", root, "")
	if !c.seen["GET /readyz"]["503"] || !c.seen["GET /v1/whoami"]["500"] && !c.seen["GET /v1/whoami"]["503"] {
		t.Errorf("without its store the server answered %v", c.seen)
	}
	for _, answer := range c.unseen() {
		t.Errorf("never answered: %s", answer)
	}
}

// provoke asks every operation for every error that it documents.
func provoke(t *testing.T, s *server.Server, c *contract, url, root string) provoker {
	t.Helper()
	weak, err := s.CreateKey(t.Context(), api.CreateKey{
		Label: "weak", Permissions: []string{"memory:import"}, Selectors: []string{"elsewhere"},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := provoker{t: t, client: &http.Client{
		Transport:     c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, url: url, key: root}
	p.ask("POST", "/v1/workspaces", root, validBody("createWorkspace"))
	for _, op := range operations(t) {
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(op.path, func(name string) string {
			return map[string]string{"{workspace}": "absent", "{handle}": hello, "{id}": "x", "{role}": "x"}[name]
		})
		body := validBody(op.id)
		p.ask(op.method, path, "", body)
		p.ask(op.method, path, weak.Secret, body)
		p.ask(op.method, path, root, body)
		if !isSignIn(op.path) { // OAuth ignores parameters that it doesn't know
			p.ask(op.method, path+"?nonsense=1", root, body)
		}
		if body != "" {
			p.ask(op.method, path, root, `{"nonsense": 1}`)
			p.ask(op.method, path, root, strings.Repeat(" ", api.MaxRequestBytes+1))
			p.ask(op.method, path, root, `{"turns": []}`)
		}
	}
	p.ask("PUT", "/v1/workspaces/contract/formations/fm_"+strings.Repeat("a", 32), root, validBody("submitFormation"))
	p.ask("DELETE", "/v1/keys/key_absent", root, "")
	p.ask("PUT", "/v1/members/us_absent", root, validBody("changeMember"))
	return p
}

// validBody is a body that an operation takes, or "" for one that takes none.
func validBody(id string) string {
	return map[string]string{
		"createWorkspace":  `{"name": "contract"}`,
		"recall":           `{"query": "where"}`,
		"submitFormation":  `{"turns": [{"role": "user", "content": "hello"}]}`,
		"planFormation":    `{"turns": [{"role": "user", "content": "hello"}]}`,
		"createKey":        `{"label": "k", "role": "reader", "selectors": []}`,
		"changeMember":     `{"role": "reader", "selectors": []}`,
		"createRole":       `{"name": "looker", "permissions": ["memory:recall"]}`,
		"changeRole":       `{"permissions": ["memory:recall"]}`,
		"createInvitation": `{"email": "dee@example.com", "role": "reader", "selectors": []}`,
	}[id]
}

type provoker struct {
	t      *testing.T
	client *http.Client
	url    string
	key    string // that may do everything
}

// ask sends a request; the transport compares what comes back with the document.
func (p provoker) ask(method, path, key, body string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(ctx(p.t), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := p.client.Do(r)
	if err != nil {
		p.t.Errorf("%s %s: %v", method, path, err)
		return
	}
	_ = resp.Body.Close()
}

// Every line of an export is a record that the document describes.
func TestExportKeepsContract(t *testing.T) {
	_, url, root := realServer(t)
	client := newClient(t, url, api.WithToken(root))
	tour := newTour(t, client)
	tour.workspaces()
	tour.formations()
	all, check := schemas(t), schema_validation.NewSchemaValidator(config.WithFormatAssertions())
	kinds := map[string]string{
		"workspace": "Workspace", "formation": "Formation", "passage": "Passage", "entity": "Entity", "assertion": "Assertion",
	}
	for _, record := range collect(tour, client.Memory.Export(tour.ctx, "notes")) {
		schema := all[kinds[record.Type]]
		if schema == nil {
			t.Errorf("a record of type %q", record.Type)
			continue
		}
		if ok, faults := check.ValidateSchemaBytesWithVersion(schema, record.Data, 3.1); !ok {
			t.Errorf("%s %s: %v", record.Type, record.Data, faults)
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(record.Data, &fields); err != nil {
			t.Fatal(err)
		}
		for name := range fields {
			if _, ok := schemaFields(schema)[name]; !ok {
				t.Errorf("a %s has the field %s, which is not documented", record.Type, name)
			}
		}
	}
}

// The comparison itself must be able to fail.
func TestContractNoticesFaults(t *testing.T) {
	const good = `{"name": "notes", "title": "", "created_at": "2025-03-01T09:00:00Z"}`
	const denied = `{"type": "about:blank", "title": "t", "status": 403, "detail": "d", "code": "permission_denied", "request_id": "r"}`
	for _, tt := range []struct {
		name, target string
		status       int
		header, body string
		ok           bool
	}{
		{"success", "/v1/workspaces/notes", 200, "r-1", good, true},
		{"error", "/v1/workspaces/notes", 403, "r-1", denied, true},
		{"status that is not documented", "/v1/workspaces/notes", 402, "r-1", denied, false},
		{"code of another status", "/v1/workspaces/notes", 404, "r-1", denied, false},
		{"field that is not documented", "/v1/workspaces/notes", 200, "r-1", good[:len(good)-1] + `, "shoe": 1}`, false},
		{"required field missing", "/v1/workspaces/notes", 200, "r-1", `{"name": "notes", "title": ""}`, false},
		{"time that is none", "/v1/workspaces/notes", 200, "r-1", strings.Replace(good, "2025-03-01T", "1 March ", 1), false},
		{"name that is none", "/v1/workspaces/notes", 200, "r-1", strings.Replace(good, "notes", "Notes!", 1), false},
		{"header missing", "/v1/workspaces/notes", 200, "", good, false},
		{"path that is not documented", "/v1/nothing", 200, "r-1", good, false},
		{"query that is not documented", "/v1/workspaces/notes?x=1", 200, "r-1", good, false},
		{"page size that is too large", "/v1/workspaces?page_size=201", 200, "r-1", `{"workspaces": []}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newContract(t)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+tt.target, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer x")
			media := "application/json"
			if tt.status >= 400 {
				media = "application/problem+json"
			}
			resp := answer(r, tt.status, tt.body, "Content-Type", media)
			if tt.header != "" {
				resp.Header.Set("X-Request-Id", tt.header)
			}
			if faults := c.faults(r, resp); (len(faults) == 0) != tt.ok {
				t.Errorf("faults: %s", fmt.Sprint(faults))
			}
		})
	}
}
