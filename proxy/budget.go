package proxy

import "strings"

const (
	// MaxReply is the most that a reply's text block may have, in bytes, whatever was asked for.
	MaxReply = 100 * 1024
	// MinReply is the least: below it, there is no room for an answer.
	MinReply = 1000

	defaultReply = 12_000 // for a host that isn't known
)

// budget returns how many bytes a reply's text block may have for a host, by the beginning of its name in clientInfo.
// The figures are what the hosts show their model whole; above them, it gets a fragment, a file's name, or nothing.
func budget(host string) int {
	host = strings.ToLower(host)
	for _, known := range []struct {
		prefix string
		bytes  int
	}{
		{"claude-code", 48_000},
		{"opencode", 48_000},
		{"gemini-cli", 29_000},
		{"qwen-code", 24_000},
		{"github-copilot", 19_000},
		{"copilot", 19_000},
		{"codex", 9_000},
		{"cline", 3_400},
		{"@cline", 3_400},
	} {
		if strings.HasPrefix(host, known.prefix) {
			return known.bytes
		}
	}
	return defaultReply
}

// budgetFor is the budget of one reply: what the options say, or the host's.
func (o Options) budgetFor(host string) int {
	if o.MaxReply != 0 {
		return min(max(o.MaxReply, MinReply), MaxReply)
	}
	return budget(host)
}
