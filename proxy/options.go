package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// API is what the proxy needs of a memory API. [Client] adapts an *[api.Client] to it.
type API interface {
	// Check is the start-up check: one request that tells whether the credential reaches the workspace.
	Check(ctx context.Context, workspace string) error
	// CreateWorkspace makes a workspace.
	CreateWorkspace(ctx context.Context, name string) error
	// Recall returns the API's own bytes, the document of an [api.Recall].
	Recall(ctx context.Context, workspace string, request api.RecallRequest) (json.RawMessage, error)
	// Submit sends a conversation, and returns once the API has accepted it.
	Submit(ctx context.Context, workspace string, body api.SubmitFormation) (*api.Formation, error)
	// Formation returns how far a formation has come.
	Formation(ctx context.Context, workspace, handle string) (*api.Formation, error)
}

// Options says what a server is pinned to, and through which streams it speaks.
type Options struct {
	// Workspace is the pinned workspace. Nothing that a tool receives can change it.
	Workspace string
	// API is the memory API that the tools forward to.
	API API
	// Endpoint names the API in messages: its base URL, or "local".
	Endpoint string
	// Create makes the workspace at start when it is absent and the credential may.
	Create bool
	// MaxReply bounds a reply's text block, in bytes; 0 chooses by host. Values over [MaxReply] mean that.
	MaxReply int
	// Version is the server's own version, told to the host.
	Version string
	// Logger gets one line at start (info), and errors. It must never block: let it write to a [Stderr]. nil discards.
	Logger *slog.Logger
	// Stdin and Stdout carry the protocol. Nothing but protocol frames is written to Stdout.
	Stdin  io.Reader
	Stdout io.Writer
	// Stderr gets what a person should read. It is wrapped in a [Stderr] unless it is one; nil discards.
	Stderr io.Writer
	// StartupTimeout bounds the start-up check with its retries; 0 means 5 s, for hosts give up on a server after 10 s.
	StartupTimeout time.Duration
	// CallTimeout bounds one request to the API with its retries; 0 means 30 s.
	CallTimeout time.Duration
	// DrainTimeout bounds how long calls may go on after the end of the input; 0 means 30 s.
	DrainTimeout time.Duration
}

const (
	defaultStartupTimeout = 5 * time.Second
	defaultCallTimeout    = 30 * time.Second
	defaultDrainTimeout   = 30 * time.Second
	// stopTimeout bounds how long calls may go on after ctx ended: a host that sends SIGTERM kills soon afterwards.
	stopTimeout = 1200 * time.Millisecond
)

// ErrHostGone is returned by [Run] when the host closed standard output: there is nobody left to tell.
var ErrHostGone = errors.New("the host closed standard output")

func (o Options) withDefaults() Options {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.StartupTimeout <= 0 {
		o.StartupTimeout = defaultStartupTimeout
	}
	if o.CallTimeout <= 0 {
		o.CallTimeout = defaultCallTimeout
	}
	if o.DrainTimeout <= 0 {
		o.DrainTimeout = defaultDrainTimeout
	}
	return o
}
