package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// missing skips a test for the lack of a program, or fails it where nothing may be skipped.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("LUKASA_TEST_NO_SKIP") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// authority is an authorization server by others, with what a person types on its pages.
type authority struct {
	url      string // its issuer
	userinfo string
	join     string // where the first administrator joins, on our own server
	typed    map[string]string
}

// startOIDCProvider starts npm's oidc-provider: refresh tokens rotate, and a replay ends the grant. front is the address
// it is reached at when there is a proxy before it; "" when there is none.
func startOIDCProvider(t *testing.T, front string, ttl time.Duration) (a *authority, direct string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("testdata", "oidc", "node_modules", "oidc-provider")); err != nil {
		missing(t, "run `npm install --no-package-lock` in cmd/testdata/oidc first")
	}
	node := filepath.Join("testdata", "clients", "node_modules", ".bin", "node") // newer than most systems' own
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			missing(t, "finding node: %v", err)
		}
	}
	c := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "oidc", "provider.mjs"))
	c.Env = append(os.Environ(), "ISSUER="+front, fmt.Sprintf("ACCESS_TTL=%d", int(ttl.Seconds())))
	var log safeBuffer
	c.Stderr = &log
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		if t.Failed() {
			t.Logf("oidc-provider: %s", log.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var said struct {
		URL string `json:"url"`
	}
	if err != nil || json.Unmarshal(line, &said) != nil {
		t.Fatalf("oidc-provider did not start: %v: %s", err, log.String())
	}
	issuer := said.URL
	if front != "" {
		issuer = front
	}
	return &authority{url: issuer, userinfo: said.URL + "/me", typed: map[string]string{"login": "ada", "password": "any"}}, said.URL
}

// gate is an API whose tokens are those of somebody else's authorization server: it asks that server about each, and
// passes what is good on to a `lukasa serve`.
type gate struct {
	*httptest.Server
	refused atomic.Int64 // answers with 401
	mu      sync.Mutex
	seen    map[string]bool // tokens that came
}

func newGate(t *testing.T, m *machine, a *authority) *gate {
	t.Helper()
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "gate.db")
	backend := m.serve(dsn, m.adminKey(dsn))
	to, err := url.Parse(backend.url)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{seen: map[string]bool{}}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Set("Authorization", "Bearer "+backend.key)
	}}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/oauth-protected-resource" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q]}`, g.URL, a.url)
			return
		}
		if !g.good(r, a) {
			g.refused.Add(1)
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthenticated","detail":"the token is not valid"}`)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gate) good(r *http.Request, a *authority) bool {
	token := r.Header.Get("Authorization")
	g.mu.Lock()
	g.seen[token] = true
	g.mu.Unlock()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, a.userinfo, http.NoBody)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (g *gate) tokens() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.seen)
}

// person follows pages as a browser without JavaScript does, and types what the forms ask for.
type person struct {
	t     *testing.T
	http  *http.Client
	typed map[string]string
}

func newPerson(t *testing.T, typed map[string]string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, http: &http.Client{Jar: jar, Timeout: 20 * time.Second}, typed: typed}
}

var jumps = regexp.MustCompile(`location\.href='([^']*allowed[^']*)'`)

// visit opens an address and goes on until a page asks for nothing more, whose text it returns.
func (p *person) visit(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return "", err
	}
	for range 12 {
		resp, err := p.http.Do(req)
		if err != nil {
			return "", err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return "", err
		}
		form := parseForm(body)
		if jump := jumps.FindSubmatch(body); form == nil && jump != nil {
			form = &pageForm{action: string(jump[1]), method: http.MethodGet}
		}
		if form == nil {
			if resp.StatusCode >= 400 {
				return "", fmt.Errorf("%s answered %s: %s", resp.Request.URL, resp.Status, body)
			}
			return string(body), nil
		}
		if req, err = p.submit(ctx, resp.Request.URL, form); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("the pages of %s never end", address)
}

