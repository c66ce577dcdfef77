package server

import (
	"net/http"
	"testing"
	"time"
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

func FuzzPreferredWait(f *testing.F) {
	f.Add(`respond-async, wait="10"; foo=bar`)
	f.Fuzz(func(t *testing.T, line string) {
		if got, _ := preferredWait(http.Header{"Prefer": {line}}); got < 0 || got > maxWait {
			t.Errorf("%q asks for %v", line, got)
		}
	})
}
