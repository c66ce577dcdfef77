package server

import (
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	tests := []struct{ text, want string }{ // want "" when it is refused
		{"2025-03-30T01:30:00Z", "2025-03-30T01:30:00Z"},
		{"2025-03-30T01:30:00+00:00", "2025-03-30T01:30:00Z"},
		{"2025-03-30T01:30:00-00:00", "2025-03-30T01:30:00Z"},
		{"2025-03-30T01:30:00.250+01:00", "2025-03-30T01:30:00.25+01:00"},
		{"2025-03-30T01:30:00.1234567899Z", "2025-03-30T01:30:00.123456789Z"},
		{"2025-03-30T01:30:00+23:59", "2025-03-30T01:30:00+23:59"},
		{"2024-02-29T00:00:00-09:30", "2024-02-29T00:00:00-09:30"},
		{"1000-01-01T00:00:00Z", "1000-01-01T00:00:00Z"},
		{"9000-12-31T23:59:59Z", "9000-12-31T23:59:59Z"},
		{"", ""},
		{"2025-03-30", ""},
		{"2025-03-30T01:30Z", ""},
		{"2025-03-30T01:30:00", ""},
		{"2025-03-30 01:30:00Z", ""},
		{"2025-03-30t01:30:00z", ""},
		{"2025-03-30T1:30:00Z", ""},
		{"2025-03-30T01:30:00,5Z", ""},
		{"2025-03-30T01:30:00.Z", ""},
		{"2025-03-30T24:00:00Z", ""},
		{"2025-03-30T23:59:60Z", ""},
		{"2025-02-29T00:00:00Z", ""},
		{"2025-13-01T00:00:00Z", ""},
		{"2025-03-30T01:30:00+24:00", ""},
		{"2025-03-30T01:30:00+01:60", ""},
		{"2025-03-30T01:30:00+0100", ""},
		{"2025-03-30T01:30:00Z ", ""},
		{"+2025-03-30T01:30:00Z", ""},
		{"２025-03-30T01:30:00Z", ""},
		{"0999-12-31T23:59:59Z", ""},
		{"9001-01-01T00:00:00Z", ""},
	}
	for _, test := range tests {
		got, err := parseTime(test.text)
		switch {
		case test.want == "" && err == nil:
			t.Errorf("%q was taken as %v", test.text, got)
		case test.want != "" && err != nil:
			t.Errorf("%q: %v", test.text, err)
		case test.want != "" && got.Format(time.RFC3339Nano) != test.want:
			t.Errorf("%q became %s", test.text, got.Format(time.RFC3339Nano))
		}
	}
}

// A time says nothing about the machine that it is read on, not even when their offsets are the same.
func TestParseTimeIgnoresTheMachine(t *testing.T) {
	for _, at := range []time.Time{time.Now(), time.Now().AddDate(0, 6, 0)} {
		got, err := parseTime(at.Format("2006-01-02T15:04:05-07:00"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Location() == time.Local || !got.Equal(at.Truncate(time.Second)) {
			t.Errorf("%v became %v in %v", at, got, got.Location())
		}
	}
}
