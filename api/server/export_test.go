package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// Exports that nobody reads hold snapshots of the store. One too many is asked to come back, and all else goes on.
func TestUnreadExports(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	remember(t, s, key, strings.Repeat("A long story about lockers. ", 2000), strings.Repeat("Another of lockers. ", 3000))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	begin := func() *http.Response {
		t.Helper()
		resp, err := localGet(t, ctx, s, "/v1/workspaces/demo/export", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	var unread []*http.Response
	for range maxExports {
		resp := begin()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d", resp.StatusCode)
		}
		unread = append(unread, resp)
	}
	for range 4 { // as many as the store has readers: none of them may get one
		resp := begin()
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" {
			t.Fatalf("one too many: %d, to be tried again after %q", resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
	problem(t, send(t, s, request{method: "GET", path: "/v1/workspaces/demo/export", key: key}),
		http.StatusServiceUnavailable, api.CodeUnavailable)
	began := time.Now()
	if a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key}); a.status != http.StatusOK {
		t.Errorf("meanwhile: %d %s", a.status, a.body)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("meanwhile a request took %v", took)
	}
	if _, err := io.Copy(io.Discard, unread[0].Body); err != nil {
		t.Errorf("an export that waited for its reader: %v", err)
	}
	if a := send(t, s, request{method: "GET", path: "/v1/workspaces/demo/export", key: key}); a.status != http.StatusOK {
		t.Errorf("after one has ended: %d %s", a.status, a.body)
	}
}

// A reader that takes a little now and then is cut off as one that takes nothing.
func TestExportHasATime(t *testing.T) {
	tests := []struct {
		since time.Duration
		sent  int64
		want  time.Duration // until the next part must be written
	}{
		{0, 0, writeTime},
		{exportGrace, 0, 0},
		{exportGrace + time.Hour, 1 << 20, 32*time.Second - time.Hour},
		{exportGrace, 10 * exportRate, 10 * time.Second},
		{exportGrace + time.Hour, 7200 * exportRate, writeTime},
	}
	for _, test := range tests {
		conn := &connection{ResponseRecorder: httptest.NewRecorder()}
		e := &export{c: &call{w: conn}, began: time.Now().Add(-test.since), sent: test.sent}
		if _, err := e.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if len(conn.writes) != 1 || !about(conn.writes[0], test.want) || e.sent != test.sent+1 {
			t.Errorf("%v, %d bytes: write deadlines %v, %d bytes sent", test.since, test.sent, conn.writes, e.sent)
		}
	}
}