func (p *person) submit(ctx context.Context, at *url.URL, f *pageForm) (*http.Request, error) {
	for name := range f.values {
		if text, ok := p.typed[name]; ok {
			f.values.Set(name, text)
		}
	}
	to, err := at.Parse(f.action)
	if err != nil {
		return nil, err
	}
	if f.method != http.MethodPost {
		return http.NewRequestWithContext(ctx, http.MethodGet, to.String(), http.NoBody)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), strings.NewReader(f.values.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", to.Scheme+"://"+to.Host)
		req.Header.Set("Referer", at.String())
	}
	return req, err
}

type pageForm struct {
	action, method string
	values         url.Values
}

// parseForm returns the first form of a page with its fields, or nil.
func parseForm(page []byte) *pageForm {
	var f *pageForm
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return f
		}
		token := z.Token()
		if kind == html.EndTagToken && token.Data == "form" && f != nil {
			return f
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		attr := map[string]string{}
		for _, a := range token.Attr {
			attr[a.Key] = a.Val
		}
		switch {
		case attr["class"] == "other" && f == nil:
			return nil // another thing that one could do as well, such as signing out
		case token.Data == "form" && f == nil:
			f = &pageForm{attr["action"], strings.ToUpper(attr["method"]), url.Values{}}
		case (token.Data == "input" || token.Data == "button") && f != nil && attr["name"] != "" && !f.values.Has(attr["name"]):
			f.values.Set(attr["name"], attr["value"])
		}
	}
}

// watched is a `lukasa login` that runs, whose standard error tells a person what to do.
type watched struct {
	c              *exec.Cmd
	stdout, stderr safeBuffer
	done           chan error
}

func (m *machine) start(args ...string) *watched {
	m.t.Helper()
	w := &watched{c: m.command(args...), done: make(chan error, 1)}
	w.c.Stdout, w.c.Stderr = &w.stdout, &w.stderr
	if err := w.c.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() { w.done <- w.c.Wait() }()
	return w
}

// says waits until standard error matches, and returns the first group.
func (w *watched) says(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := re.FindStringSubmatch(w.stderr.String()); found != nil {
			return found[1]
		}
		select {
		case err := <-w.done:
			t.Fatalf("it ended before it said %s: %v: %s%s", pattern, err, w.stdout.String(), w.stderr.String())
		default:
		}
	}
	t.Fatalf("it never said %s: %s", pattern, w.stderr.String())
	return ""
}

func (w *watched) succeeds(t *testing.T) {
	t.Helper()
	select {
	case err := <-w.done:
		if err != nil {
			t.Fatalf("lukasa %v: %v\n%s%s", w.c.Args[1:], err, w.stdout.String(), w.stderr.String())
		}
	case <-time.After(60 * time.Second):
		t.Fatalf("lukasa %v does not end: %s", w.c.Args[1:], w.stderr.String())
	}
}

// withBrowser is the environment of a desktop whose browser opens, and shows nothing: the test follows the address that
// is printed.
func withBrowser(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"DISPLAY=:0", "SSH_CONNECTION=", "SSH_TTY=", "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// loginInBrowser signs in with the authorization code grant.
func (m *machine) loginInBrowser(a *authority, endpoint string, args ...string) *watched {
	m.t.Helper()
	w := m.start(append([]string{"login", "--api", endpoint}, args...)...)
	address := w.says(m.t, `(?m)^  (http\S+)$`)
	page, err := newPerson(m.t, a.typed).visit(m.t.Context(), address)
	if err != nil {
		m.t.Fatalf("signing in on the pages: %v\n%s", err, w.stderr.String())
	}
	if !strings.Contains(page, "You are signed in") {
		m.t.Errorf("the browser ended at %s", page)
	}
	w.succeeds(m.t)
	return w
}

// loginOnDevice signs in with the device grant.
func (m *machine) loginOnDevice(a *authority, endpoint string, args ...string) *watched {
	m.t.Helper()
	w := m.start(append([]string{"login", "--device", "--api", endpoint}, args...)...)
	code := w.says(m.t, `type the code (\S+) there`)
	address := w.says(m.t, `(?m)^  (http\S+)$`)
	typed := map[string]string{"user_code": code}
	for name, text := range a.typed {
		typed[name] = text
	}
	if _, err := newPerson(m.t, typed).visit(m.t.Context(), address); err != nil {
		m.t.Fatalf("signing in on the pages: %v\n%s", err, w.stderr.String())
	}
	w.succeeds(m.t)
	return w
}
