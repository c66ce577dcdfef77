package webtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Browser is one person's browser.
type Browser struct {
	tb     testing.TB
	client *http.Client
}

// New returns a browser without cookies. It follows redirects to the server that a request went to, and to no other.
func New(tb testing.TB, transport http.RoundTripper) *Browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return &Browser{tb: tb, client: &http.Client{
		Transport: transport, Jar: jar,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != via[0].URL.Host || len(via) > 5 {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}}
}

// Cookies returns the cookies that it sends to an address.
func (b *Browser) Cookies(u *url.URL) []*http.Cookie { return b.client.Jar.Cookies(u) }

// Page is what a browser shows.
type Page struct {
	Status int
	URL    *url.URL // where it is, after redirects
	Header http.Header
	Text   string // all of it
	Forms  []Form
}

// Form is a form of a page.
type Form struct {
	Action  string
	Values  url.Values        // what is filled in
	Buttons map[string]string // label: name=value, "" when it has none
}

// Get opens an address.
func (b *Browser) Get(address string) Page {
	b.tb.Helper()
	r, err := http.NewRequestWithContext(b.tb.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.tb.Fatal(err)
	}
	return b.do(r)
}

// Submit fills in the form that has a button, and presses it.
func (b *Browser) Submit(p Page, button string, fill url.Values) Page {
	b.tb.Helper()
	form, ok := p.Form(button)
	if !ok {
		b.tb.Fatalf("no form of the page has a button %q: %s", button, p.Text)
	}
	values := url.Values{}
	for name, v := range form.Values {
		values[name] = v
	}
	for name, v := range fill {
		values[name] = v
	}
	if name, value, ok := strings.Cut(form.Buttons[button], "="); ok {
		values.Set(name, value)
	}
	action, err := p.URL.Parse(form.Action)
	if err != nil {
		b.tb.Fatal(err)
	}
	return b.Post(action.String(), values)
}

// Post sends a form as a page of the same server does.
func (b *Browser) Post(address string, values url.Values) Page {
	b.tb.Helper()
	r, err := http.NewRequestWithContext(b.tb.Context(), http.MethodPost, address, strings.NewReader(values.Encode()))
	if err != nil {
		b.tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// Form returns the form that has a button.
func (p Page) Form(button string) (Form, bool) {
	for _, f := range p.Forms {
		if _, ok := f.Buttons[button]; ok {
			return f, true
		}
	}
	return Form{}, false
}

// Location is where the page sends the browser, as a URL; nil when it doesn't.
func (p Page) Location() *url.URL {
	if p.Header.Get("Location") == "" {
		return nil
	}
	u, err := p.URL.Parse(p.Header.Get("Location"))
	if err != nil {
		return nil
	}
	return u
}

func (b *Browser) do(r *http.Request) Page {
	b.tb.Helper()
	resp, err := b.client.Do(r)
	if err != nil {
		b.tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.tb.Fatal(err)
	}
	forms, err := parseForms(body)
	if err != nil {
		b.tb.Fatal(err)
	}
	return Page{
		Status: resp.StatusCode, URL: resp.Request.URL, Header: resp.Header, Text: string(body), Forms: forms,
	}
}

func parseForms(page []byte) (forms []Form, err error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("parsing the page: %w", err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "form" {
			forms = append(forms, parseForm(n))
		}
	}
	return forms, nil
}

func parseForm(form *html.Node) Form {
	f := Form{Action: attribute(form, "action"), Values: url.Values{}, Buttons: make(map[string]string)}
	for n := range form.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "input":
			f.Values.Set(attribute(n, "name"), attribute(n, "value"))
		case n.Data == "button":
			f.Buttons[text(n)] = ""
			if name := attribute(n, "name"); name != "" {
				f.Buttons[text(n)] = name + "=" + attribute(n, "value")
			}
		}
	}
	return f
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}
