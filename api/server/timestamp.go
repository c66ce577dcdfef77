package server

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The years that a time may lie in. Dates that are counted from it ("in a hundred years") must still be years of four
// digits, for that is all that RFC 3339 can write.
const (
	minYear = 1000
	maxYear = 9000
)

var errNoTimestamp = errors.New("must be a time as RFC 3339 has it, such as 2025-03-30T14:00:00+02:00")

// parseTime reads a time strictly as RFC 3339 has it and keeps its UTC offset. Digits after the ninth of a second's
// fraction are dropped.
func parseTime(s string) (time.Time, error) {
	if !hasTimeShape(s) {
		return time.Time{}, errNoTimestamp
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, errNoTimestamp
	}
	if y := t.Year(); y < minYear || y > maxYear {
		return t, fmt.Errorf("must lie between the years %d and %d", minYear, maxYear)
	}
	// Go takes an offset that this machine has at that time for the machine's own zone. It is an offset, no more.
	_, offset := t.Zone()
	if offset == 0 {
		return t.UTC(), nil
	}
	return t.In(time.FixedZone("", offset)), nil
}

// hasTimeShape checks what [time.Parse] is lax about: hours of one digit, a comma before the fraction, offsets of more
// than a day.
func hasTimeShape(s string) bool {
	const digits = "dddd-dd-ddTdd:dd:dd"
	if len(s) <= len(digits) || !matches(s[:len(digits)], digits) {
		return false
	}
	rest := s[len(digits):]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		if len(rest) == len(fraction) {
			return false
		}
	}
	if rest == "Z" {
		return true
	}
	if !matches(rest, "+dd:dd") && !matches(rest, "-dd:dd") {
		return false
	}
	return rest[1:3] <= "23" && rest[4:] <= "59"
}

// matches reports whether s is like pattern, where d is any digit.
func matches(s, pattern string) bool {
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		if pattern[i] == 'd' {
			if s[i] < '0' || s[i] > '9' {
				return false
			}
		} else if s[i] != pattern[i] {
			return false
		}
	}
	return true
}
