package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxJSONDepth is how deep a request's values may nest. The deepest of the contract is 4.
const maxJSONDepth = 16

// jsonKind is what sort of JSON value something is, as error messages name it.
type jsonKind string

const (
	jsonObject jsonKind = "an object"
	jsonArray  jsonKind = "an array"
	jsonString jsonKind = "a string"
	jsonNumber jsonKind = "a number"
	jsonBool   jsonKind = "true or false"
	jsonNull   jsonKind = "null"
)

// jsonValue is a JSON value as it was sent. The standard library's decoder quietly takes the last of two fields of the
// same name, matches names whatever their case, and turns what is not Unicode into U+FFFD; here all of that is seen.
type jsonValue struct {
	kind   jsonKind
	text   string // of a string, decoded; of a number, as it was written
	flaw   string // of a string that is not Unicode text: a clause such as "is not valid UTF-8"
	items  []jsonValue
	fields []jsonField
}

type jsonField struct {
	name  string
	value jsonValue
}

// jsonFault is a JSON text that can't be taken, with the path of the value that is at fault ("" for the whole).
type jsonFault struct{ path, message string }

func (f *jsonFault) Error() string {
	if f.path == "" {
		return "the body " + f.message
	}
	return f.path + " " + f.message
}

// parseJSON reads one JSON value that body is the whole of. Its error is a *jsonFault.
func parseJSON(body []byte) (jsonValue, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return jsonValue{}, &jsonFault{message: "is empty: send a JSON object"}
	}
	if err := checkSyntax(body); err != nil {
		return jsonValue{}, err
	}
	p := jsonParser{body: body, dec: json.NewDecoder(bytes.NewReader(body))}
	p.dec.UseNumber()
	return p.value(0)
}

// checkSyntax finds every fault of syntax, trailing data too, so that the parser meets none.
func checkSyntax(body []byte) error {
	if json.Valid(body) {
		return nil
	}
	err := json.Unmarshal(body, new(json.RawMessage))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &jsonFault{message: fmt.Sprintf("is not valid JSON: %v, at byte %d", syntax, syntax.Offset)}
	}
	return &jsonFault{message: "is not valid JSON"}
}

type jsonParser struct {
	body []byte
	dec  *json.Decoder
}

// token returns the next token with the bytes that it was written as.
func (p *jsonParser) token() (json.Token, []byte, error) {
	from := p.dec.InputOffset()
	token, err := p.dec.Token()
	if err != nil {
		return nil, nil, &jsonFault{message: "is not valid JSON"}
	}
	return token, p.body[from:p.dec.InputOffset()], nil
}

func (p *jsonParser) value(depth int) (jsonValue, error) {
	if depth > maxJSONDepth {
		return jsonValue{}, &jsonFault{message: "is nested too deeply"}
	}
	token, raw, err := p.token()
	if err != nil {
		return jsonValue{}, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case string:
		return jsonValue{kind: jsonString, text: t, flaw: textFlaw(raw)}, nil
	case json.Number:
		return jsonValue{kind: jsonNumber, text: t.String()}, nil
	case bool:
		return jsonValue{kind: jsonBool}, nil
	}
	return jsonValue{kind: jsonNull}, nil
}

func (p *jsonParser) object(depth int) (jsonValue, error) {
	v := jsonValue{kind: jsonObject}
	seen := make(map[string]bool)
	for p.dec.More() {
		token, raw, err := p.token()
		if err != nil {
			return v, err
		}
		name, _ := token.(string)
		if flaw := textFlaw(raw); flaw != "" {
			return v, &jsonFault{message: "has a field whose name " + flaw}
		}
		if seen[name] {
			return v, &jsonFault{path: joinPath("", name), message: "is given twice"}
		}
		seen[name] = true
		value, err := p.value(depth + 1)
		if err != nil {
			return v, within(joinPath("", name), err)
		}
		v.fields = append(v.fields, jsonField{name, value})
	}
	_, _, err := p.token() // the closing brace
	return v, err
}

func (p *jsonParser) array(depth int) (jsonValue, error) {
	v := jsonValue{kind: jsonArray}
	for p.dec.More() {
		value, err := p.value(depth + 1)
		if err != nil {
			return v, within(fmt.Sprintf("[%d]", len(v.items)), err)
		}
		v.items = append(v.items, value)
	}
	_, _, err := p.token() // the closing bracket
	return v, err
}

// within adds where a fault's value is to its path. Paths are made only for faults: a request has many values.
func within(place string, err error) error {
	var fault *jsonFault
	if !errors.As(err, &fault) {
		return err
	}
	path := place + fault.path
	if fault.path != "" && fault.path[0] != '[' {
		path = place + "." + fault.path
	}
	return &jsonFault{path: path, message: fault.message}
}

// joinPath names a field within the value at path, and cuts names that nobody would read to their end.
func joinPath(path, name string) string {
	const longest = 80
	if len(name) > longest {
		cut := longest
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// textFlaw says what keeps a JSON string, as it was written, from being Unicode text, or "".
func textFlaw(raw []byte) string {
	if !utf8.Valid(raw) {
		return "is not valid UTF-8"
	}
	if hasLoneSurrogate(raw) {
		return "has a lone surrogate escape, which is not Unicode text"
	}
	return ""
}

// hasLoneSurrogate reports whether a JSON string has an escape of one half of a surrogate pair without the other. RFC
// 8259 section 8.2 leaves its meaning open, and different programs would derive different handles from it.
func hasLoneSurrogate(raw []byte) bool {
	for i := bytes.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		unit, ok := escapedUnit(raw[i:])
		switch {
		case !ok:
			i += 2 // an escape of one character
		case 0xDC00 <= unit && unit <= 0xDFFF:
			return true // a second half that follows no first one
		case 0xD800 <= unit && unit <= 0xDBFF:
			second, ok := escapedUnit(raw[i+6:])
			if !ok || second < 0xDC00 || second > 0xDFFF {
				return true
			}
			i += 12
		default:
			i += 6
		}
		next := bytes.IndexByte(raw[i:], '\\')
		if next < 0 {
			return false
		}
		i += next
	}
	return false
}

// escapedUnit reads the UTF-16 code unit of an escape \uXXXX that s begins with.
func escapedUnit(s []byte) (unit rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			unit = unit<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			unit = unit<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return unit, true
}
