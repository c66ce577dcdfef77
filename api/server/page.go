package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// The sizes of pages, in entries.
const (
	defaultPage = 50
	maxPage     = 200
)

// tokenSum is how many bytes of a digest a page token carries.
const tokenSum = 9

// pager reads and makes the page tokens of one list: of one workspace's passages, say, under one filter. A token is
// bound to its list, so that one that strayed is refused rather than answered with a wrong page.
type pager struct{ list string }

// newPager names a list by all that decides what is in it.
func newPager(parts ...string) pager {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Quote(p))
	}
	return pager{b.String()}
}

// page reads page_size and page_token.
func (p pager) page(query url.Values) (memory.Page, error) {
	page := memory.Page{Size: defaultPage}
	if query.Has("page_size") {
		n, err := strconv.Atoi(query.Get("page_size"))
		if err != nil || n < 1 || n > maxPage {
			return page, badParameter("page_size", "must be a whole number from 1 to "+strconv.Itoa(maxPage))
		}
		page.Size = n
	}
	if query.Has("page_token") {
		cursor, ok := p.cursor(query.Get("page_token"))
		if !ok {
			return page, badToken()
		}
		page.After = cursor
	}
	return page, nil
}

// token wraps a store's cursor; "" stays "".
func (p pager) token(cursor string) string {
	if cursor == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(p.sum(cursor), cursor...))
}

func (p pager) cursor(token string) (string, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) <= tokenSum {
		return "", false
	}
	cursor := string(raw[tokenSum:])
	return cursor, subtle.ConstantTimeCompare(raw[:tokenSum], p.sum(cursor)) == 1
}

// sum tells a token of this list from any other string. It is no secret: a cursor says nothing, and reaches nothing,
// that the list itself wouldn't.
func (p pager) sum(cursor string) []byte {
	sum := sha256.Sum256([]byte("lukasa page 1\n" + p.list + "\n" + cursor))
	return sum[:tokenSum]
}

func badToken() *api.Error {
	return badParameter("page_token", "is not a token of this list: begin again without one")
}

func badParameter(name, message string) *api.Error {
	e := newError(api.CodeInvalidRequest, "%s %s", name, message)
	e.Errors = []api.FieldError{{Field: name, Message: message}}
	return e
}
