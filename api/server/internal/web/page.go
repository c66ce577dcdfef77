package web

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// Page is one page. Its texts are plain text.
type Page struct {
	Title string
	Alert string   // what went wrong; read out at once
	Text  []string // paragraphs
	Form  *Form
	// Other is a second form, less prominent, such as the one that signs out.
	Other *Form
	// Redirect is an address outside of this server that answering the form may lead to.
	Redirect string
}

// Form is sent with POST, along with a token that shows that it came from a page of ours.
type Form struct {
	Action  string
	Token   string
	Hidden  []Field // Name and Value count
	Fields  []Field
	Buttons []Button
}

// Field is a field of a form. All that are shown are required.
type Field struct {
	Name, Label, Value string
	Type               string // of the input element: text, email or password
	Complete           string // the autocomplete attribute, for password managers
	Hint               string
	Focus              bool
	MaxLength          int // characters; 0 is no limit
}

// Button sends its form, with a name and a value when it has them.
type Button struct {
	Label, Name, Value string
	Minor              bool
}

//go:embed page.html
var pageText string

//go:embed style.css
var styleText string

var pageTemplate = sync.OnceValues(func() (*template.Template, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	return t, nil
})

// Write answers with a page.
func Write(w http.ResponseWriter, status int, p Page) error {
	t, err := pageTemplate()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Page
		Style template.CSS
	}{p, template.CSS(styleText)}) //nolint:gosec // it is our own, and the policy has its digest
	if err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	setHeaders(w.Header(), p.Redirect)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a reader that went away is not told anything
	return nil
}

// setHeaders lets a page load nothing, run nothing, be framed by nobody, and send its forms here alone. Browsers hold
// the redirects that answer a form to the same rule, hence redirect.
func setHeaders(h http.Header, redirect string) {
	action := "'self'"
	if redirect != "" {
		action += " " + source(redirect)
	}
	h.Set("Content-Security-Policy", strings.Join([]string{
		"default-src 'none'", "style-src " + styleDigest(), "form-action " + action, "base-uri 'none'", "frame-ancestors 'none'",
	}, "; "))
	h.Set("X-Frame-Options", "DENY")
	// Addresses of pages hold secrets of one use. Our own forms still send their origin.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// source is an address as a policy names it: its origin. A policy can't name the address of an IPv6 host (CSP level 3
// section 2.3.1), so that its scheme has to do.
func source(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return "'self'"
	}
	if u.Host == "" || strings.ContainsAny(u.Host, "[]; ,") {
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

func styleDigest() string {
	sum := sha256.Sum256([]byte(styleText))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
