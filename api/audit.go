package api

import (
	"context"
	"iter"
	"net/http"
)

// AuditService reads the audit log: every change of access and every erasure.
type AuditService struct{ c *Client }

// List returns a page of the audit log, newest first.
func (s *AuditService) List(ctx context.Context, opts ListOptions) (*AuditPage, error) {
	return send[AuditPage](ctx, s.c, call{method: http.MethodGet, path: "/v1/audit", query: opts.query()})
}

// All iterates over the audit log, newest first, and ends with the first error.
func (s *AuditService) All(ctx context.Context, opts ListOptions) iter.Seq2[AuditEntry, error] {
	seq := pages(opts, func(o ListOptions) (*AuditPage, error) { return s.List(ctx, o) },
		func(p *AuditPage) string { return p.NextPageToken })
	return items(seq, func(p *AuditPage) []AuditEntry { return p.Entries })
}
