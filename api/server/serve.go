package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a connection may cost before it is cut off. Reading a body and writing a reply have limits of their own.
const (
	headerTime  = 10 * time.Second
	bodyTime    = 30 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	// shutdownTime is how long requests may take to finish once the server is to end.
	shutdownTime = 10 * time.Second
)

// Serve answers requests on ln until ctx ends. Then it accepts no more, cuts off after 2 s those that haven't arrived
// whole, lets the others finish for up to 10 s, stops the worker, which hands its lease back, and returns nil. Any other end is an error. The server can't serve again
// afterwards; the caller still closes it.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	web := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      writeTime, // calls that take longer set their own
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.coming.watch(web)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ln) }()
	defer s.stopWorker()
	sweeping, stopSweeping := context.WithCancel(ctx)
	var swept sync.WaitGroup
	swept.Go(func() { s.sweep(sweeping) })
	defer swept.Wait()
	defer stopSweeping()
	select {
	case err := <-ended:
		s.stop()
		return fmt.Errorf("serving HTTP: %w", err)
	case <-ctx.Done():
	}
	s.stop()
	defer time.AfterFunc(bodyGrace, s.coming.end).Stop()
	return shutDown(ctx, web)
}

func shutDown(ctx context.Context, web *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err := web.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = web.Close() // what is left is cut off
	}
	if err != nil {
		return fmt.Errorf("ending the HTTP server: %w", err)
	}
	return nil
}
