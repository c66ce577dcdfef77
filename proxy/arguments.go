package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-dev/lukasa/formation"
)

// What the tools take. The schemas say the same to the host.
const (
	maxQuery      = 4 * 1024 // bytes
	minLimit      = 1
	maxLimit      = 50
	defaultLimit  = 10
	maxSubmission = 1 << 20 // bytes of the request that carries a conversation
)

// argumentError says which argument is wrong and what it takes. It is shown to the model.
type argumentError string

func (e argumentError) Error() string { return string(e) }

func argumentErrorf(format string, args ...any) error {
	return argumentError(fmt.Sprintf(format, args...))
}

// recallArguments are what recall_memory takes.
type recallArguments struct {
	query string
	limit int
}

func decodeRecall(raw json.RawMessage) (recallArguments, error) {
	found, err := decodeArguments(raw, "recall_memory", "query", "limit")
	if err != nil {
		return recallArguments{}, err
	}
	a := recallArguments{limit: defaultLimit}
	if a.query, err = decodeQuery(found["query"]); err != nil {
		return recallArguments{}, err
	}
	if limit, ok := found["limit"]; ok {
		a.limit, err = decodeLimit(limit)
	}
	return a, err
}

func decodeQuery(raw []byte) (string, error) {
	if kind(raw) != '"' {
		return "", argumentErrorf(`"query" must be a string: what to look for, in plain words`)
	}
	query, err := unquote(raw)
	switch {
	case err != nil:
		return "", argumentErrorf(`"query" %v`, err)
	case strings.TrimSpace(query) == "":
		return "", argumentErrorf(`"query" is blank: say what to look for, in plain words`)
	case len(query) > maxQuery:
		return "", argumentErrorf(`"query" has %d bytes: it may have at most %d`, len(query), maxQuery)
	}
	return query, nil
}

// decodeLimit takes a whole number however it is written, as JSON Schema does.
func decodeLimit(raw []byte) (int, error) {
	if c := kind(raw); c == '-' || c >= '0' && c <= '9' {
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil && f == math.Trunc(f) && f >= minLimit && f <= maxLimit {
			return int(f), nil
		}
	}
	return 0, argumentErrorf(`"limit" must be a whole number from %d to %d`, minLimit, maxLimit)
}

func decodeHandle(raw json.RawMessage) (string, error) {
	found, err := decodeArguments(raw, "formation_outcome", "handle")
	if err != nil {
		return "", err
	}
	if kind(found["handle"]) == '"' {
		if handle, err := unquote(found["handle"]); err == nil && formation.ValidHandle(handle) {
			return handle, nil
		}
	}
	return "", argumentErrorf(`"handle" must be a string that remember_conversation returned: "fm_" and 32 characters`)
}

func decodeTurns(raw json.RawMessage) ([]formation.Turn, error) {
	found, err := decodeArguments(raw, "remember_conversation", "turns")
	if err != nil {
		return nil, err
	}
	var turns []formation.Turn
	var wrong error
	isArray := elements(unwrap(found["turns"], '['), func(entry []byte) bool {
		if len(turns) > formation.MaxTurns { // one too many is enough to refuse them
			return false
		}
		var t formation.Turn
		t, wrong = decodeTurn(len(turns), unwrap(entry, '{'))
		turns = append(turns, t)
		return wrong == nil
	})
	switch {
	case !isArray:
		return nil, argumentErrorf(`"turns" must be an array of 1 to %d objects {"role", "content"}`, formation.MaxTurns)
	case wrong != nil:
		return nil, wrong
	}
	return turns, checkTurns(turns)
}

func decodeTurn(index int, raw []byte) (formation.Turn, error) {
	var role, content []byte
	var unknown []byte
	isObject := members(raw, func(key, value []byte) bool {
		switch string(key) {
		case "role":
			role = value
		case "content":
			content = value
		default:
			unknown = append([]byte{}, key...)
		}
		return true
	})
	switch {
	case !isObject:
		return formation.Turn{}, argumentErrorf(`turns[%d] must be an object {"role", "content"}`, index)
	case unknown != nil:
		return formation.Turn{}, argumentErrorf(`turns[%d] has a field %q: a turn has "role" and "content" and no other`, index, clip(string(unknown), 64))
	case kind(role) != '"':
		return formation.Turn{}, argumentErrorf("turns[%d].role must be one of user, assistant, system, tool", index)
	case kind(content) != '"':
		return formation.Turn{}, argumentErrorf("turns[%d].content must be a string", index)
	}
	r, err := unquote(role)
	if err != nil {
		return formation.Turn{}, argumentErrorf("turns[%d].role must be one of user, assistant, system, tool", index)
	}
	text, err := unquote(content)
	if err != nil {
		return formation.Turn{}, argumentErrorf("turns[%d].content %v", index, err)
	}
	return formation.Turn{Role: formation.Role(r), Content: text}, nil
}

func checkTurns(turns []formation.Turn) error {
	var wrong *formation.TurnError
	if err := formation.CheckTurns(turns); errors.As(err, &wrong) {
		return argumentError(wrong.Error())
	}
	size := 0
	for _, t := range turns {
		size += quotedLen(t.Content) + len(`{"role":"assistant","content":},`)
	}
	if size > maxSubmission-1024 { // the rest is for what goes with the turns
		return argumentErrorf("turns have %d bytes together: one conversation may have about 1 MiB; send it in parts", size)
	}
	return nil
}

// decodeArguments returns the arguments by name, and refuses names that the tool does not have. Some hosts send the
// whole object as a string.
func decodeArguments(raw json.RawMessage, tool string, names ...string) (map[string][]byte, error) {
	found := make(map[string][]byte, len(names))
	if c := kind(raw); c == 0 || c == 'n' {
		return found, nil
	}
	var unknown []byte
	isObject := members(unwrap(raw, '{'), func(key, value []byte) bool {
		if !slices.Contains(names, string(key)) {
			unknown = append([]byte{}, key...)
			return false
		}
		found[string(key)] = value
		return true
	})
	switch {
	case !isObject:
		return nil, argumentErrorf("the arguments must be an object with %s", quotedNames(names))
	case unknown != nil:
		return nil, argumentErrorf("there is no argument %q: %s takes %s. The workspace and the credential are fixed when the server starts.",
			clip(string(unknown), 64), tool, quotedNames(names))
	}
	return found, nil
}

func quotedNames(names []string) string { return `"` + strings.Join(names, `" and "`) + `"` }

// unwrap returns the array or object that a host sent as a string; anything else comes back as it is.
func unwrap(raw []byte, open byte) []byte {
	if kind(raw) != '"' {
		return raw
	}
	text, err := unquote(raw)
	if err != nil || kind([]byte(text)) != open || !validJSON([]byte(text)) {
		return raw
	}
	return []byte(text)
}
