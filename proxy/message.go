package proxy

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// id is a request's id: the host's own bytes, and what tells ids apart. The zero value is no id.
type id struct {
	raw []byte
	key string
}

// message is what a line, or one entry of a batch, says. A method without an id is a notification; no method at all is
// an answer of the host, to which there is nothing to say.
type message struct {
	id     id
	method string
	params []byte // an object, or nil
}

func (m message) isCall() bool { return m.id.raw != nil }

// fault is an error that is answered without handing anything on. id.raw is nil where none could be read: a null id is
// no answer to some hosts.
type fault struct {
	id  id
	err *jsonrpc.Error
}

func refuse(at id, code int64, text string) *fault {
	return &fault{at, &jsonrpc.Error{Code: code, Message: text}}
}

// envelope holds the members of a message as they were written.
type envelope struct {
	version, id, method, params, result, failure []byte
}

// decode reads one message from valid JSON.
func decode(raw []byte) (message, *fault) {
	var e envelope
	if !members(raw, e.take) {
		return message{}, refuse(id{}, jsonrpc.CodeInvalidRequest, "a message is a JSON object")
	}
	if e.method == nil && (e.result != nil || e.failure != nil) {
		return message{}, nil
	}
	at, ok := decodeID(e.id)
	switch {
	case string(e.version) != `"2.0"`:
		return message{}, refuse(at, jsonrpc.CodeInvalidRequest, `"jsonrpc" must be "2.0"`)
	case !ok:
		return message{}, refuse(id{}, jsonrpc.CodeInvalidRequest, `"id" must be a string or a number`)
	case kind(e.method) != '"', e.result != nil, e.failure != nil:
		return message{}, refuse(at, jsonrpc.CodeInvalidRequest, `a request has a "method", which is a string, and neither "result" nor "error"`)
	}
	return e.request(at)
}

func (e *envelope) take(key, value []byte) bool {
	switch string(key) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.failure = value
	}
	return true
}

func (e *envelope) request(at id) (message, *fault) {
	method, err := unquote(e.method)
	if err != nil {
		return message{}, refuse(at, jsonrpc.CodeInvalidRequest, `"method" `+err.Error())
	}
	m := message{id: at, method: method}
	switch kind(e.params) {
	case '{':
		m.params = e.params
	case 0, 'n':
	default:
		if m.isCall() {
			return message{}, refuse(at, jsonrpc.CodeInvalidParams, `"params" must be an object`)
		}
	}
	return m, nil
}

// decodeID reads an id; ok is false for one that is neither a string nor a number. Numbers are told apart by how they
// are written: nothing is rounded, and the host gets back what it sent.
func decodeID(raw []byte) (at id, ok bool) {
	switch c := kind(raw); {
	case c == 0:
		return id{}, true
	case c == '"':
		s, err := unquote(raw)
		if err != nil {
			return id{raw: raw, key: "r" + string(raw)}, true
		}
		return id{raw: raw, key: "s" + s}, true
	case c == '-' || c >= '0' && c <= '9':
		return id{raw: raw, key: "n" + string(raw)}, true
	}
	return id{}, false
}
