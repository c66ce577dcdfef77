package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest that a request may ask to be held.
const maxWait = 30 * time.Second

// preferredWait reads the preference wait=N of RFC 7240 section 4.3, N in seconds, cut to [maxWait]. A preference that
// can't be understood is as if it were not there.
func preferredWait(h http.Header) (wait time.Duration, ok bool) {
	value, ok := preference(h, "wait")
	if !ok {
		return 0, false
	}
	return parseSeconds(value)
}

// prefersMinimal reads the preference return=minimal of RFC 7240 section 4.2.
func prefersMinimal(h http.Header) bool {
	value, _ := preference(h, "return")
	return strings.EqualFold(value, "minimal")
}

// preference returns the value of a preference. As RFC 7240 section 2 has it, the first of several counts.
func preference(h http.Header, wanted string) (value string, ok bool) {
	for _, line := range h.Values("Prefer") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(part, "=")
			if !strings.EqualFold(strings.TrimSpace(name), wanted) {
				continue
			}
			value, _, _ = strings.Cut(value, ";") // parameters: none is defined
			return strings.Trim(strings.TrimSpace(value), `"`), true
		}
	}
	return "", false
}

func parseSeconds(s string) (time.Duration, bool) {
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	if s == "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > int(maxWait/time.Second) {
		return maxWait, true // digits alone: the number is only too large
	}
	return time.Duration(n) * time.Second, true
}
