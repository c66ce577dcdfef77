package api

import (
	"context"
	"iter"
	"net/http"
)

// KeysService makes and revokes API keys.
type KeysService struct{ c *Client }

// Create makes an API key. Its secret is in the answer and can't be had again. It is never repeated by itself.
func (s *KeysService) Create(ctx context.Context, k CreateKey) (*NewKey, error) {
	if k.Selectors == nil {
		k.Selectors = []string{} // the contract has lists, never null
	}
	return send[NewKey](ctx, s.c, call{method: http.MethodPost, path: "/v1/keys", body: k})
}

// List returns a page of API keys, newest first, revoked ones too.
func (s *KeysService) List(ctx context.Context, opts ListOptions) (*KeyPage, error) {
	return send[KeyPage](ctx, s.c, call{method: http.MethodGet, path: "/v1/keys", query: opts.query()})
}

// All iterates over the API keys, newest first, revoked ones too, and ends with the first error.
func (s *KeysService) All(ctx context.Context, opts ListOptions) iter.Seq2[Key, error] {
	seq := pages(opts, func(o ListOptions) (*KeyPage, error) { return s.List(ctx, o) },
		func(p *KeyPage) string { return p.NextPageToken })
	return items(seq, func(p *KeyPage) []Key { return p.Keys })
}

// Revoke ends an API key at once, and returns it as it is then. Revoking it again changes nothing.
func (s *KeysService) Revoke(ctx context.Context, id string) (*Key, error) {
	path, err := route("keys", id)
	if err != nil {
		return nil, err
	}
	return send[Key](ctx, s.c, call{method: http.MethodDelete, path: path})
}
