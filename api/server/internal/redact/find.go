package redact

import (
	"regexp"
	"strings"
	"sync"
)

// rule finds one kind of secret. The first group of pattern that took part in a match is the secret.
type rule struct {
	kind    string
	hints   []string // a text without any of these has no match
	pattern string
	accept  func(value string) bool   // nil accepts all
	cut     func(value string) string // nil takes all; else the part of the value, from its start, that is the secret
}

type compiled struct {
	rule
	re func() *regexp.Regexp
}

// rules compiles each pattern when it first may match: most conversations need none of them.
var rules = sync.OnceValue(func() []compiled {
	all := append(vendorRules(), contextRules()...)
	list := make([]compiled, len(all))
	for i, r := range all {
		list[i] = compiled{r, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.pattern) })}
	}
	return list
})

// find returns the secrets of a text, in order and apart.
func find(text string) []span {
	spans := privateKeys(text)
	for _, r := range rules() {
		spans = r.find(text, spans)
	}
	spans = append(spans, awsSecrets(text, spans)...)
	return disjoint(outsideMedia(text, spans))
}

func (r compiled) find(text string, spans []span) []span {
	if !hinted(text, r.hints) {
		return spans
	}
	for at := 0; at < len(text); {
		m := r.re().FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		start, end := group(m)
		value := text[at+start : at+end]
		if r.cut != nil {
			value = r.cut(value)
			end = start + len(value)
		}
		if !strings.Contains(value, "[redacted:") && (r.accept == nil || r.accept(value)) {
			spans = append(spans, span{at + start, at + end, r.kind})
		}
		at += max(end, 1) // the character behind a secret may be what the next one begins with
	}
	return spans
}

func hinted(text string, hints []string) bool {
	for _, h := range hints {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}

// group returns the bounds of the first group that took part in a match.
func group(m []int) (start, end int) {
	for i := 2; i+1 < len(m); i += 2 {
		if m[i] >= 0 {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

// outsideMedia drops what was found within an inlined picture, font, sound or film, where chance makes up any shape.
func outsideMedia(text string, spans []span) []span {
	if len(spans) == 0 || !strings.Contains(text, ";base64,") {
		return spans
	}
	kept := spans[:0:0]
	media := mediaPattern().FindAllStringIndex(text, -1)
	for _, s := range spans {
		inside := false
		for _, m := range media {
			if m[0] > s.start {
				break
			}
			inside = inside || s.end <= m[1]
		}
		if !inside {
			kept = append(kept, s)
		}
	}
	return kept
}

var mediaPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`data:(?:image|font|audio|video)/[a-z0-9.+-]{1,40};base64,[A-Za-z0-9+/=]*`)
})

// awsSecrets finds AWS secret access keys without a name, beside the id of a key: 40 characters of mixed case.
func awsSecrets(text string, spans []span) []span {
	beside := false
	for _, s := range spans {
		beside = beside || s.kind == "aws_access_key"
	}
	if !beside {
		return nil
	}
	var found []span
	for _, m := range awsSecretPattern().FindAllStringSubmatchIndex(text, -1) {
		c := classify(text[m[2]:m[3]])
		if c.lower > 0 && c.upper > 0 && c.digit > 0 {
			found = append(found, span{m[2], m[3], "aws_secret_key"})
		}
	}
	return found
}

var awsSecretPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^A-Za-z0-9/+])([A-Za-z0-9/+]{40})\b`)
})
