package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBatch is how many entries a batch may have: each is answered, and the answers wait for each other.
const maxBatch = 1000

// maxResting is how many goroutines are kept between calls.
const maxResting = 16

// conn is the connection to the host. Nothing that a host writes ends the session.
//
// Calls of the tools are made here, which is what the time of a call depends on. The rest goes to the library, which
// sees well-formed calls alone, under ids of our own: the host's ids come back byte for byte, may be used again, and
// never collide.
//
// The input is read by one goroutine at a time, in which its order counts: handshake, duplicates, cancellations.
type conn struct {
	lines  *lineReader
	out    *frames
	era    *era
	work   *work
	stderr io.Writer
	drain  time.Duration
	direct *direct // nil to let the library make every call
	start  func()  // starts the library, before anything is handed to it; may be nil

	ready   chan struct{} // closed when answers may be given
	forward chan jsonrpc.Message
	eof     chan struct{} // the input has ended
	turns   chan struct{} // at reading, for goroutines that rest
	resting atomic.Int32

	mu    sync.Mutex
	next  int64
	calls map[int64]*call  // in flight, by our id
	byID  map[string]*call // in flight, by the host's

	stopOnce, closeOnce, endOnce sync.Once

	stopped chan struct{} // no more reading; what is going on may end
	closed  chan struct{} // the host is gone
	ended   chan struct{} // the end
}

// call is a request that was handed on and is not answered yet.
type call struct {
	ours   int64
	id     id
	method string
	batch  *batch // nil for a single one

	tool    directCall       // made here, unless its handler is nil
	request *jsonrpc.Request // for the library, if not made here
}

// counts reports whether the end of the input waits for the call. A subscription has no end of its own.
func (k *call) counts() bool { return k.method != methodListen }

// batch collects the answers of a batch. It is guarded by the connection's lock.
type batch struct {
	open    int // entries without an answer
	answers [][]byte
}

func newConn(lines *lineReader, out *frames, e *era, w *work, stderr io.Writer) *conn {
	return &conn{
		lines: lines, out: out, era: e, work: w, stderr: stderr, drain: defaultDrainTimeout,
		ready: make(chan struct{}), forward: make(chan jsonrpc.Message), eof: make(chan struct{}), turns: make(chan struct{}),
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

// end ends the session, and the library with it.
func (c *conn) end() { c.endOnce.Do(func() { close(c.ended) }) }

// Read implements [mcp.Connection]: it returns the next message for the library.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.forward:
		return m, nil
	case <-c.ended:
	case <-c.closed:
	}
	return nil, io.EOF
}

// pass hands a message to the library.
func (c *conn) pass(m jsonrpc.Message) {
	if c.start != nil {
		c.start()
	}
	select {
	case c.forward <- m:
	case <-c.ended:
	case <-c.closed:
	}
}

// serve reads the input to its end. A call that is made here is made by the goroutine that has read it, and another one
// reads on: handing the call over would take longer than much of the rest of it.
func (c *conn) serve() {
	for {
		line, err := c.lines.next()
		if err != nil && !errors.Is(err, errLineTooLong) {
			close(c.eof)
			return
		}
		if !c.mayGoOn() {
			return
		}
		if k := c.take(line, err); k != nil {
			c.relieve()
			c.make(k)
			if !c.rest() {
				return
			}
		}
	}
}

// relieve lets another goroutine read on: one that rests, for its stack has its size, or else a new one.
func (c *conn) relieve() {
	select {
	case c.turns <- struct{}{}:
	default:
		go c.serve()
	}
}

// rest waits for a turn at reading, and reports whether there is one.
func (c *conn) rest() bool {
	defer c.resting.Add(-1)
	if c.resting.Add(1) > maxResting {
		return false
	}
	select {
	case <-c.turns:
		return true
	case <-c.ended:
	case <-c.closed:
	}
	return false
}

// mayGoOn waits until answers may be given, and reports whether they still may.
func (c *conn) mayGoOn() bool {
	select {
	case <-c.ready:
	case <-c.stopped:
	case <-c.closed:
	}
	select {
	case <-c.stopped:
	case <-c.closed:
	default:
		return true
	}
	return false
}

// wait waits for the end: of the input with the answers to what was read, of ctx, or of the host.
func (c *conn) wait(ctx context.Context) {
	select {
	case <-c.eof:
		c.work.wait(c.drain, c.closed, ctx.Done())
	case <-ctx.Done():
	case <-c.closed:
	}
	if ctx.Err() != nil {
		c.stop()
		c.work.wait(stopTimeout, c.closed, nil)
	}
}

