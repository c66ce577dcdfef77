package server

import (
	"net/http"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

func TestPreferredWait(t *testing.T) {
	tests := []struct {
		lines []string
		want  time.Duration
		ok    bool
	}{
		{nil, 0, false},
		{[]string{""}, 0, false},
		{[]string{"wait=10"}, 10 * time.Second, true},
		{[]string{"Wait=10"}, 10 * time.Second, true},
		{[]string{" wait = 10 "}, 10 * time.Second, true},
		{[]string{`wait="10"`}, 10 * time.Second, true},
		{[]string{"respond-async, wait=5"}, 5 * time.Second, true},
		{[]string{"respond-async", "wait=5; x=y, return=minimal"}, 5 * time.Second, true},
		{[]string{"wait=5, wait=9"}, 5 * time.Second, true},
		{[]string{"wait=0"}, 0, true},
		{[]string{"wait=30"}, 30 * time.Second, true},
		{[]string{"wait=31"}, 30 * time.Second, true},
		{[]string{"wait=99999999999999999999999"}, 30 * time.Second, true},
		{[]string{"wait"}, 0, false},
		{[]string{"wait="}, 0, false},
		{[]string{"wait=-1"}, 0, false},
		{[]string{"wait=+1"}, 0, false},
		{[]string{"wait=1.5"}, 0, false},
		{[]string{"wait=1e3"}, 0, false},
		{[]string{"wait=soon"}, 0, false},
		{[]string{"waiting=10"}, 0, false},
	}
	for _, test := range tests {
		got, ok := preferredWait(http.Header{"Prefer": test.lines})
		if got != test.want || ok != test.ok {
			t.Errorf("%q: %v, %v; want %v, %v", test.lines, got, ok, test.want, test.ok)
		}
	}
}

func TestPrefersMinimal(t *testing.T) {
	for line, want := range map[string]bool{
		"": false, "return=minimal": true, `wait=3, Return="minimal"`: true, "return=minimal; x=y": true,
		"return=representation": false, "return": false, "return=representation, return=minimal": false,
	} {
		if got := prefersMinimal(http.Header{"Prefer": {line}}); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func FuzzPreferredWait(f *testing.F) {
	f.Add(`respond-async, wait="10"; foo=bar`)
	f.Fuzz(func(t *testing.T, line string) {
		if got, _ := preferredWait(http.Header{"Prefer": {line}}); got < 0 || got > maxWait {
			t.Errorf("%q asks for %v", line, got)
		}
	})
}

func TestAWorkspaceWithoutItsCounts(t *testing.T) {
	s := quiet(t)
	key := secret(t, s, allPermissions(), []string{"*"})
	makeWorkspace(t, s, "demo")
	get := request{method: "GET", path: "/v1/workspaces/demo", key: key}
	if w := decode[api.Workspace](t, send(t, s, get)); w.Counts == nil || len(w.Permissions) == 0 {
		t.Errorf("%+v, want counts and permissions", w)
	}
	get.header = http.Header{"Prefer": {"return=minimal"}}
	a := send(t, s, get)
	if w := decode[api.Workspace](t, a); w.Counts != nil || w.Name != "demo" || len(w.Permissions) == 0 {
		t.Errorf("%+v, want no counts", w)
	}
	if got := a.header.Get("Preference-Applied"); got != "return=minimal" {
		t.Errorf("preference applied: %q", got)
	}
}
