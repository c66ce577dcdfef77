package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

func TestRequestID(t *testing.T) {
	s := quiet(t)
	made := regexp.MustCompile(`^[0-9a-f]{24}$`)
	tests := []struct {
		sent string
		kept bool
	}{
		{"abc-DEF_1.2", true},
		{strings.Repeat("a", 128), true},
		{strings.Repeat("a", 129), false},
		{"", false},
		{"a b", false},
		{"a\"}\n{", false},
		{"é", false},
		{"<script>", false},
	}
	for _, test := range tests {
		a := send(t, s, request{method: "GET", path: "/healthz", header: http.Header{"X-Request-Id": {test.sent}}})
		got := a.header.Get("X-Request-Id")
		if test.kept && got != test.sent || !test.kept && !made.MatchString(got) {
			t.Errorf("%q became %q", test.sent, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := quiet(t)
	for _, path := range []string{"/healthz", "/v1/whoami", "/nowhere"} {
		h := send(t, s, request{method: "GET", path: path}).header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// The log says what was asked for and how it ended, and nothing of what it was about.
func TestLog(t *testing.T) {
	s, log := open(t, Options{NoWorker: true})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "my favourite colour is vermilion")
	for _, r := range []request{
		{method: "PUT", path: "/v1/workspaces/demo/formations/" + handle, body: body},
		{method: "POST", path: "/v1/workspaces/demo/recall", body: `{"query": "vermilion"}`},
		{method: "POST", path: "/v1/workspaces/demo/recall", body: `{"vermilion": "vermilion"}`},
		{method: "GET", path: "/v1/workspaces/demo/passages/vermilion?vermilion=vermilion"},
		{method: "GET", path: "/vermilion"},
		{method: "VERMILION", path: "/v1/whoami"},
	} {
		r.key = key
		r.header = http.Header{"User-Agent": {"vermilion"}}
		send(t, s, r)
	}
	text := log.String()
	for _, hidden := range []string{"vermilion", "VERMILION", key, key[10:30]} {
		if strings.Contains(text, hidden) {
			t.Errorf("the log has %q:\n%s", hidden, text)
		}
	}
	var first map[string]any
	for line := range strings.Lines(text) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if first == nil && record["msg"] == "request" {
			first = record
		}
	}
	for name, want := range map[string]any{
		"method": "PUT", "route": "/v1/workspaces/{workspace}/formations/{handle}", "status": 202.0, "workspace": "demo",
		"level": "INFO",
	} {
		if first[name] != want {
			t.Errorf("%s is %v, want %v", name, first[name], want)
		}
	}
	for _, name := range []string{"request_id", "key", "elapsed", "bytes"} {
		if first[name] == nil || first[name] == "" {
			t.Errorf("%s is missing in %v", name, first)
		}
	}
}

func TestPanic(t *testing.T) {
	s, log := openFaulty(t, &faulty{workspace: func() error { panic("at /secret/path") }})
	key := secret(t, s, allPermissions(), []string{"*"})
	a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key})
	problem(t, a, http.StatusInternalServerError, api.CodeInternal)
	if strings.Contains(string(a.body), "secret") {
		t.Errorf("the answer tells internals: %s", a.body)
	}
	if !strings.Contains(log.String(), "at /secret/path") || !strings.Contains(log.String(), a.header.Get("X-Request-Id")) {
		t.Errorf("the log doesn't tell what happened: %s", log)
	}
}

func TestInternalError(t *testing.T) {
	s, log := openFaulty(t, &faulty{workspace: func() error { return errors.New("disk /secret/path is on fire") }})
	key := secret(t, s, allPermissions(), []string{"*"})
	a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key})
	problem(t, a, http.StatusInternalServerError, api.CodeInternal)
	if strings.Contains(string(a.body), "secret") || !strings.Contains(log.String(), "on fire") {
		t.Errorf("answer %s, log %s", a.body, log)
	}
}

