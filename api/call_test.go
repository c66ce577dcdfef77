package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// A name never leaves its segment of the path, whatever is in it.
func TestPathEscaping(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"notes", "/v1/workspaces/notes"},
		{"team.app", "/v1/workspaces/team.app"},
		{"../keys", "/v1/workspaces/..%2Fkeys"},
		{"a/b", "/v1/workspaces/a%2Fb"},
		{"%2f", "/v1/workspaces/%252f"},
		{"%2e%2e", "/v1/workspaces/%252e%252e"},
		{"a?b=c", "/v1/workspaces/a%3Fb=c"},
		{"a#b", "/v1/workspaces/a%23b"},
		{`a\b`, "/v1/workspaces/a%5Cb"},
		{"a b+c", "/v1/workspaces/a%20b+c"},
		{"a\r\nX: y", "/v1/workspaces/a%0D%0AX:%20y"},
		{"a\x00", "/v1/workspaces/a%00"},
		{"\xff", "/v1/workspaces/%FF"},
		{"ö", "/v1/workspaces/%C3%B6"},
		{"...", "/v1/workspaces/..."},
		{";v=1", "/v1/workspaces/%3Bv=1"},
	} {
		var got string
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = r.RequestURI
			reply(200, `{}`)(w, r)
		}))
		if _, err := newClient(t, url+prefix).Workspaces.Get(ctx(t), tt.name); err != nil {
			t.Errorf("%q: %v", tt.name, err)
		}
		if got != prefix+tt.want {
			t.Errorf("%q: requested %s, want %s", tt.name, got, prefix+tt.want)
		}
	}
}

// Dot segments are resolved by whoever is on the way, escaped or not, so they are never sent; every method refuses
// them, wherever they stand.
func TestNamesThatCanNotBeSent(t *testing.T) {
	c, _ := setup(t) // fails the test when it is asked
	turns := api.SubmitFormation{Turns: []api.Turn{{Role: "user", Content: "hello"}}}
	for _, bad := range []string{"", ".", ".."} {
		for name, call := range map[string]func(context.Context) error{
			"Workspaces.Get":    func(ctx context.Context) error { _, err := c.Workspaces.Get(ctx, bad); return err },
			"Workspaces.Check":  func(ctx context.Context) error { return c.Workspaces.Check(ctx, bad) },
			"Workspaces.Delete": func(ctx context.Context) error { _, err := c.Workspaces.Delete(ctx, bad); return err },
			"Memory.Recall":     func(ctx context.Context) error { _, err := c.Memory.Recall(ctx, bad, api.RecallRequest{}); return err },
			"Memory.RecallJSON": func(ctx context.Context) error {
				_, err := c.Memory.RecallJSON(ctx, bad, api.RecallRequest{})
				return err
			},
			"Memory.ExportTo":    func(ctx context.Context) error { return c.Memory.ExportTo(ctx, bad, io.Discard) },
			"Memory.Export":      func(ctx context.Context) error { return first(c.Memory.Export(ctx, bad)) },
			"Formations.Submit":  func(ctx context.Context) error { _, err := c.Formations.Submit(ctx, bad, turns); return err },
			"Formations.Plan":    func(ctx context.Context) error { _, err := c.Formations.Plan(ctx, bad, turns); return err },
			"Formations.Get":     func(ctx context.Context) error { _, err := c.Formations.Get(ctx, "notes", bad); return err },
			"Formations.GetWait": func(ctx context.Context) error { _, err := c.Formations.GetWait(ctx, bad, "fm_", 1); return err },
			"Formations.Wait":    func(ctx context.Context) error { _, err := c.Formations.Wait(ctx, "notes", bad); return err },
			"Formations.All":     func(ctx context.Context) error { return first(c.Formations.All(ctx, bad, api.FormationListOptions{})) },
			"Passages.All":       func(ctx context.Context) error { return first(c.Passages.All(ctx, bad, api.ListOptions{})) },
			"Passages.Get":       func(ctx context.Context) error { _, err := c.Passages.Get(ctx, "notes", bad); return err },
			"Passages.Forget":    func(ctx context.Context) error { _, err := c.Passages.Forget(ctx, "notes", bad); return err },
			"Graph.All":          func(ctx context.Context) error { return first(c.Graph.All(ctx, bad, api.ListOptions{})) },
			"Graph.Assertion":    func(ctx context.Context) error { _, err := c.Graph.Assertion(ctx, "notes", bad); return err },
			"Keys.Revoke":        func(ctx context.Context) error { _, err := c.Keys.Revoke(ctx, bad); return err },
		} {
			if err := call(ctx(t)); !errors.Is(err, api.ErrInvalidRequest) {
				t.Errorf("%s(%q): error = %v, want one that is ErrInvalidRequest", name, bad, err)
			}
		}
	}
}

