package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBatch is how many entries a batch may have: each is answered, and the answers wait for each other.
const maxBatch = 1000

// conn is the connection that the library reads from and writes to. The library sees well-formed calls alone, under ids
// of our own: the host's ids come back byte for byte, may be used again, and never collide. Everything else is answered
// here, and nothing that a host writes ends the session.
//
// Read is called by one goroutine, in which the order of the input counts: handshake, duplicates, cancellations.
type conn struct {
	lines  <-chan line
	out    *frames
	era    *era
	work   *work
	stderr io.Writer
	drain  time.Duration

	pending []jsonrpc.Message // of a batch, not handed on yet; of Read alone

	mu    sync.Mutex
	next  int64
	calls map[int64]*call  // in flight, by our id
	byID  map[string]*call // in flight, by the host's

	stopOnce, closeOnce sync.Once
	stopped             chan struct{} // no more reading; what is going on may end
	closed              chan struct{} // the end
	ended               chan struct{} // Read has returned its last
	endOnce             sync.Once
}

// call is a request that was handed on and is not answered yet.
type call struct {
	ours   int64
	id     id
	method string
	batch  *batch // nil for a single one
}

// counts reports whether the end of the input waits for the call. A subscription has no end of its own.
func (k *call) counts() bool { return k.method != methodListen }

// batch collects the answers of a batch. It is guarded by the connection's lock.
type batch struct {
	open    int // entries without an answer
	answers [][]byte
}

func newConn(lines <-chan line, out *frames, e *era, w *work, stderr io.Writer, drain time.Duration) *conn {
	return &conn{
		lines: lines, out: out, era: e, work: w, stderr: stderr, drain: drain,
		calls: make(map[int64]*call), byID: make(map[string]*call),
		stopped: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Connect implements [mcp.Transport].
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection]. A stream has no session to name.
func (c *conn) SessionID() string { return "" }

// Close implements [mcp.Connection].
func (c *conn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// stop ends the reading. Calls that are in flight may still be answered for a moment.
func (c *conn) stop() { c.stopOnce.Do(func() { close(c.stopped) }) }

// Read returns the next call. At the end of the input it waits until every call that was read is answered, for the
// library gives up the answers that are left when Read ends.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.pending) > 0 {
			m := c.pending[0]
			c.pending = c.pending[1:]
			return m, nil
		}
		select {
		case <-c.closed:
			return c.end()
		case <-c.stopped:
			c.work.wait(stopTimeout, c.closed, nil)
			return c.end()
		case l, ok := <-c.lines:
			if !ok {
				c.finish()
				return c.end()
			}
			c.take(l)
		}
	}
}

func (c *conn) end() (jsonrpc.Message, error) {
	c.endOnce.Do(func() { close(c.ended) })
	return nil, io.EOF
}

// finish waits for the answers after the end of the input. A signal in the meantime leaves them less time.
func (c *conn) finish() {
	c.work.wait(c.drain, c.closed, c.stopped)
	select {
	case <-c.stopped:
		c.work.wait(stopTimeout, c.closed, nil)
	default:
	}
}

