package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
)

// Export iterates over everything that a workspace holds, without keeping it in memory, and ends with the first error.
// An export that broke off in the middle ends with an error too.
func (s *MemoryService) Export(ctx context.Context, workspace string) iter.Seq2[ExportRecord, error] {
	return func(yield func(ExportRecord, error) bool) {
		body, err := s.export(ctx, workspace)
		if err != nil {
			yield(ExportRecord{}, err)
			return
		}
		defer body.Close()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, int(min(s.c.bodyLimit, 1<<30)))
		for lines.Scan() {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var record ExportRecord
			if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
				yield(ExportRecord{}, s.c.decodingError(err))
				return
			}
			if !yield(record, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(ExportRecord{}, fmt.Errorf("reading the export: %w", err))
		}
	}
}

// ExportTo writes everything that a workspace holds to w, as the API's own JSON Lines. An export that broke off in the
// middle is an error; what was written until then is of no use.
func (s *MemoryService) ExportTo(ctx context.Context, workspace string, w io.Writer) error {
	body, err := s.export(ctx, workspace)
	if err != nil {
		return err
	}
	defer body.Close()
	if _, err := io.Copy(w, body); err != nil {
		if _, ok := errors.AsType[*ConnectionError](err); ok {
			return fmt.Errorf("reading the export: %w", err)
		}
		return fmt.Errorf("writing the export: %w", err)
	}
	return nil
}

func (s *MemoryService) export(ctx context.Context, workspace string) (io.ReadCloser, error) {
	path, err := route("workspaces", workspace, "export")
	if err != nil {
		return nil, err
	}
	x := &exchange{call: call{method: http.MethodGet, path: path, stream: true}, c: s.c}
	if err := x.do(ctx); err != nil {
		return nil, err
	}
	return &streamBody{ReadCloser: x.open, failure: func(err error) error { return x.failure(ctx, err) }}, nil
}

// streamBody turns what breaks a stream into a [ConnectionError], so that it can be told from errors of the writer.
type streamBody struct {
	io.ReadCloser
	failure func(error) error
}

func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a reader's end is the bare io.EOF
		err = b.failure(err)
	}
	return n, err
}
