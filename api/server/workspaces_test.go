package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestWorkspaceLifeCycle(t *testing.T) {
	s, _ := open(t, Options{})
	key := secret(t, s, allPermissions(), []string{"*"})
	do := func(method, path, body string) answer {
		return send(t, s, request{method: method, path: path, body: body, key: key})
	}
	a := do("POST", "/v1/workspaces", `{"name": "demo", "title": "Die Öffentliche"}`)
	w := decode[api.Workspace](t, a)
	if a.status != http.StatusCreated || w.Name != "demo" || w.Title != "Die Öffentliche" || w.CreatedAt.IsZero() {
		t.Errorf("%d: %s", a.status, a.body)
	}
	if got := a.header.Get("Location"); got != "/v1/workspaces/demo" {
		t.Errorf("location %q", got)
	}
	e := problem(t, do("POST", "/v1/workspaces", `{"name": "demo"}`), http.StatusConflict, api.CodeAlreadyExists)
	if !strings.Contains(e.Detail, `"demo"`) {
		t.Errorf("detail %q", e.Detail)
	}
	remember(t, s, key, "My bicycle is a green Gazelle.")
	got := decode[api.Workspace](t, do("GET", "/v1/workspaces/demo", ""))
	if got.Counts == nil || got.Counts.Passages != 1 || got.Counts.Formations != 1 {
		t.Errorf("counts %+v", got.Counts)
	}
	if diff := cmp.Diff(allPermissions(), got.Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	erasure := decode[api.Erasure](t, do("DELETE", "/v1/workspaces/demo", ""))
	if erasure.Workspace != "demo" || erasure.Removed.Passages != 1 || erasure.ErasedAt.IsZero() {
		t.Errorf("receipt %+v", erasure)
	}
	for _, path := range []string{"", "/passages", "/graph", "/formations", "/export"} {
		problem(t, do("GET", "/v1/workspaces/demo"+path, ""), http.StatusNotFound, api.CodeNotFound)
	}
	problem(t, do("DELETE", "/v1/workspaces/demo", ""), http.StatusNotFound, api.CodeNotFound)
}

// What the start-up check of a proxy sees: what it may do there, whatever that is.
func TestPermissionsInWorkspace(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, []string{"memory:recall", "memory:remember"}, []string{"demo"})
	w := decode[api.Workspace](t, send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key}))
	if diff := cmp.Diff([]string{"memory:recall", "memory:remember"}, w.Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
}

func TestPassages(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	texts := []string{"My bicycle is a green Gazelle.", "The harbour master keeps a parrot.", "The locker has the number 9."}
	remember(t, s, key, texts...)
	var ids []string
	got := walk(t, s, "/v1/workspaces/demo/passages", key, 2, func(a answer) (list []string, next string) {
		page := decode[api.PassagePage](t, a)
		for _, p := range page.Passages {
			list = append(list, p.Text)
			ids = append(ids, p.ID)
		}
		return list, page.NextPageToken
	})
	if diff := cmp.Diff(texts, got); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	path := "/v1/workspaces/demo/passages/" + ids[1]
	detail := decode[api.PassageDetail](t, send(t, s, request{method: "GET", path: path, key: key}))
	if detail.Text != texts[1] || detail.Assertions == nil {
		t.Errorf("passage %+v", detail)
	}
	erasure := decode[api.Erasure](t, send(t, s, request{method: "DELETE", path: path, key: key}))
	if erasure.Passage != ids[1] || erasure.Removed.Passages != 1 {
		t.Errorf("receipt %+v", erasure)
	}
	for _, method := range []string{"GET", "DELETE"} {
		e := problem(t, send(t, s, request{method: method, path: path, key: key}), http.StatusNotFound, api.CodeNotFound)
		if !strings.Contains(e.Detail, ids[1]) {
			t.Errorf("detail %q", e.Detail)
		}
	}
	if got := recallWith(t, s, key, api.RecallRequest{Query: "parrot"}); len(got.Passages) != 0 {
		t.Errorf("forgotten, and recalled: %+v", got.Passages)
	}
}

// Everything in the graph leads on: from a page to an assertion, from there to its evidence.
func TestGraph(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	remember(t, s, key, "I live in Utrecht.", "I work at Acme Corporation.")
	a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo/graph", key: key})
	graph := decode[api.GraphPage](t, a)
	if len(graph.Assertions) == 0 {
		t.Fatalf("nothing is asserted: %s", a.body)
	}
	for _, assertion := range graph.Assertions {
		path := "/v1/workspaces/demo/assertions/" + assertion.ID
		detail := decode[api.AssertionDetail](t, send(t, s, request{method: "GET", path: path, key: key}))
		if len(detail.Entities) != 2 || detail.Evidence == nil || detail.Evidence.ID != assertion.Passage || detail.History == nil {
			t.Errorf("assertion %+v", detail)
		}
	}
	e := problem(t, send(t, s, request{method: "GET", path: "/v1/workspaces/demo/assertions/as_aaaa", key: key}),
		http.StatusNotFound, api.CodeNotFound)
	if !strings.Contains(e.Detail, `assertion "as_aaaa" is not in workspace "demo"`) {
		t.Errorf("detail %q", e.Detail)
	}
}

func TestExport(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	remember(t, s, key, "My bicycle is a green Gazelle.", strings.Repeat("A long story about lockers. ", 2000))
	a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo/export", key: key})
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/jsonl" {
		t.Fatalf("%d, %v", a.status, a.header)
	}
	kinds := make(map[string]int)
	lines := bufio.NewReader(bytes.NewReader(a.body))
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil {
			t.Fatalf("the last line isn't ended: %v", err)
		}
		var record api.ExportRecord
		if err := json.Unmarshal(line, &record); err != nil {
			t.Fatal(err)
		}
		if len(kinds) == 0 && record.Type != "workspace" {
			t.Errorf("the first record is a %s", record.Type)
		}
		kinds[record.Type]++
	}
	if kinds["workspace"] != 1 || kinds["formation"] != 2 || kinds["passage"] < 2 {
		t.Errorf("records %v", kinds)
	}
}

// An export that fails before it begins is an error like any other; one that fails later must not look whole, neither
// over a connection nor in process.
func TestBrokenExport(t *testing.T) {
	f := &faulty{exportErr: errors.New("the disk is gone")}
	s, log := openFaulty(t, f)
	url, stop := serve(t, s)
	key := secret(t, s, allPermissions(), []string{"*"})
	remote, err := api.NewClient(url, api.WithToken(key))
	if err != nil {
		t.Fatal(err)
	}
	problem(t, send(t, s, request{method: "GET", path: "/v1/workspaces/demo/export", key: key}),
		http.StatusInternalServerError, api.CodeInternal)
	for _, records := range []int64{1, 5000} {
		f.exportStop.Store(records)
		for name, c := range map[string]*api.Client{"remote": remote, "local": localClient(t, s)} {
			if err := c.Memory.ExportTo(t.Context(), "demo", io.Discard); err == nil {
				t.Errorf("%s: an export that broke off after %d records ended well", name, records)
			}
		}
	}
	if !strings.Contains(log.String(), "the disk is gone") {
		t.Error("the log doesn't tell why")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