func TestBusyStore(t *testing.T) {
	f := &faulty{workspace: func() error { return codedError(5) }}
	s, _ := openFaulty(t, f)
	key := secret(t, s, allPermissions(), []string{"*"})
	a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key})
	problem(t, a, http.StatusServiceUnavailable, api.CodeUnavailable)
	if got := a.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
}

func TestReady(t *testing.T) {
	f := &faulty{}
	s, _ := openFaulty(t, f)
	if a := send(t, s, request{method: "GET", path: "/readyz"}); a.status != http.StatusOK || decode[api.Health](t, a).Status != "ok" {
		t.Errorf("%d: %s", a.status, a.body)
	}
	f.ping = errors.New("gone")
	a := send(t, s, request{method: "GET", path: "/readyz"})
	if a.status != http.StatusServiceUnavailable || decode[api.Health](t, a).Status != "unavailable" || a.header.Get("Retry-After") == "" {
		t.Errorf("%d: %s", a.status, a.body)
	}
	if a := send(t, s, request{method: "GET", path: "/healthz"}); a.status != http.StatusOK {
		t.Errorf("health depends on the store: %d", a.status)
	}
	f.ping = nil
	s.stop()
	if a := send(t, s, request{method: "GET", path: "/readyz"}); a.status != http.StatusServiceUnavailable {
		t.Errorf("ready while it ends: %d", a.status)
	}
}

func TestOpenAPI(t *testing.T) {
	a := send(t, quiet(t), request{method: "GET", path: "/v1/openapi.yaml"})
	if a.status != http.StatusOK || string(a.body) != string(api.OpenAPI()) || a.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// Paths of any shape are answered as not there, and never by another route.
func TestPaths(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v2/whoami", "/V1/whoami", "/v1/whoami/", "/v1/whoami/x", "//v1/whoami", "/v1//whoami",
		"/v1/workspaces/", "/v1/workspaces/demo/", "/v1/workspaces//recall", "/v1/workspaces/demo/nothing",
		"/v1/workspaces/%2e%2e", "/v1/workspaces/%2e%2e/whoami", "/v1/workspaces/demo%2fgraph", "/v1/workspaces/demo%00",
		"/v1/workspaces/Demo", "/v1/workspaces/%20demo", "/v1/workspaces/demo%0a", "/v1/workspaces/%EF%BD%84emo",
		"/v1/workspaces/%ff%fe", "/v1/workspaces/demo'--", "/v1/workspaces/" + strings.Repeat("a", 4000),
		"/v1/workspaces/*", "/v1/workspaces/demo.*", "/v1/workspaces/absent", "/v1/workspaces/absent/graph",
		"/v1/workspaces/absent/passages/ps_aaaa", "/v1/workspaces/demo/passages/ps_aaaa",
		"/v1/workspaces/demo/passages/%00", "/v1/workspaces/demo/passages/ps_%00", "/v1/workspaces/demo/passages/..%2f..",
		"/v1/workspaces/demo/passages/ps_" + strings.Repeat("a", 4000), "/v1/workspaces/demo/assertions/%ff",
		"/v1/workspaces/demo/formations/" + anyHandle, "/v1/workspaces/demo/formations/fm_x",
		"/v1/workspaces/demo/formations/%27%20OR%201%3D1", "/v1/workspaces/demo/formations/%00",
		"/v1/workspaces/demo/formations%3Aplans", "/.well-known/x", "/v1/openapi.json",
	} {
		a := send(t, s, request{method: "GET", path: path, key: key})
		e := problem(t, a, http.StatusNotFound, api.CodeNotFound)
		if len(e.Detail) > 1000 {
			t.Errorf("%.50s: a detail of %d bytes", path, len(e.Detail))
		}
	}
	for _, path := range []string{"/v1/./whoami", "/v1/x/../whoami", "/v1/workspaces/demo/../../whoami"} {
		r, err := http.NewRequest(http.MethodGet, "http://x/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = path // as it would come over a connection; a client cleans it
		rec := &recorder{header: http.Header{}}
		s.Handler().ServeHTTP(rec, r)
		if rec.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, rec.status)
		}
	}
}

// recorder is the least of a response writer.
type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
