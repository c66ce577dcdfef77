package redact

// Parts of the patterns of contextRules.
const (
	passwordName = `(?i:passw(?:or)?d|passphrase|passwd|pwd|\bpass|_pass|secret|credentials?)`
	// "key" alone is not a secret's name: there are primary keys, cache keys and translation keys.
	tokenName = `(?i:token|apikey|(?:api|access|private|secret|signing|encryption|master|account|auth|service|webhook)[_-]?key(?:[_-]?base)?)`
	nameEnd   = `(?i:[_-]?(?:base64|value|prod|production|staging|dev|\d))?`
	assign    = `["'\x60]?\s{0,3}(?:=>|:=|[=:])\s{0,3}`
	// A value in quotes, or one that white space or the punctuation of a list ends.
	assigned = `(?:"([^"\n]{6,})"|'([^'\n]{6,})'|\x60([^\x60\n]{6,})\x60|([^\s"'\x60,;)}\]]{8,}))`
)

// contextRules find values that only what stands around them gives away: addresses with a password, headers, and
// assignments to names that say secret.
func contextRules() []rule {
	return append(carrierRules(), []rule{
		{
			kind: "password", hints: []string{"PASS"}, accept: envPassword,
			pattern: `\b[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|_PASS)=["']?([^\s"']{6,})`,
		},
		{kind: "secret", hints: hintsOf("pass", "pwd", "secret", "credential"), accept: looksPassword, cut: query, pattern: passwordName + nameEnd + assign + assigned},
		{kind: "secret", hints: hintsOf("token", "key"), accept: looksSecret, cut: query, pattern: tokenName + nameEnd + assign + assigned},
		{
			kind: "password", hints: hintsOf("pass", "pwd", "pw"), accept: looksPassword, cut: sentence,
			pattern: `(?i:\b(?:password|passphrase|passwd|pwd|pw)\s(?:(?:for|of|on|to)\s\S{1,40}\s(?:\S{1,20}\s)?)?(?:is|was|=|:)\s{1,2})["'\x60]?([^\s"'\x60]{8,})`,
		},
	}...)
}

// carrierRules find secrets by what carries them: a URL, a data source name, a header, a command line.
func carrierRules() []rule {
	return []rule{
		// The password may hold anything but white space, quotes and a slash; the last @ before those ends it.
		{
			kind: "connection_password", hints: []string{"://"}, accept: connectionPassword,
			pattern: `[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>\x60]*:([^\s/"'<>\x60]+)@[^\s@/]`,
		},
		{
			kind: "connection_password", hints: hintsOf("password", "pwd", "passwd"), accept: notPlaceholder,
			pattern: `(?i:(?:;|[?&]|\b(?:host|server|user|dbname|user id|uid)=[^\s;]+[\s;][^\n]{0,100}?)\s?(?:password|pwd|passwd)\s?=\s?)'?([^\s;&"']{3,})`,
		},
		{
			kind: "authorization", hints: hintsOf("bearer"), accept: looksToken,
			pattern: `(?i:\bbearer\s{1,4})([A-Za-z0-9_.~+/=-]{16,})`,
		},
		{
			kind: "authorization", hints: hintsOf("basic"), accept: notPlaceholder,
			pattern: `(?i:authorization["']?\s{0,3}[:=]\s{0,3}["']?basic\s{1,4})([A-Za-z0-9+/=_-]{8,})`,
		},
		{
			kind: "cookie", hints: hintsOf("cookie"), accept: notPlaceholder,
			pattern: `(?i:\b(?:set-)?cookie["']?:\s{0,3}["']?)([A-Za-z0-9_.-]{1,128}=[^"'\n]{8,})`,
		},
		{
			kind: "password", hints: []string{"curl"}, accept: notPlaceholder,
			pattern: `\bcurl\b[^\n]*?\s(?:-u|--user)\s+["']?[^\s:"']{1,64}:([^\s"']{3,})`,
		},
		{
			kind: "password", hints: []string{"--pass", "sshpass"}, accept: envPassword,
			pattern: `(?:--(?:password|passphrase|pass)[ =]|\bsshpass -p ?)["']?([^\s"']{6,})`,
		},
		{
			kind: "password", hints: []string{"machine "}, accept: notPlaceholder,
			pattern: `\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{3,})`,
		},
	}
}

// hintsOf gives words in the three cases in which they are written.
func hintsOf(words ...string) []string {
	var hints []string
	for _, w := range words {
		hints = append(hints, w, string(w[0]-'a'+'A')+w[1:], upper(w))
	}
	return hints
}
