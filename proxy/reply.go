package proxy

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolReply is the result of a call as it goes out: a document, as structured content and as text, for some hosts show
// the model only the one, some only the other; or a failure, of which everything that the model gets to know is in text.
// The library's own type would encode a document several times over, and marks the newest version's results by session,
// not by request.
type toolReply struct {
	mcp.ResultBase

	text    []byte
	isError bool
	modern  bool
}

// document returns a tool's success.
func document(doc []byte) *toolReply { return &toolReply{text: doc} }

// failed returns a tool's failure.
func failed(text string) *toolReply { return &toolReply{text: []byte(text), isError: true} }

// result returns the reply in the library's type, for the way through the library.
func (r *toolReply) result() *mcp.CallToolResult {
	if r.isError {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(r.text)}}}
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(r.text)}
}

// encodeReplies puts the tools' results into the form in which they go out.
func encodeReplies(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		r, ok := result.(*mcp.CallToolResult)
		if err != nil || !ok {
			return result, err
		}
		reply := &toolReply{isError: r.IsError, modern: isModern(req)}
		if doc, ok := r.StructuredContent.(json.RawMessage); ok {
			reply.text = doc
		}
		for _, c := range r.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				reply.text = append(reply.text, t.Text...)
			}
		}
		return reply, nil
	}
}

// MarshalJSON implements [json.Marshaler].
func (r *toolReply) MarshalJSON() ([]byte, error) {
	var meta []byte
	if len(r.Meta) > 0 {
		var err error
		if meta, err = json.Marshal(r.Meta); err != nil {
			return nil, err
		}
	}
	return r.append(make([]byte, 0, r.size()), meta), nil
}

// size is about how many bytes append adds.
func (r *toolReply) size() int { return 5*len(r.text)/2 + 300 }

// append appends the reply as JSON, with a _meta unless that is nil.
func (r *toolReply) append(b, meta []byte) []byte {
	b = append(b, '{')
	if meta != nil {
		b = append(append(append(b, `"_meta":`...), meta...), ',')
	}
	if r.modern {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	b = append(appendQuoted(b, r.text), "}],"...)
	if r.isError {
		return append(b, `"isError":true}`...)
	}
	b = append(b, `"structuredContent":`...)
	return append(appendLine(b, r.text), '}')
}
