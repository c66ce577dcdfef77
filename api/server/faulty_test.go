package server

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// faulty is a store that fails where a test wants it to.
type faulty struct {
	memory.Store
	workspace  func() error
	exportStop atomic.Int64 // records after which an export fails
	exportErr  error        // nil: it doesn't
	ping       error
}

func (f *faulty) Workspace(ctx context.Context, name string) (api.Workspace, error) {
	if f.workspace != nil {
		if err := f.workspace(); err != nil {
			return api.Workspace{}, err
		}
	}
	return f.Store.Workspace(ctx, name)
}

func (f *faulty) Ping(ctx context.Context) error {
	if f.ping != nil {
		return f.ping
	}
	return f.Store.Ping(ctx)
}

func (f *faulty) Export(ctx context.Context, workspace string, yield func(api.ExportRecord) error) error {
	if f.exportErr == nil {
		return f.Store.Export(ctx, workspace, yield)
	}
	for range f.exportStop.Load() {
		if err := yield(api.ExportRecord{Type: "workspace", Data: []byte(`{"name":"demo"}`)}); err != nil {
			return err
		}
	}
	return f.exportErr
}

// openFaulty opens a server whose store fails as the test says.
func openFaulty(tb testing.TB, f *faulty) (*Server, *logBuffer) {
	tb.Helper()
	store, err := openStore(tb.Context(), filepath.Join(tb.TempDir(), "memory.db"), false)
	if err != nil {
		tb.Fatal(err)
	}
	f.Store = store
	log := &logBuffer{}
	s, err := newServer(tb.Context(), f, newFormer(f), Options{Logger: slog.New(slog.NewJSONHandler(log, nil)), NoWorker: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("closing the server: %v", err)
		}
	})
	return s, log
}
