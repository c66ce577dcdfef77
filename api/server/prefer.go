package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest that a request may ask to be held.
const maxWait = 30 * time.Second

// preferredWait reads the preference wait=N of RFC 7240 section 4.3, N in seconds, cut to [maxWait]. As the RFC has
// it, the first of several counts, and a preference that can't be understood is as if it were not there.
func preferredWait(h http.Header) (wait time.Duration, ok bool) {
	for _, line := range h.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			value, _, _ = strings.Cut(value, ";") // parameters: none is defined
			return parseSeconds(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return 0, false
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
