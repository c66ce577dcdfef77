package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
	"github.com/lukasa-dev/lukasa/formation"
)

// publicURL is where the servers of tests are reached, as they are told.
const publicURL = "https://memory.example.com"

// open opens a server over a new store, with its log in the test's buffer.
func open(tb testing.TB, opts Options) (*Server, *logBuffer) {
	tb.Helper()
	log := &logBuffer{}
	dir := tb.TempDir()
	opts.Store = "sqlite:" + filepath.Join(dir, "memory.db")
	if opts.PublicURL == "" {
		opts.PublicURL = publicURL
	}
	if opts.limits == nil {
		opts.limits = &limits{} // tests share one address
	}
	if opts.password.Time == 0 {
		opts.password = oauth.PasswordCost{Time: 1, Memory: 64}
	}
	opts.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := Open(context.Background(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	dirs.Store(s, dir)
	tb.Cleanup(func() {
		dirs.Delete(s)
		if err := s.Close(); err != nil {
			tb.Errorf("closing the server: %v", err)
		}
	})
	return s, log
}

// dirs has the folder of every server's store.
var dirs sync.Map

func storeDir(tb testing.TB, s *Server) string {
	tb.Helper()
	dir, ok := dirs.Load(s)
	if !ok {
		tb.Fatal("the server has no folder")
	}
	return dir.(string)
}

// quiet is a server whose worker is off: a test that doesn't form anything needs none.
func quiet(tb testing.TB) *Server {
	tb.Helper()
	s, _ := open(tb, Options{NoWorker: true})
	return s
}

// secret makes a key with these permissions and selectors and returns it.
func secret(tb testing.TB, s *Server, permissions, selectors []string) string {
	tb.Helper()
	key, err := s.CreateKey(tb.Context(), api.CreateKey{Label: tb.Name(), Permissions: permissions, Selectors: selectors})
	if err != nil {
		tb.Fatal(err)
	}
	return key.Secret
}

func allPermissions() []string { return permissionNames(rootPermissions()) }

func makeWorkspace(tb testing.TB, s *Server, name string) {
	tb.Helper()
	if _, err := s.store.CreateWorkspace(tb.Context(), name, "", now()); err != nil {
		tb.Fatal(err)
	}
}

// request is one request of a test. Body is sent as it is.
type request struct {
	method, path, body string
	key                string
	header             http.Header
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send has the handler answer r as if it had come over a connection.
func send(tb testing.TB, s *Server, r request) answer {
	tb.Helper()
	req := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(r.body))
	req.Method = r.method
	target, err := req.URL.Parse(r.path)
	if err != nil {
		tb.Fatal(err)
	}
	req.URL, req.RequestURI = target, target.RequestURI()
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	result := w.Result()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return answer{status: result.StatusCode, header: result.Header, body: body}
}

// decode reads the answer's JSON, strictly: a field that the contract's type doesn't have is an error.
func decode[T any](tb testing.TB, a answer) T {
	tb.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		tb.Fatalf("decoding %d %s: %v", a.status, a.body, err)
	}
	return v
}

// problem checks that a is a problem document of that status and code, and returns it.
func problem(tb testing.TB, a answer, status int, code api.Code) api.Error {
	tb.Helper()
	if a.status != status {
		tb.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		tb.Errorf("content type %q of an error", got)
	}
	e := decode[api.Error](tb, a)
	if e.Code != code || e.Status != status {
		tb.Errorf("code %s and status %d in the body, want %s and %d", e.Code, e.Status, code, status)
	}
	if e.Type == "" || e.Title == "" || e.Detail == "" || e.RequestID == "" || e.RequestID != a.header.Get("X-Request-Id") {
		tb.Errorf("incomplete problem document: %s", a.body)
	}
	return e
}

// conversation is the body of a submission, and its handle.
func conversation(tb testing.TB, contents ...string) (handle, body string) {
	tb.Helper()
	turns := make([]api.Turn, len(contents))
	for i, c := range contents {
		turns[i] = api.Turn{Role: formation.RoleUser, Content: c}
	}
	raw, err := json.Marshal(api.SubmitFormation{Turns: turns})
	if err != nil {
		tb.Fatal(err)
	}
	return formation.Handle(turns, nil), string(raw)
}
