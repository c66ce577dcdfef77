package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of the protocol. The newest is spoken request by request: each carries the version in its _meta. The
// others begin with initialize.
const (
	versionModern = "2026-07-28"
	versionLatest = "2025-11-25" // of those that begin with initialize
	versionBatch  = "2025-03-26" // the only one with batches
)

// versions returns every version that is implemented, newest first.
func versions() []string {
	return []string{versionModern, versionLatest, "2025-06-18", versionBatch, "2024-11-05"}
}

// The methods that are answered: what the advertised capability needs, and the handshakes.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodDiscover   = "server/discover"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
	methodListen     = "subscriptions/listen"

	notificationCancelled  = "notifications/cancelled"
	notificationSubscribed = "notifications/subscriptions/acknowledged"
)

// maxPeer is how many bytes of a host's name, and of its version, are kept.
const maxPeer = 200

// peer is the host, as it calls itself.
type peer struct {
	name, version string
}

// era is the state of the handshake. It belongs to the reading side alone, but for the host's name.
type era struct {
	stderr  io.Writer
	version string // what the last initialize was answered with; "" before any
	host    atomic.Pointer[peer]
}

// batches reports whether a batch is answered now.
func (e *era) batches() bool { return e.version == versionBatch }

// admit decides in which era a request is spoken, and whether that era has it. It returns the parameters to hand on.
func (e *era) admit(method string, params []byte) (json.RawMessage, *jsonrpc.Error) {
	meta := member(params, "_meta")
	version := member(meta, mcp.MetaKeyProtocolVersion)
	if version == nil {
		return e.admitLegacy(method, params)
	}
	if err := checkModern(version, meta); err != nil {
		return nil, err
	}
	switch method {
	case methodDiscover, methodListTools, methodListen:
		return params, nil
	case methodCallTool:
		return params, checkCall(params)
	}
	return nil, unknownMethod(method)
}

// checkModern checks what every request of the newest version carries in its _meta.
func checkModern(version, meta []byte) *jsonrpc.Error {
	if kind(version) != '"' {
		return invalidParams(fmt.Sprintf("_meta field %q must be a string", mcp.MetaKeyProtocolVersion))
	}
	if v, err := unquote(version); err != nil || v != versionModern {
		return unsupportedVersion(version)
	}
	if kind(member(meta, mcp.MetaKeyClientCapabilities)) != '{' {
		return invalidParams(fmt.Sprintf("_meta field %q is missing or no object", mcp.MetaKeyClientCapabilities))
	}
	return nil
}

func (e *era) admitLegacy(method string, params []byte) (json.RawMessage, *jsonrpc.Error) {
	switch method {
	case methodInitialize:
		return e.initialize(params)
	case methodPing:
		return nil, nil // its parameters have no meaning
	case methodDiscover:
		return nil, invalidParams(fmt.Sprintf("server/discover needs %q in its _meta", mcp.MetaKeyProtocolVersion))
	}
	switch {
	case e.version == "":
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "send initialize first"}
	case method == methodListTools:
		return params, nil
	case method == methodCallTool:
		return params, checkCall(params)
	}
	return nil, unknownMethod(method)
}

// checkCall checks the form of a tool call. What is in its arguments is the tool's own affair.
func checkCall(params []byte) *jsonrpc.Error {
	if kind(member(params, "name")) != '"' {
		return invalidParams(`"name" must be the name of a tool`)
	}
	return nil
}

// initialize negotiates the version, and returns parameters that hold it and nothing that could be refused further on.
// It may come any number of times: hosts send it twice, or after server/discover.
func (e *era) initialize(params []byte) (json.RawMessage, *jsonrpc.Error) {
	asked := member(params, "protocolVersion")
	if kind(asked) != '"' {
		return nil, invalidParams(`"protocolVersion" must be a string`)
	}
	var version string
	if err := json.Unmarshal(asked, &version); err != nil {
		return nil, invalidParams(`"protocolVersion" must be a string`)
	}
	e.version = version
	if version == versionModern || !slices.Contains(versions(), version) {
		e.version = versionLatest
		e.explain(version)
	}
	e.host.Store(peerOf(member(params, "clientInfo")))
	return json.RawMessage(`{"protocolVersion":"` + e.version + `","capabilities":{}}`), nil
}

// explain tells a person why the session may end now. The lifecycle pages of the protocol want an answer here, not a
// refusal.
func (e *era) explain(asked string) {
	first := fmt.Sprintf("lukasa mcp: the host asked for MCP protocol version\n  %s, which this server does not implement.\n", quoteVersion(asked))
	if asked == versionModern {
		first = fmt.Sprintf("lukasa mcp: the host sent initialize for MCP protocol version\n  %q, which has none: it is spoken request by request.\n", asked)
	}
	all := versions()
	fmt.Fprintf(e.stderr, `%slukasa mcp: this server implements %s,
  %s.
lukasa mcp: answered with "%s", because the
  lifecycle specification requires an answer here
  rather than a refusal.
lukasa mcp: the host disconnects if it cannot speak that.
  If this session ends now, that is why.
`, first, strings.Join(all[:2], ", "), strings.Join(all[2:], ", "), versionLatest)
}

// quoteVersion shows a version from outside on a terminal.
func quoteVersion(v string) string { return strconv.QuoteToASCII(clip(v, 64)) }

// peerOf reads a clientInfo, as far as there is something to read.
func peerOf(info []byte) *peer {
	text := func(name string) string {
		raw := member(info, name)
		if kind(raw) != '"' {
			return ""
		}
		s, err := unquote(raw)
		if err != nil {
			return ""
		}
		return clip(s, maxPeer)
	}
	return &peer{name: text("name"), version: text("version")}
}

func invalidParams(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

func unknownMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q here", clip(method, 100))}
}

// unsupportedVersion names the versions that a request may carry; the others begin with initialize.
func unsupportedVersion(requested []byte) *jsonrpc.Error {
	data := `{"supported":["` + versionModern + `"],"requested":` + string(requested) + `}`
	return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version", Data: json.RawMessage(data)}
}
