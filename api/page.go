package api

import (
	"errors"
	"iter"
	"net/url"
	"strconv"
)

// ListOptions chooses a page of a list. The zero value is the first page, of the API's own size.
type ListOptions struct {
	PageSize  int    // 1–200; 0 leaves it to the API
	PageToken string // the NextPageToken of the page before
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	if o.PageSize != 0 {
		q.Set("page_size", strconv.Itoa(o.PageSize))
	}
	if o.PageToken != "" {
		q.Set("page_token", o.PageToken)
	}
	return q
}

// pages iterates over a list page by page, from start on. It ends with the first error.
func pages[P any](start ListOptions, list func(ListOptions) (*P, error), next func(*P) string) iter.Seq2[*P, error] {
	return func(yield func(*P, error) bool) {
		opts := start // an iterator may be used again, and then begins again
		for {
			page, err := list(opts)
			if err != nil {
				yield(nil, err)
				return
			}
			token := next(page)
			if token != "" && token == opts.PageToken {
				yield(nil, errors.New("reading the next page: the API answered with the same page token again"))
				return
			}
			if !yield(page, nil) || token == "" {
				return
			}
			opts.PageToken = token
		}
	}
}

// items iterates over the entries of pages.
func items[P, T any](seq iter.Seq2[*P, error], of func(*P) []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range seq {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range of(page) {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}
