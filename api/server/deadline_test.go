package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// connection is a response writer that records the deadlines that are set on it.
type connection struct {
	*httptest.ResponseRecorder
	reads, writes []time.Time
}

func (c *connection) SetReadDeadline(t time.Time) error {
	c.reads = append(c.reads, t)
	return nil
}

func (c *connection) SetWriteDeadline(t time.Time) error {
	c.writes = append(c.writes, t)
	return nil
}

// about reports whether t is as far ahead as after says, or a little less.
func about(t time.Time, after time.Duration) bool {
	return time.Until(t) > after-5*time.Second && time.Until(t) <= after
}

// A body has a time by which it must be here. Once it is, that time is taken back, for it would end the call.
func TestBodyHasATime(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	post := func(auth string) *connection {
		r := httptest.NewRequest(http.MethodPost, "/v1/workspaces/demo/recall", strings.NewReader(`{"query": "x"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", auth)
		conn := &connection{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(conn, r)
		return conn
	}
	if c := post("Bearer " + key); c.Code != http.StatusOK || len(c.reads) != 2 || !about(c.reads[0], bodyTime) || !c.reads[1].IsZero() {
		t.Errorf("%d, read deadlines %v", c.Code, c.reads)
	}
	// A body that nobody reads is drained by net/http: its time stays.
	if c := post("Bearer x"); c.Code != http.StatusUnauthorized || len(c.reads) != 1 || !about(c.reads[0], bodyTime) {
		t.Errorf("%d, read deadlines %v", c.Code, c.reads)
	}
}

func TestReplyHasATime(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	get := func(path, prefer string) *connection {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Prefer", prefer)
		conn := &connection{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(conn, r)
		return conn
	}
	tests := []struct {
		path, prefer string
		want         time.Duration
	}{
		{"/v1/workspaces/demo", "", callTime + writeTime},
		{"/v1/workspaces/demo/formations/" + anyHandle, "wait=20", callTime + 20*time.Second + writeTime},
		{"/v1/workspaces/demo/export", "", writeTime}, // for every part of it anew
	}
	for _, test := range tests {
		c := get(test.path, test.prefer)
		if len(c.writes) != 1 || !about(c.writes[0], test.want) || len(c.reads) != 0 {
			t.Errorf("%s: write deadlines %v, read deadlines %v", test.path, c.writes, c.reads)
		}
	}
}
