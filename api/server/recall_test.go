package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// remember forms conversations, one a content, and waits for them.
func remember(tb testing.TB, s *Server, key string, contents ...string) {
	tb.Helper()
	for _, content := range contents {
		handle, body := conversation(tb, content)
		submit(tb, s, key, handle, body)
		a := send(tb, s, request{
			method: "GET", path: demoFormations + "/" + handle, key: key, header: http.Header{"Prefer": {"wait=30"}},
		})
		if f := decode[api.Formation](tb, a); f.State != api.FormationFinished {
			tb.Fatalf("%s", a.body)
		}
	}
}

func recallWith(tb testing.TB, s *Server, key string, body api.RecallRequest) api.Recall {
	tb.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	a := send(tb, s, request{method: "POST", path: "/v1/workspaces/demo/recall", body: string(raw), key: key})
	if a.status != http.StatusOK {
		tb.Fatalf("%q: %d %s", body.Query, a.status, a.body)
	}
	if strings.Contains(string(a.body), "null") {
		tb.Errorf("null in %s", a.body)
	}
	return decode[api.Recall](tb, a)
}

func TestRecallOfNothing(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, []string{"memory:recall"}, []string{"demo"})
	a := send(t, s, request{method: "POST", path: "/v1/workspaces/demo/recall", body: `{"query": "x"}`, key: key})
	if !strings.HasPrefix(string(a.body), `{"passages":[],"graph":{"nodes":[],"edges":[],"truncated":false},"read_at":"`) {
		t.Errorf("%s", a.body)
	}
	a = send(t, s, request{method: "POST", path: "/v1/workspaces/demo2/recall", body: `{"query": "x"}`, key: key})
	problem(t, a, http.StatusForbidden, api.CodePermissionDenied)
	all := secret(t, s, []string{"memory:recall"}, []string{"*"})
	a = send(t, s, request{method: "POST", path: "/v1/workspaces/absent/recall", body: `{"query": "x"}`, key: all})
	problem(t, a, http.StatusNotFound, api.CodeNotFound)
}

// A query is words, whatever it looks like: the syntax of an index or of SQL means nothing.
func TestRecallOfAnyText(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	remember(t, s, key, "The harbour master keeps a parrot called Fidel.", "My bicycle is a green Gazelle.")
	for _, query := range []string{
		"parrot", `"parrot`, `"parrot"`, "parrot*", "par*rot parrot", "NEAR(parrot", "NEAR(parrot harbour, 5)", "parrot -harbour",
		"-parrot", "text:parrot", "parrot AND", "AND parrot OR NOT", "(parrot", "parrot)", "^parrot", "parrot + harbour",
		"{parrot}", "parrot'; DROP TABLE passages; --", "parrot\\", "parrot%", "parrot_", "PARROT?!", "parrot\n\tharbour",
		"ｐａｒｒｏｔ", "parrot\u202e", "parrot \x1b[31m", "🦜 parrot", "parrot " + strings.Repeat("x ", 1000),
	} {
		got := recallWith(t, s, key, api.RecallRequest{Query: query})
		if len(got.Passages) == 0 || !strings.Contains(got.Passages[0].Text, "parrot") {
			t.Errorf("%.40q recalls %+v", query, got.Passages)
		}
	}
	for _, query := range []string{`"`, "*", "NEAR(", "-", ":", "()", "' OR 1=1 --", "🦜", "\u200b\u200d.", "١٢٣", strings.Repeat("(", 4096)} {
		recallWith(t, s, key, api.RecallRequest{Query: query})
	}
	if got := recallWith(t, s, key, api.RecallRequest{Query: "?!"}); len(got.Notes) != 1 || len(got.Passages) != 0 {
		t.Errorf("a query without a word: %+v", got)
	}
}

func TestRecallLimit(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	var contents []string
	for i := range 12 {
		contents = append(contents, fmt.Sprintf("The locker of lane %d is painted in colour %d.", i, i*7))
	}
	remember(t, s, key, contents...)
	for limit, want := range map[int]int{0: 10, 1: 1, 11: 11, 50: 12} {
		got := recallWith(t, s, key, api.RecallRequest{Query: "locker", Limit: limit})
		if len(got.Passages) != want {
			t.Errorf("limit %d: %d passages, want %d", limit, len(got.Passages), want)
		}
		for i, p := range got.Passages {
			if p.Score <= 0 || i > 0 && p.Score > got.Passages[i-1].Score {
				t.Errorf("limit %d: passage %d has the score %v", limit, i, p.Score)
			}
		}
	}
}

func TestRecallAsOf(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	before := time.Now().Add(-time.Hour)
	remember(t, s, key, "My bicycle is a green Gazelle.")
	got := recallWith(t, s, key, api.RecallRequest{Query: "bicycle"})
	if len(got.Passages) != 1 || time.Since(got.ReadAt) > time.Minute || got.ReadAt.Location() != time.UTC {
		t.Errorf("now: %+v", got)
	}
	if got := recallWith(t, s, key, api.RecallRequest{Query: "bicycle", AsOf: &before}); len(got.Passages) != 0 {
		t.Errorf("an hour ago: %+v", got.Passages)
	}
}

// Characters that matter to HTML alone come back as they are.
func TestRepliesAreNotEscapedForHTML(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	remember(t, s, key, "The template says <b>Dear & trusted parrot</b>.")
	a := send(t, s, request{method: "POST", path: "/v1/workspaces/demo/recall", body: `{"query": "parrot"}`, key: key})
	if !strings.Contains(string(a.body), "<b>Dear & trusted parrot</b>") {
		t.Errorf("%s", a.body)
	}
}
