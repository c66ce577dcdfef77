package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	maxErrorText   = 500     // bytes of an error's message; it may repeat what the host sent
	keepFrameBytes = 1 << 20 // a larger buffer is not kept for the next frame
)

// frames writes protocol frames, one a line, each with one write. It is the only thing that writes to the output.
type frames struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
	err error // the first one; nothing is written after it

	gone atomic.Bool // err is set; read without the lock, which a write may hold for as long as the host does not read
}

// write writes what build appends, as one line.
func (f *frames) write(build func(dst []byte) []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	f.buf = append(build(f.buf[:0]), '\n')
	if _, err := f.w.Write(f.buf); err != nil {
		f.err = errors.Join(ErrHostGone, err)
		f.gone.Store(true)
	}
	if cap(f.buf) > keepFrameBytes {
		f.buf = nil
	}
	return f.err
}

// appendResult appends a response. result is JSON; one that was written over several lines is put on one.
func appendResult(dst []byte, at id, result json.RawMessage) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, at.raw...)
	dst = append(dst, `,"result":`...)
	return append(appendLine(dst, result), '}')
}

// appendReply appends the response to a call of a tool.
func appendReply(dst []byte, at id, r *toolReply, meta []byte) []byte {
	dst = slices.Grow(dst, len(at.raw)+r.size())
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, at.raw...)
	dst = append(dst, `,"result":`...)
	return append(r.append(dst, meta), '}')
}

func appendLine(dst []byte, raw json.RawMessage) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return append(dst, raw...)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return append(dst, "null"...)
	}
	return append(dst, b.Bytes()...)
}

// appendError appends an error response, without an id where none could be read.
func appendError(dst []byte, at id, e *jsonrpc.Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if at.raw != nil {
		dst = append(dst, `"id":`...)
		dst = append(dst, at.raw...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, e.Code, 10)
	dst = append(dst, `,"message":`...)
	dst = appendQuoted(dst, clip(e.Message, maxErrorText))
	if len(e.Data) > 0 {
		dst = append(dst, `,"data":`...)
		dst = appendLine(dst, e.Data)
	}
	return append(dst, "}}"...)
}

// wireError gives an error from the library its code. One that has none, or one that hosts take for the mark of the
// newest version's servers, becomes an internal error.
func wireError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	code := e.Code
	if code == 0 || code <= -32000 && code > -32020 {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: err.Error(), Data: e.Data}
}
