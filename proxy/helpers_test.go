package proxy

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// wire is an error as the library puts it on the wire.
type wire = jsonrpc.Error

// writerFunc is a writer made of a function.
type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