// take handles one line. It returns a call that is to be made here, or nil.
func (c *conn) take(line []byte, err error) *call {
	if err != nil {
		c.refuse(refuse(id{}, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message may have at most %d MiB", maxLine>>20)), nil)
		return nil
	}
	data := trim(line)
	switch {
	case len(data) == 0:
	case !validJSON(data):
		c.refuse(refuse(id{}, jsonrpc.CodeParseError, "this line is not JSON in UTF-8; a message is one line"), nil)
	case data[0] == '[':
		c.takeBatch(data)
	default:
		if k := c.takeMessage(data, nil); k != nil && c.dispatch(k) {
			return k
		}
	}
	return nil
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
	var calls []*call    // none is made before the last is admitted: an id may not come twice in a batch
	elements(data, func(entry []byte) bool {
		if k := c.takeMessage(entry, b); k != nil {
			calls = append(calls, k)
		}
		return true
	})
	for _, k := range calls {
		if c.dispatch(k) {
			go c.make(k)
		}
	}
	_ = c.settle(b, nil)
}

func (c *conn) takeMessage(data []byte, b *batch) *call {
	m, f := decode(data)
	switch {
	case f != nil:
		c.refuse(f, b)
	case m.isCall():
		return c.takeCall(m, b)
	case m.method == notificationCancelled:
		c.cancel(m.params)
	}
	return nil
}

// takeCall admits a call, or answers it on the spot and returns nil.
func (c *conn) takeCall(m message, b *batch) *call {
	c.mu.Lock()
	_, inFlight := c.byID[m.id.key]
	c.mu.Unlock()
	if inFlight {
		fmt.Fprintf(c.stderr, "lukasa mcp: refused a second request with the id %s while the first is in flight.\n", clip(string(m.id.raw), 64))
		// With the id, the host would take this for the answer to its first request.
		c.refuse(refuse(id{}, jsonrpc.CodeInvalidRequest, "this id is in use by a request in flight"), b)
		return nil
	}
	if b != nil && (m.method == methodInitialize || member(member(m.params, "_meta"), mcp.MetaKeyProtocolVersion) != nil) {
		c.refuse(refuse(m.id, jsonrpc.CodeInvalidRequest, "this request can't be part of a batch"), b)
		return nil
	}
	params, err := c.era.admit(m.method, m.params)
	if err != nil {
		c.refuse(&fault{m.id, err}, b)
		return nil
	}
	if b == nil { // the entries of a batch are in flight until its end
		if result := c.direct.handshake(m.method, c.era.version); result != nil {
			_ = c.send(func(dst []byte) []byte { return appendResult(dst, m.id, result) })
			return nil
		}
	}
	return c.hand(m, params, b)
}

// hand enters a call into the tables under an id of our own.
func (c *conn) hand(m message, params json.RawMessage, b *batch) *call {
	k := &call{id: m.id, method: m.method, batch: b}
	if m.method == methodCallTool {
		k.tool = c.direct.tool(params)
	}
	if k.counts() {
		c.work.begin()
	}
	c.enter(k)
	if k.tool.handler == nil {
		k.request = &jsonrpc.Request{ID: ourID(k.ours), Method: m.method, Params: params}
	}
	return k
}

// dispatch passes a call on to the library, or reports that it is to be made here.
func (c *conn) dispatch(k *call) bool {
	if k.request == nil {
		return true
	}
	c.mu.Lock()
	open := c.calls[k.ours] != nil
	c.mu.Unlock()
	if open { // not cancelled by an entry of its own batch
		c.pass(k.request)
	}
	return false
}

func (c *conn) enter(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	k.ours = c.next
	c.calls[k.ours], c.byID[k.id.key] = k, k
	if k.batch != nil {
		k.batch.open++
	}
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
	if k.tool.handler != nil {
		k.tool.cancel()
	} else {
		c.pass(&jsonrpc.Request{
			Method: notificationCancelled, Params: json.RawMessage(fmt.Sprintf(`{"requestId":%d}`, k.ours)),
		})
	}
	if k.counts() {
		c.work.end()
	}
	if k.batch != nil {
		_ = c.settle(k.batch, nil)
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
	return c.conclude(ours, func(dst []byte, k *call) []byte {
		if m.Error != nil {
			return appendError(dst, k.id, wireError(m.Error))
		}
		return appendResult(dst, k.id, k.result(m.Result))
	})
}

// conclude answers a call in flight. One that was cancelled gets no answer.
func (c *conn) conclude(ours int64, build func(dst []byte, k *call) []byte) error {
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
	select {
	case <-c.ended: // the call outlasted the session
		return nil
	default:
	}
	if k.batch != nil {
		return c.settle(k.batch, build(nil, k))
	}
	return c.send(func(dst []byte) []byte { return build(dst, k) })
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
	if err := json.Unmarshal(member(member(m.Params, "_meta"), mcp.MetaKeySubscriptionID), &ours); err != nil {
		return nil //nolint:nilerr // it names no subscription of ours: there is nobody to tell
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
