package proxy

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// direct answers without the library what a host waits for most: the handshake, and the calls of the tools. What comes
// back is the same either way. A nil *direct answers nothing.
type direct struct {
	tools   *tools
	version string          // of this program
	base    context.Context //nolint:containedctx // of all calls; it ends with the session
}

// directCall is a call of a tool that is made without the library. The zero value is none.
type directCall struct {
	handler   handler
	host      peer
	arguments []byte
	modern    bool
	ctx       context.Context //nolint:containedctx // of this call
	cancel    context.CancelFunc
}

// handshake returns the result of initialize or ping, or nil. version is what was negotiated.
func (d *direct) handshake(method, version string) []byte {
	switch {
	case d == nil:
	case method == methodPing:
		return []byte("{}")
	case method == methodInitialize:
		return initialized(version, d.version)
	}
	return nil
}

// initialized is the result of initialize.
func initialized(version, program string) []byte {
	b := appendQuoted([]byte(`{"capabilities":{"tools":{}},"instructions":`), instructions)
	b = appendQuoted(append(b, `,"protocolVersion":`...), version)
	b = append(append(b, `,"serverInfo":`...), serverInfo(program)...)
	return append(b, '}')
}

// modernMeta is the _meta of a result of the newest version.
func modernMeta(program string) []byte {
	b := append([]byte(`{"`+mcp.MetaKeyServerInfo+`":`), serverInfo(program)...)
	return append(b, '}')
}

// serverInfo is this program, as it calls itself.
func serverInfo(program string) []byte {
	b := appendQuoted([]byte(`{"name":"`+serverName+`","title":"`+serverTitle+`","version":`), program)
	return append(b, '}')
}

// tool reads the parameters of a call that is to be made here. What has anything unusual in it is left to the library,
// which knows the whole of the protocol.
func (d *direct) tool(params []byte) directCall {
	if d == nil {
		return directCall{}
	}
	var name, arguments, meta []byte
	usual := true
	members(params, func(key, value []byte) bool {
		switch {
		case string(key) == "name" && name == nil:
			name = value
		case string(key) == "arguments" && arguments == nil:
			arguments = value
		case string(key) == "_meta" && meta == nil && kind(value) == '{':
			meta = value
		default:
			usual = false
		}
		return usual
	})
	host, known := d.host(meta)
	if !usual || !known || len(name) < 2 {
		return directCall{}
	}
	k := directCall{handler: d.tools.named(string(name[1 : len(name)-1])), host: host, arguments: arguments}
	if k.handler == nil {
		return directCall{}
	}
	k.modern = member(meta, mcp.MetaKeyProtocolVersion) != nil
	k.ctx, k.cancel = context.WithCancel(d.base)
	return k
}

// host returns who calls: what the request says of itself, or what initialize said. known is false for what is not a
// few strings.
func (d *direct) host(meta []byte) (host peer, known bool) {
	info := member(meta, mcp.MetaKeyClientInfo)
	if info == nil {
		return d.tools.host(), true
	}
	known = members(info, func(_, value []byte) bool { return true })
	members(info, func(_, value []byte) bool {
		known = known && kind(value) == '"'
		return known
	})
	return *peerOf(info), known
}

// make makes a call and answers it.
func (c *conn) make(k *call) {
	defer k.tool.cancel()
	r, err := k.tool.run(c.stderr)
	var meta []byte
	if k.tool.modern {
		meta = modernMeta(c.direct.version)
	}
	_ = c.conclude(k.ours, func(dst []byte, k *call) []byte {
		if err != nil {
			return appendError(dst, k.id, wireError(err))
		}
		return appendReply(dst, k.id, r, meta)
	})
}

func (k *directCall) run(stderr io.Writer) (r *toolReply, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, panicked(stderr, methodCallTool, p)
		}
	}()
	if r, err = k.handler(k.ctx, k.host, k.arguments); err == nil {
		r.modern = k.modern
	}
	return r, err
}

// panicked turns a panic into the error of the one call. The stack goes to stderr, never to the host.
func panicked(stderr io.Writer, method string, p any) *jsonrpc.Error {
	fmt.Fprintf(stderr, "lukasa mcp: %s panicked: %v\n%s", method, p, debug.Stack())
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "this call failed inside the server; the others go on"}
}
