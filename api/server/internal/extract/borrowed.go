package extract

import (
	"regexp"
	"strings"
	"sync"
)

// What people paste into a conversation says "I" and means someone else: a letter to be proofread, a text to be
// translated, a sample for a test. From where such a text begins, nothing in its turn is taken as the speaker's own.

// borrowedFrom returns the byte from which a text is not in its speaker's own words, len(text) when all of it is.
func borrowedFrom(text string) int {
	from := len(text)
	for _, m := range []*regexp.Regexp{letterHead(), letterFoot(), pasteMark()} {
		if at := m.FindStringIndex(text); at != nil {
			from = min(from, at[0])
		}
	}
	if letterFoot().MatchString(text) {
		return 0
	}
	for _, s := range sentences(text) {
		if s.start >= from {
			break
		}
		if n := introduces(text[s.start:s.end], text[s.end:]); n > 0 {
			return min(from, s.start+n)
		}
	}
	return from
}

// introduces returns how many bytes of a sentence come before someone else's words that it announces, 0 when it
// announces none. rest is what follows the sentence.
func introduces(sentence, rest string) int {
	head, colon := sentence, false
	if m := label().FindString(sentence); m != "" {
		head, colon = m, true
	} else if strings.HasSuffix(sentence, ":") {
		colon = true
	}
	low := strings.ToLower(strings.TrimSpace(politely().ReplaceAllString(head, "")))
	low = strings.ReplaceAll(low, "’", "'")
	line := strings.HasPrefix(rest, "\n")
	switch {
	case taskOnText().MatchString(low) && (colon || line || namesText().MatchString(low)) && (colon || namesText().MatchString(low) || pointsAhead().MatchString(low)):
	case colon && tellsOthers(low):
	case presents().MatchString(low), poses().MatchString(low), named().MatchString(head), asksOfText().MatchString(low) && strings.HasSuffix(low, "?"):
	default:
		return 0
	}
	return len(head)
}

// tellsOthers says whether a label announces what someone else said or wrote: "her bio says", but not "as I said".
func tellsOthers(label string) bool {
	words := strings.Fields(strings.Trim(label, ": \t\n"))
	for i, w := range words {
		if i > 0 && announcing()[w] && words[i-1] != "i" && words[i-1] != "we" && words[i-1] != "just" && words[i-1] != "already" {
			return true
		}
	}
	return false
}

var announcing = wordSet(`says said say wrote writes texted emailed mailed messaged posted tweeted replied answered reads states stated quoted announced dictated`)

var politely = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i)\s*(?:(?:hi|hey|hello|ok|okay|so|now|and|please|pls|kindly|can you|could you|would you|will you|help me(?: to)?|i need you to|i want you to|i'd like you to)[ ,]+)+`)
})

// taskOnText is a request to do something with a text.
var taskOnText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:fix|proofread|proof-read|translate|summari[sz]e|rewrite|re-write|rephrase|paraphrase|check|correct|edit|improve|polish|shorten|explain|` +
		`review|reword|simplify|tidy up|clean up|critique|evaluate|grade|classify|label|parse|analy[sz]e|expand|complete|continue|format|read|use|take|` +
		`convert|extract|repeat|answer|respond|reply|what does|what do you think)\b`)
})

// namesText is a word for a text, or what one only does to texts.
var namesText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:paragraph|sentences?|text|grammar|spelling|wording|punctuation|typos?|e-?mail|letter|essay|bio|abstract|story|poem|article|` +
		`tweet|translation|cv|resume|résumé|passage|draft|blurb|statement|transcript|quote|sample|lyrics|caption|speech|dialog(?:ue)?)\b|` +
		`\b(?:in)?to (?:english|german|french|spanish|italian|portuguese|dutch|chinese|japanese|korean|russian|polish|arabic|hindi|turkish|swedish)\b|^proofread|^paraphrase|\bmy english\b`)
})

// pointsAhead ends a request for something with what follows it.
var pointsAhead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:this|these|following|below|it)[.!?]?$`) })

// presents are sentences that show a text of someone.
var presents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:here is|here's|heres|here are|this is|below is|that is|attached is) (?:what [^.]*\b(?:wrote|said|says|sent|posted|texted|emailed|replied|told)\b|` +
		`(?:an?|the|his|her|their|my [a-z]+'s|[a-z]+'s) [^.]*\b(?:e-?mail|letter|message|text|bio|essay|story|draft|transcript|sample|example|log|quote|post|article|resume|cv)\b)|` +
		`\b(?:sample|example|dummy|placeholder|filler) (?:text|input|sentence|data|message)\b|^write (?:me )?(?:a|an|some) [^.]*\b(?:tests?|story|poem|dialogue|scene|script|parody|example|sample|fixture)\b`)
})

// poses are sentences after which someone plays a part.
var poses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bas if you (?:were|are)\b|\bas though you (?:were|are)\b|^(?:pretend|imagine|role-?play|act as|play the (?:role|part))\b`)
})

// named gives the reader a name to speak under: "You are Bob.", but not "You are right."
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:You are|You're|Your name is|you are|you're|your name is) \p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?[.!]?$`)
})

// asksOfText are questions about a text that is shown.
var asksOfText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:is|are|does|do|how|what|which|any)\b.*\b(?:sentences?|paragraph|grammar|wording|text|phrase|translation|e-?mail|letter|say (?:this|it|that) in|sound (?:right|natural|ok|okay|good|correct|native))\b`)
})

// letterHead is what a letter or a mail begins with.
var letterHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:From|To|Subject|Cc|Bcc|Sent|Reply-To):[ \t]+\S|^[ \t]*Dear [A-Z][^.\n]{0,40},?[ \t]*$`)
})

// letterFoot is what a letter ends with.
var letterFoot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:(?:(?:[Bb]est|[Kk]ind|[Ww]arm|[Mm]any) )?[Rr]egards|[Ss]incerely|[Yy]ours(?: \w+)?|[Bb]est wishes)(?:,|$)`)
})

// pasteMark is a sign that what follows was pasted, or is a document.
var pasteMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?mi)^[-\s]*(?:begin )?(?:forwarded|original) message\b|^fwd?:|"""|'''|^#{1,6}[ \t]+[^\n]*\b(?:letter|essay|story|chapter|article|post|bio|biography|resume|cv|speech|statement|press|draft|transcript|report|interview|dialogue|script|e-?mail)\b`)
})
