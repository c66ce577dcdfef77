package proxy

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// document returns a tool's success: one JSON document, which goes out as structured content and as text. Some hosts
// show the model only the one, some only the other.
func document(doc []byte) *mcp.CallToolResult {
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(doc)}
}

// failed returns a tool's failure. Everything that the model gets to know is in text.
func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// toolReply is the result of a call as it goes out. The library's own type would encode a document several times over,
// and marks the newest version's results by session, not by request.
type toolReply struct {
	mcp.ResultBase

	text    []byte
	isError bool
	modern  bool
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
	b := make([]byte, 0, 5*len(r.text)/2+200)
	b = append(b, '{')
	if len(r.Meta) > 0 {
		meta, err := json.Marshal(r.Meta)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, `"_meta":`...), meta...), ',')
	}
	if r.modern {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"content":[{"type":"text","text":`...)
	b = append(appendQuoted(b, r.text), "}],"...)
	if r.isError {
		return append(b, `"isError":true}`...), nil
	}
	b = append(b, `"structuredContent":`...)
	return append(append(b, r.text...), '}'), nil
}
