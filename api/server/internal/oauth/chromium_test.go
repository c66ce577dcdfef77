package oauth_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// chromium is a real browser without JavaScript, worked with the keyboard alone.
type chromium struct {
	*testing.T
	ctx context.Context // chromedp keeps the browser in it
}

func newChromium(t *testing.T) *chromium {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		missing(t, "chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(40*time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	c := &chromium{t, ctx}
	c.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		// Without a window nothing has the focus, as :focus means it, unless it is told so.
		_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	return c
}

func (c *chromium) run(action chromedp.Action[chromedp.Void]) {
	c.Helper()
	if _, err := chromedp.Run(c.ctx, action); err != nil {
		c.Fatal(err)
	}
}

// keys presses keys, wherever the focus is.
func (c *chromium) keys(keys ...string) {
	c.Helper()
	for _, k := range keys {
		c.run(chromedp.KeyEvent(k))
	}
}

func (c *chromium) page() (html string) {
	c.Helper()
	_, err := chromedp.Run(c.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		document, err := cdp.Call(ctx, t, dom.GetDocument, dom.GetDocumentParams{})
		if err != nil {
			return err
		}
		outer, err := cdp.Call(ctx, t, dom.GetOuterHTML, dom.GetOuterHTMLParams{NodeID: document.Root.NodeID})
		html = outer.OuterHTML
		return err
	}))
	if err != nil {
		return err.Error() // between two pages; shows asks again
	}
	return html
}

// shows waits for a page with a text.
func (c *chromium) shows(text string) {
	c.Helper()
	html := ""
	for range 200 {
		if html = c.page(); strings.Contains(html, text) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	c.Fatalf("the browser doesn't show %q but %s", text, html)
}

// has reports whether the page has an element.
func (c *chromium) has(selector string) (found bool) {
	c.Helper()
	_, err := chromedp.Run(c.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		document, err := cdp.Call(ctx, t, dom.GetDocument, dom.GetDocumentParams{})
		if err != nil {
			return err
		}
		node, err := cdp.Call(ctx, t, dom.QuerySelector, dom.QuerySelectorParams{NodeID: document.Root.NodeID, Selector: selector})
		found = node.NodeID != 0
		return err
	}))
	return err == nil && found
}

// focused waits until a field has the focus by itself.
func (c *chromium) focused(name string) {
	c.Helper()
	for range 200 {
		if c.has("#" + name + ":focus") {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	c.Fatalf("%s has not the focus: %s", name, c.page())
}

// press goes to a button with the Tab key, and presses it.
func (c *chromium) press(button string) {
	c.Helper()
	for range 20 {
		if c.keys(kb.Tab); c.has(button + ":focus") {
			c.keys(kb.Enter)
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	c.Fatalf("%s can't be reached: %s", button, c.page())
}

// TestChromium joins, signs in, allows a program and a device, and signs out.
func TestChromium(t *testing.T) {
	c := newChromium(t)
	s := newSite(t)
	made, err := s.server.Setup(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	c.run(chromedp.Navigate(made.Link))
	c.shows("Join this memory")
	c.focused("email")
	c.keys("ana@example.com", kb.Tab, "Ana", kb.Tab, password, kb.Tab, password, kb.Enter)
	c.shows("You are signed in")

	// The policy must let the answer to the form lead to the program.
	address, came := listenForCode(t)
	c.run(chromedp.Navigate(s.url + request("redirect_uri", address)))
	c.shows("Sign in to the lukasa command line?")
	c.press("button[value=allow]")
	c.shows("the program has its answer")
	if query := <-came; query.Get("code") == "" || query.Get("iss") != s.url {
		t.Errorf("the program got %v", query)
	}

	d := s.device()
	c.run(chromedp.Navigate(s.url + oauth.PathVerify))
	c.shows("Sign in a device")
	c.focused("user_code")
	c.keys(strings.ToLower(d.UserCode), kb.Enter)
	c.shows("It must show you the code " + d.UserCode)
	c.press("button[value=allow]")
	c.shows("The device is signed in")
	if a := s.poll(d.DeviceCode); !s.active(a.Access) {
		t.Errorf("the device got %+v", a)
	}

	c.run(chromedp.Navigate(s.url + oauth.PathSignIn))
	c.shows("You are signed in")
	c.press("button")
	c.shows("Password")
	c.focused("email")
	c.keys("ana@example.com", kb.Tab, "wrong", kb.Enter)
	c.shows("The address or the password is not right.")
	c.focused("password") // the address is there still
	c.keys(password, kb.Enter)
	c.shows("You are signed in")
}

// listenForCode is a program that waits for its answer.
func listenForCode(t *testing.T) (address string, came chan url.Values) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	came = make(chan url.Values, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("the program has its answer"))
		came <- r.URL.Query()
	})
	srv := http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + ln.Addr().String() + "/callback", came
}