// take handles one line.
func (c *conn) take(l line) {
	if errors.Is(l.err, errLineTooLong) {
		c.refuse(refuse(id{}, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message may have at most %d MiB", maxLine>>20)), nil)
		return
	}
	data := trim(l.data)
	switch {
	case len(data) == 0:
	case !validJSON(data):
		c.refuse(refuse(id{}, jsonrpc.CodeParseError, "this line is not JSON in UTF-8; a message is one line"), nil)
	case data[0] == '[':
		c.takeBatch(data)
	default:
		c.takeMessage(data, nil)
	}
}

// takeBatch handles the entries of a batch. They are answered together, in one line.
func (c *conn) takeBatch(data []byte) {
	count := 0
	elements(data, func([]byte) bool { count++; return count <= maxBatch })
	if !c.era.batches() || count == 0 || count > maxBatch {
		text := fmt.Sprintf("batches are part of MCP %s alone, and have 1 to %d entries", versionBatch, maxBatch)
		c.refuse(refuse(id{}, jsonrpc.CodeInvalidRequest, text), nil)
		return
	}
	b := &batch{open: 1} // for as long as entries are added
	elements(data, func(entry []byte) bool {
		c.takeMessage(entry, b)
		return true
	})
	c.settle(b, nil)
}

func (c *conn) takeMessage(data []byte, b *batch) {
	m, f := decode(data)
	switch {
	case f != nil:
		c.refuse(f, b)
	case m.isCall():
		c.takeCall(m, b)
	case m.method == notificationCancelled:
		c.cancel(m.params)
	}
}

// takeCall admits a call, or refuses it on the spot.
func (c *conn) takeCall(m message, b *batch) {
	c.mu.Lock()
	_, inFlight := c.byID[m.id.key]
	c.mu.Unlock()
	if inFlight {
		fmt.Fprintf(c.stderr, "lukasa mcp: refused a second request with the id %s while the first is in flight.\n", clip(string(m.id.raw), 64))
		// With the id, the host would take this for the answer to its first request.
		c.refuse(refuse(id{}, jsonrpc.CodeInvalidRequest, "this id is in use by a request in flight"), b)
		return
	}
	if b != nil && (m.method == methodInitialize || member(member(m.params, "_meta"), mcp.MetaKeyProtocolVersion) != nil) {
		c.refuse(refuse(m.id, jsonrpc.CodeInvalidRequest, "this request can't be part of a batch"), b)
		return
	}
	params, err := c.era.admit(m.method, m.params)
	if err != nil {
		c.refuse(&fault{m.id, err}, b)
		return
	}
	c.hand(m, params, b)
}

// hand hands a call on, under an id of our own.
func (c *conn) hand(m message, params json.RawMessage, b *batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	k := &call{ours: c.next, id: m.id, method: m.method, batch: b}
	c.calls[k.ours], c.byID[m.id.key] = k, k
	if b != nil {
		b.open++
	}
	if k.counts() {
		c.work.begin()
	}
	c.pending = append(c.pending, &jsonrpc.Request{ID: ourID(k.ours), Method: m.method, Params: params})
}

// ourID makes an id for the library. Small whole numbers are exact.
func ourID(n int64) jsonrpc.ID {
	made, _ := jsonrpc.MakeID(float64(n)) // fails for other types alone
	return made
}

// cancel stops a call in flight: no answer is sent, and its id is free. Any other cancellation changes nothing.
func (c *conn) cancel(params []byte) {
	at, ok := decodeID(member(params, "requestId"))
	if !ok || at.raw == nil {
		return
	}
	c.mu.Lock()
	k := c.byID[at.key]
	if k == nil || k.method == methodInitialize {
		c.mu.Unlock()
		return
	}
	c.forget(k)
	c.mu.Unlock()
	c.pending = append(c.pending, &jsonrpc.Request{
		Method: notificationCancelled, Params: json.RawMessage(fmt.Sprintf(`{"requestId":%d}`, k.ours)),
	})
	if k.counts() {
		c.work.end()
	}
	if k.batch != nil {
		c.settle(k.batch, nil)
	}
}

// forget takes a call out of the tables. The lock is held.
func (c *conn) forget(k *call) {
	delete(c.calls, k.ours)
	delete(c.byID, k.id.key)
}

// refuse answers with an error, at once or as part of a batch.
func (c *conn) refuse(f *fault, b *batch) {
	if b == nil {
		_ = c.send(func(dst []byte) []byte { return appendError(dst, f.id, f.err) })
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b.answers = append(b.answers, appendError(nil, f.id, f.err))
}

// Write sends an answer of the library, under the host's id. The answer of a call that was cancelled is dropped.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		return c.answer(m)
	case *jsonrpc.Request:
		return c.notify(m)
	}
	return nil
}

func (c *conn) answer(m *jsonrpc.Response) error {
	ours, _ := m.ID.Raw().(int64)
	c.mu.Lock()
	k := c.calls[ours]
	if k != nil {
		// Before the answer is written: the host may use the id again as soon as it has read it.
		c.forget(k)
	}
	c.mu.Unlock()
	if k == nil {
		return nil
	}
	if k.counts() {
		defer c.work.end()
	}
	build := func(dst []byte) []byte { return appendResult(dst, k.id, k.result(m.Result)) }
	if m.Error != nil {
		build = func(dst []byte) []byte { return appendError(dst, k.id, wireError(m.Error)) }
	}
	if k.batch != nil {
		return c.settle(k.batch, build(nil))
	}
	return c.send(build)
}

// result puts the host's id where the library repeats ours.
func (k *call) result(result json.RawMessage) json.RawMessage {
	if k.method != methodListen {
		return result
	}
	return withSubscription(result, k.id)
}

// settle counts one entry of a batch as done, with its answer or without, and sends the batch's answers with the last.
func (c *conn) settle(b *batch, answer []byte) error {
	c.mu.Lock()
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	b.open--
	answers, done := b.answers, b.open == 0
	c.mu.Unlock()
	if !done || len(answers) == 0 {
		return nil
	}
	return c.send(func(dst []byte) []byte {
		return append(append(append(dst, '['), bytes.Join(answers, []byte{','})...), ']')
	})
}

// notify sends what the library tells the host about a subscription. It has nothing else to say by itself.
func (c *conn) notify(m *jsonrpc.Request) error {
	if m.Method != notificationSubscribed {
		return nil
	}
	var ours int64
	if json.Unmarshal(member(member(m.Params, "_meta"), mcp.MetaKeySubscriptionID), &ours) != nil {
		return nil
	}
	c.mu.Lock()
	k := c.calls[ours]
	c.mu.Unlock()
	if k == nil {
		return nil
	}
	params := withSubscription(m.Params, k.id)
	return c.send(func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"`+notificationSubscribed+`","params":`...)
		return append(appendLine(dst, params), '}')
	})
}

// send writes a frame, and ends the session when the host no longer reads.
func (c *conn) send(build func([]byte) []byte) error {
	err := c.out.write(build)
	if err != nil {
		_ = c.Close()
	}
	return err
}

// withSubscription sets the subscription's id in the _meta of an object.
func withSubscription(raw json.RawMessage, at id) json.RawMessage {
	var object, meta map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || json.Unmarshal(object["_meta"], &meta) != nil {
		return raw
	}
	meta[mcp.MetaKeySubscriptionID] = at.raw
	inner, err := json.Marshal(meta)
	if err != nil {
		return raw
	}
	object["_meta"] = inner
	if outer, err := json.Marshal(object); err == nil {
		return outer
	}
	return raw
}
