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
// order: where it tells it to drop its instructions, to call a tool, to change or hide what it remembers. People's
// requests to their agent ("please run the tests") are none, nor is the advice that an assistant gives ("you must run
// make first").
func ReaderOrders(role, text string) [][]int {
	if !hinted(strings.ToLower(text)) {
		return nil
	}
	found := orders().FindAllStringIndex(text, -1)
	if role != string(formation.RoleAssistant) {
		found = append(found, commands().FindAllStringIndex(text, -1)...)
		slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	}
	return found
}

func hinted(lower string) bool {
	for _, hint := range orderHints {
		if strings.Contains(lower, hint) {
			return true
		}
	}
	return false
}

// orderHints are texts of which every order has one at least.
var orderHints = []string{
	"instruction", "prompt", "you ", "your ", "assistant", "agent", "model", "ai", "memory", "memories", "remember", "recall",
	"ignore", "disregard", "forget", "override", "bypass", "discard", "follow", "attention", "mention", "tell", "reveal", "disclose",
	"system", "inst]", "<|", "mode ", "from now on", "never ", "don't", "do not",
}

var orders = sync.OnceValue(func() *regexp.Regexp {
	const (
		drop   = `(?:ignore|disregard|forget|override|bypass|discard|do not follow|don't follow|stop following|pay no attention to)`
		former = `(?:all |any |every |the |your |these |those |of |my |other |prior |previous |preceding |earlier |above |foregoing |existing |original |initial |current |system |safety )*`
		reader = `(?:ai|llm|language model|assistant|agent|chatbot|model)s?`
	)
	return regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b` + drop + `\s+` + former + `(?:instructions?|prompts?|rules|guidelines|directives|context|messages?|conversation|training|constraints|system prompt)\b`,
		`\b` + drop + ` (?:everything|anything|all|what(?:ever)?)(?: (?:that|you))?(?: (?:was|were|have been|has been|is))?(?: (?:said|told|written|stated))?(?: (?:you|to you))? (?:above|before|so far|previously|earlier|until now)\b`,
		`\byou are now (?:a |an |the |in |no longer |dan\b|free|jailbroken|unrestricted)`,
		`\bfrom now on,? (?:you|always|never|respond|answer|act)\b[^.\n]{0,40}`,
		`\b(?:attention|note to|notice to|message (?:to|for)|instructions? (?:to|for)|important (?:for|to)|dear|hey|hello)[ :,]{1,2}(?:the |all |any |every )?(?:reading |automated |helpful )?` + reader + `\b`,
		`\b(?:if you are|as) an? (?:ai|llm|language model|ai (?:assistant|agent|model)|assistant|automated agent)\b[^.\n]{0,60}?\b(?:must|should|please|you|always|never|ignore)\b`,
		`\b(?:update|change|overwrite|rewrite|modify|alter|erase|wipe|clear|edit|poison) your (?:[\w-]+ )?(?:memory|memories|instructions|system prompt|notes about the user)\b`,
		`\b(?:store|save|record|write|add|commit|put)\b[^.\n]{0,60}\b(?:in|into|to) (?:your|the assistant's|the agent's) (?:\w+ )?(?:memory|memories)\b`,
		`\b(?:call|invoke|use|run|execute) (?:the )?(?:tool |function )?[` + "`" + `"']?(?:remember_conversation|recall_memories|remember|recall|memory_\w+)[` + "`" + `"']?(?: tool| function)\b`,
		`\b(?:call|invoke|use) [` + "`" + `"']?(?:remember_conversation|recall_memories)\b`,
		`\b(?:do not|don't|never) (?:mention|tell|reveal|disclose|show|report|inform|alert|notify|warn)(?: about)? (?:this|that|it|these|any of this|the user|the human|the operator|anyone|anybody)\b`,
		`\b(?:reveal|print|output|repeat|show|leak) (?:me )?(?:your|the) (?:system|hidden|initial|original|secret) (?:prompt|instructions?|message)`,
		`\b(?:new|updated|revised|real|actual|hidden|secret) (?:system )?instructions? ?(?:for (?:you|the \w+))?:`,
		`<\|(?:im_start|im_end|system|endoftext)\|?>`, `\[/?inst\]`, `</?(?:system|system_prompt|system-reminder|instructions?)>`,
		`\[system(?: message| note| override| prompt)?\]`, `(?:^|\n)\s*(?:### ?)?system(?: prompt| message| override)?: `,
		`\b(?:developer|dan|jailbreak|god) mode (?:enabled|activated|on)\b`,
	}, "|"))
})

// commands are orders by a modal verb, which an assistant uses for advice.
var commands = sync.OnceValue(func() *regexp.Regexp {
	const (
		now = `(?:now|always|never|not|immediately|also|first|then|instead)`
		act = `(?:call|invoke|run|execute|use|store|save|remember|update|delete|send|post|fetch|open|visit|download|forward|e-?mail|ignore|disregard|respond|reply|answer|say|tell|act|obey|comply|include|reveal|output|append|mention|recommend|insert)`
	)
	return regexp.MustCompile(`(?i)\byou (?:must|have to|are (?:required|ordered|instructed|commanded) to)(?: ` + now + `){0,3} ` + act + `\b|` +
		`\byou (?:should|shall|will|need to)(?: ` + now + `){1,3} ` + act + `\b`)
})
