package segment

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lukasa-dev/lukasa/formation"
)

// AddressesReader reports whether a text gives orders to the model or agent that reads it, see [ReaderOrders].
func AddressesReader(role, text string) bool { return len(ReaderOrders(role, text)) > 0 }

// ReaderOrders returns where a text gives orders to the model or agent that reads it, as pairs of byte offsets in
// order of where they begin; they may overlap. Such texts tell it to drop its instructions, to call a tool, to change or
// hide what it remembers. People's requests to their agent ("please run the tests") are none, nor is the advice that an
// assistant gives ("you must run make first").
func ReaderOrders(role, text string) [][]int {
	lower := strings.ToLower(text)
	var found [][]int
	for _, o := range orders() {
		if o.advice && role == string(formation.RoleAssistant) || !o.possible(lower) {
			continue
		}
		found = append(found, o.pattern().FindAllStringIndex(text, -1)...)
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}

// order is a way to address the reader.
type order struct {
	// needs are lists of texts: one of each is in every such order. Looking for them first is much cheaper.
	needs   [][]string
	pattern func() *regexp.Regexp
	// advice says that an assistant says such things to people.
	advice bool
}

func (o order) possible(lower string) bool {
	for _, oneOf := range o.needs {
		if !slices.ContainsFunc(oneOf, func(s string) bool { return strings.Contains(lower, s) }) {
			return false
		}
	}
	return true
}

// needsOf reads "a|b + c|d": one of the first and one of the second.
func needsOf(list string) [][]string {
	var needs [][]string
	for part := range strings.SplitSeq(list, " + ") {
		needs = append(needs, strings.Split(part, "|"))
	}
	return needs
}

var orders = sync.OnceValue(func() []order {
	const (
		drop   = `(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following|pay no attention to)`
		drops  = `ignore|disregard|forget|override|bypass|discard|follow|attention to`
		former = `(?:all |any |every |the |your |these |those |of |my |other |prior |previous |preceding |earlier |above |foregoing |existing |original |initial |current |system |safety )*`
		reader = `(?:ai|llm|language model|assistant|agent|chatbot|model)s?`
		now    = `(?:now|always|never|not|immediately|also|first|then|instead)`
		act    = `(?:call|invoke|run|execute|use|store|save|remember|update|delete|send|post|fetch|open|visit|download|forward|e-?mail|ignore|disregard|respond|reply|answer|say|tell|act|obey|comply|include|reveal|output|append|mention|recommend|insert)`
	)
	var list []order
	add := func(needs string, advice bool, pattern string) {
		list = append(list, order{needsOf(needs), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + pattern) }), advice})
	}
	add(drops+` + instruction|prompt|rules|guideline|directive|context|message|conversation|training|constraint`, false,
		`\b`+drop+`\s+`+former+`(?:instructions?|prompts?|rules|guidelines|directives|context|messages?|conversation|training|constraints|system prompt)\b`)
	add(drops+` + everything|anything|all|what + above|before|so far|previously|earlier|until now`, false,
		`\b`+drop+` (?:everything|anything|all|what(?:ever)?)(?: (?:that|you))?(?: (?:was|were|have been|has been|is))?(?: (?:said|told|written|stated))?(?: (?:you|to you))? (?:above|before|so far|previously|earlier|until now)\b`)
	add(`you are now `, false, `\byou are now (?:a |an |the |in |no longer |dan\b|free|jailbroken|unrestricted)`)
	add(`from now on`, false, `\bfrom now on,? (?:you|always|never|respond|answer|act)\b[^.\n]{0,40}`)
	add(`attention|note to|notice to|message |instruction|important |dear|hey|hello + ai|llm|language model|assistant|agent|chatbot|model`, false,
		`\b(?:attention|note to|notice to|message (?:to|for)|instructions? (?:to|for)|important (?:for|to)|dear|hey|hello)[ :,]{1,2}(?:the |all |any |every )?(?:reading |automated |helpful )?`+reader+`\b`)
	add(`if you are a|as a + must|should|please|you|always|never|ignore`, false,
		`\b(?:if you are|as) an? (?:ai|llm|language model|ai (?:assistant|agent|model)|assistant|automated agent)\b[^.\n]{0,60}?\b(?:must|should|please|you|always|never|ignore)\b`)
	add(` your  + memor|instructions|system prompt|notes about the user`, false,
		`\b(?:update|change|overwrite|rewrite|modify|alter|erase|wipe|clear|edit|poison) your (?:[\w-]+ )?(?:memory|memories|instructions|system prompt|notes about the user)\b`)
	add(`memor + your |the assistant's|the agent's`, false,
		`\b(?:store|save|record|write|add|commit|put)\b[^.\n]{0,60}\b(?:in|into|to) (?:your|the assistant's|the agent's) (?:\w+ )?(?:memory|memories)\b`)
	add(`call |invoke |use |run |execute  + remember|recall|memory_`, false,
		`\b(?:call|invoke|use|run|execute) (?:the )?(?:tool |function )?[`+"`"+`"']?(?:remember_conversation|recall_memories|remember|recall|memory_\w+)[`+"`"+`"']?(?: tool| function)\b`)
	add(`remember_conversation|recall_memories`, false, `\b(?:call|invoke|use) [`+"`"+`"']?(?:remember_conversation|recall_memories)\b`)
	add(`do not |don't |never  + mention|tell|reveal|disclose|show|report|inform|alert|notify|warn`, false,
		`\b(?:do not|don't|never) (?:mention|tell|reveal|disclose|show|report|inform|alert|notify|warn)(?: about)? (?:this|that|it|these|any of this|the user|the human|the operator|anyone|anybody)\b`)
	add(`reveal|print|output|repeat|show|leak + prompt|instruction|message + system |hidden |initial |original |secret `, false,
		`\b(?:reveal|print|output|repeat|show|leak) (?:me )?(?:your|the) (?:system|hidden|initial|original|secret) (?:prompt|instructions?|message)`)
	add(`instruction + :`, false, `\b(?:new|updated|revised|real|actual|hidden|secret) (?:system )?instructions? ?(?:for (?:you|the \w+))?:`)
	add(`[inst]|[/inst]|im_start|im_end|endoftext|system|instruction`, false,
		`<\|(?:im_start|im_end|system|endoftext)\|?>|\[/?inst\]|</?(?:system|system_prompt|system-reminder|instructions?)>|\[system(?: message| note| override| prompt)?\]`)
	add(`system + : `, false, `(?:^|\n)\s*(?:### ?)?system(?: prompt| message| override)?: `)
	add(` mode `, false, `\b(?:developer|dan|jailbreak|god) mode (?:enabled|activated|on)\b`)
	add(`you must|you have to|you are `, true, `\byou (?:must|have to|are (?:required|ordered|instructed|commanded) to)(?: `+now+`){0,3} `+act+`\b`)
	add(`you should|you shall|you will|you need to`, true, `\byou (?:should|shall|will|need to)(?: `+now+`){1,3} `+act+`\b`)
	return list
})
