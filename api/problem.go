package api

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"
)

// maxDetail is how many characters of an error text are kept when it is not the contract's own.
const maxDetail = 300

// decodeProblem makes an [Error] of any answer that is not a success. What stands between client and server answers
// with pages of its own; those get the code that goes with the status.
func decodeProblem(status int, header http.Header, body []byte, redact func(string) string) *Error {
	e := new(Error)
	if err := json.Unmarshal(body, e); err != nil {
		*e = Error{}
	}
	e.Status = status
	e.RetryAfter, _ = retryAfter(header)
	if e.Code == "" {
		e.Code = codeOf(status)
		e.Detail = foreignDetail(status, header.Get("Content-Type"), body, e.Detail)
	}
	if e.Type == "" {
		e.Type = "about:blank"
	}
	if e.Title == "" {
		e.Title = http.StatusText(status)
	}
	if e.RequestID == "" {
		e.RequestID = header.Get("X-Request-Id")
	}
	for _, text := range []*string{&e.Title, &e.Detail, &e.Hint, &e.RequestID} {
		*text = redact(*text)
	}
	for i := range e.Errors {
		e.Errors[i].Message = redact(e.Errors[i].Message)
	}
	return e
}

// codeOf returns the code for a status that came without one.
func codeOf(status int) Code {
	for _, c := range Codes() {
		if c.Status() == status && c != CodeInvalidTurns {
			if status == http.StatusUnprocessableEntity {
				return CodeInvalidRequest
			}
			return c
		}
	}
	switch {
	case retryStatus(status):
		return CodeUnavailable
	case status/100 == 4:
		return CodeInvalidRequest
	}
	return CodeInternal
}

// foreignDetail makes one short sentence of an error that is not the contract's.
func foreignDetail(status int, contentType string, body []byte, detail string) string {
	said := strings.TrimSpace(fmt.Sprintf("the server answered %d %s", status, http.StatusText(status)))
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case detail != "":
	case strings.HasSuffix(media, "json"):
		detail = foreignMessage(body)
	case media == "text/plain":
		detail = string(body)
	case strings.Contains(media, "html"):
		said += " with a web page"
		detail = pageTitle(string(body))
	}
	if detail = oneLine(detail); detail == "" {
		return said
	}
	return said + ": " + detail
}

// foreignMessage finds the text in the JSON errors of others.
func foreignMessage(body []byte) string {
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	for _, name := range []string{"message", "error_description", "error"} {
		switch v := fields[name].(type) {
		case string:
			return v
		case map[string]any:
			if text, ok := v["message"].(string); ok {
				return text
			}
		}
	}
	return ""
}

// pageTitle returns what stands between the title tags of a web page.
func pageTitle(page string) string {
	lower := strings.ToLower(page)
	if len(lower) != len(page) { // folding changed the lengths: the positions don't hold
		return ""
	}
	start := strings.Index(lower, "<title")
	if start < 0 {
		return ""
	}
	open := strings.IndexByte(lower[start:], '>')
	end := strings.Index(lower[start:], "</title")
	if open < 0 || end < open {
		return ""
	}
	return page[start+open+1 : start+end]
}

// oneLine collapses white space, drops control characters (the text is another server's, and may end on a terminal)
// and cuts what is longer than maxDetail.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > maxDetail {
		text = string(runes[:maxDetail]) + "…"
	}
	return text
}
