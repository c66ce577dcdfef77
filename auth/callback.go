package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"time"
)

const (
	callbackPath = "/callback"
	// pageLimit is how long the browser's last page waits for the tokens, so that it can say whether all went well.
	pageLimit = 20 * time.Second
)

// answer is what the browser brought back.
type answer struct {
	code string
	err  error
}

// callback listens on the loopback interface for the browser to come back (RFC 8252, section 7.3).
type callback struct {
	address string
	answers chan answer // at most one
	done    chan error  // the outcome, for the page
	server  *http.Server
	state   string
	meta    *serverMetadata
}

// listen starts a listener for the one answer that carries state.
func listen(ctx context.Context, state string, meta *serverMetadata) (*callback, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the browser: %w", err)
	}
	c := &callback{
		address: "http://" + l.Addr().String() + callbackPath,
		answers: make(chan answer, 1), done: make(chan error, 1), state: state, meta: meta,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, c.handle)
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = c.server.Serve(l) }()
	return c, nil
}

// handle takes the answer. One with another state was not asked for by this login, and changes nothing: any page in the
// browser could send it.
func (c *callback) handle(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(c.state)) != 1 {
		page(w, http.StatusBadRequest, "This does not belong to the sign-in that is under way.", "Go back to the page that lukasa opened.")
		return
	}
	got := answer{code: q.Get("code"), err: c.refusal(q.Get)}
	select {
	case c.answers <- got:
	default:
		page(w, http.StatusConflict, "This sign-in was answered already.", "You can close this page.")
		return
	}
	err := got.err
	if err == nil {
		select {
		case err = <-c.done:
		case <-time.After(pageLimit):
			err = errors.New("it takes long; the terminal shows how it ends")
		case <-r.Context().Done():
			return
		}
	}
	if err != nil {
		page(w, http.StatusBadRequest, "You are not signed in.", err.Error())
		return
	}
	page(w, http.StatusOK, "You are signed in.", "You can close this page and go back to the terminal.")
}

// refusal is why an answer is no good. An answer of another issuer than the one that was asked is that of an attacker
// who mixes them up (RFC 9207, section 2.4).
func (c *callback) refusal(get func(string) string) error {
	iss := get("iss")
	switch {
	case iss != "" && iss != c.meta.Issuer, iss == "" && c.meta.SendsIssuer:
		return fmt.Errorf("the browser brought an answer of another issuer, %q in place of %q", printable(iss, 200), c.meta.Issuer)
	case get("error") == "access_denied":
		return errors.New("signing in was refused on the page")
	case get("error") != "":
		return &grantError{code: printable(get("error"), 60), description: printable(get("error_description"), 300)}
	case get("code") == "":
		return errors.New("the browser brought no code")
	}
	return nil
}

// finish tells the page in the browser how it ended.
func (c *callback) finish(err error) {
	select {
	case c.done <- err:
	default:
	}
}

// close stops listening, after the page that is being sent.
func (c *callback) close() {
	c.finish(errors.New("signing in was given up"))
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

// page writes a page that loads nothing and leaks nothing: its address holds the code.
func page(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\"><title>lukasa</title><h1>%s</h1><p>%s</p></html>\n",
		template.HTMLEscapeString(title), template.HTMLEscapeString(text))
}
