package redact

import (
	"regexp"
	"strings"
	"sync"
)

var keyHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
})

var keyFoot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----`)
})

// privateKeys finds PEM and PGP private key blocks (RFC 7468, RFC 9580) as wholes. One that was cut off reaches as far
// as its lines look like one.
func privateKeys(text string) []span {
	var spans []span
	heads := keyHead().FindAllStringIndex(text, -1)
	if len(heads) == 0 {
		return nil
	}
	feet := keyFoot().FindAllStringIndex(text, -1)
	for i, h := range heads {
		limit := len(text)
		if i+1 < len(heads) {
			limit = heads[i+1][0]
		}
		for len(feet) > 0 && feet[0][0] < h[1] {
			feet = feet[1:]
		}
		if len(feet) > 0 && feet[0][1] <= limit {
			spans = append(spans, span{h[0], feet[0][1], "private_key"})
			continue
		}
		spans = append(spans, span{h[0], h[1] + keyBody(text[h[1]:limit]), "private_key"})
	}
	return spans
}

// keyBody measures the lines at the start of s that belong to a key: base64, headers, and blank ones between. The line
// ends may be escaped, as in JSON.
func keyBody(s string) int {
	end, at := 0, 0
	for at < len(s) {
		line, next := nextLine(s[at:])
		inner := strings.Trim(line, " \t>|#\"'+,")
		switch {
		case inner == "":
		case keyLine(inner):
			end = at + len(line)
		default:
			return end
		}
		at += next
	}
	return end
}

func nextLine(s string) (line string, next int) {
	next = len(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s, next = s[:i], i+1
	}
	if i := strings.Index(s, `\n`); i >= 0 {
		s, next = s[:i], i+2
	}
	return s, next
}

func keyLine(s string) bool {
	for _, header := range []string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"} {
		if strings.HasPrefix(s, header) {
			return true
		}
	}
	const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
	return strings.Trim(s, base64) == "" && (len(s) >= 16 || strings.ContainsAny(s, "0123456789+/="))
}