// Whatever a name holds, the request goes to the path of the names as they are, and to no other.
func FuzzPath(f *testing.F) {
	for _, name := range []string{"notes", "..", "../..", "a/b", "%2e%2e", "a?b#c", `\`, ";", "\x00", "\xff", "http://x/", "//x"} {
		f.Add(name, "id")
		f.Add("notes", name)
	}
	f.Fuzz(func(t *testing.T, workspace, id string) {
		var sent *http.Request
		c := newClient(t, "https://example.com/prefix", api.WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r
			return answer(r, 200, "{}"), nil
		})))
		_, err := c.Passages.Get(t.Context(), workspace, id)
		if err != nil {
			if !errors.Is(err, api.ErrInvalidRequest) || sent != nil {
				t.Fatal(err)
			}
			return
		}
		parts := strings.Split(sent.URL.EscapedPath(), "/")
		if len(parts) != 7 || sent.URL.Host != "example.com" || sent.URL.RawQuery != "" || sent.URL.Fragment != "" {
			t.Fatalf("%q, %q: sent to %s", workspace, id, sent.URL)
		}
		for i, want := range map[int]string{1: "prefix", 2: "v1", 3: "workspaces", 4: workspace, 5: "passages", 6: id} {
			if got, err := url.PathUnescape(parts[i]); err != nil || got != want || got == ".." || got == "." {
				t.Errorf("segment %d is %q, want %q", i, parts[i], want)
			}
		}
	})
}

// first returns the error of an iterator's first step.
func first[T any](seq func(func(T, error) bool)) (err error) {
	seq(func(_ T, e error) bool {
		err = e
		return false
	})
	return err
}

func TestRequestLimit(t *testing.T) {
	c, _ := setup(t) // fails the test when it is asked
	var turns []api.Turn
	for range 17 {
		turns = append(turns, api.Turn{Role: "user", Content: strings.Repeat("a", 63*1024)})
	}
	_, err := c.Formations.Submit(ctx(t), "notes", api.SubmitFormation{Turns: turns})
	if !errors.Is(err, api.ErrTooLarge) || !strings.Contains(err.Error(), "the limit is 1048576") {
		t.Errorf("error = %v", err)
	}
}

// What matters to HTML alone is sent as it is: escaped, it would count sixfold against the limit.
func TestRequestIsNotEscapedForHTML(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/workspaces/notes/recall", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if want := `{"query":"<a & b>"}` + "\n"; err != nil || string(body) != want {
			t.Errorf("body = %q, %v, want %q", body, err, want)
		}
		reply(200, `{}`)(w, r)
	})
	if _, err := c.Memory.Recall(ctx(t), "notes", api.RecallRequest{Query: "<a & b>"}); err != nil {
		t.Error(err)
	}
}

func TestResponseLimit(t *testing.T) {
	c, mux := setup(t, api.WithResponseLimit(100))
	mux.HandleFunc("GET /v1/whoami", reply(200, `{"label": "`+strings.Repeat("a", 86)+`"}`))
	mux.HandleFunc("GET /v1/permissions", reply(200, `{"label": "`+strings.Repeat("a", 87)+`" }`))
	if _, err := c.WhoAmI.Get(ctx(t)); err != nil {
		t.Errorf("99 bytes: %v", err)
	}
	_, err := c.Permissions.List(ctx(t))
	if err == nil || !strings.Contains(err.Error(), "more than 100 bytes") || errors.Is(err, api.ErrUnreachable) {
		t.Errorf("101 bytes: error = %v", err)
	}
}

// An address that is no memory API's answers all sorts of things; none of them is a result.
func TestAnswerIsNotTheContracts(t *testing.T) {
	for _, body := range []string{"", "<html>sign in</html>", `[]`, `"x"`, `{"kind": "key"`, `{"kind": 7}`, `{} {}`} {
		c, mux := setup(t)
		mux.HandleFunc("GET /v1/whoami", reply(200, body))
		_, err := c.WhoAmI.Get(ctx(t))
		if err == nil || !strings.Contains(err.Error(), c.BaseURL()+", which may not be a memory API") {
			t.Errorf("%q: error = %v", body, err)
		}
	}
}

// Fields that a later server adds are no reason to fail.
func TestUnknownFieldsOfAnswers(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/whoami", reply(200, `{"kind": "key", "shoe_size": 44}`))
	got, err := c.WhoAmI.Get(ctx(t))
	wantEqual(t, got, err, &api.Identity{Kind: "key"})
}

func TestUnreachable(t *testing.T) {
	c := newClient(t, "http://127.0.0.1:1/prefix") // nothing listens on port 1
	_, err := c.Workspaces.List(ctx(t), api.ListOptions{PageToken: "token-word"})
	e, ok := errors.AsType[*api.ConnectionError](err)
	if !ok || !errors.Is(err, api.ErrUnreachable) || e.Endpoint != "http://127.0.0.1:1/prefix" {
		t.Fatalf("error = %v (%T)", err, err)
	}
	if !strings.HasPrefix(err.Error(), "calling the memory API at http://127.0.0.1:1/prefix: dial tcp") ||
		strings.Contains(err.Error(), "token-word") || strings.Contains(err.Error(), "giving up") {
		t.Errorf("error = %v", err)
	}
}

func TestCanceled(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/whoami", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	short, cancel := context.WithTimeout(ctx(t), 20*time.Millisecond)
	defer cancel()
	_, err := c.WhoAmI.Get(short)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, api.ErrUnreachable) {
		t.Errorf("error = %v", err)
	}
	canceled, cancel := context.WithCancel(ctx(t))
	cancel()
	if _, err := c.WhoAmI.Get(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
}
