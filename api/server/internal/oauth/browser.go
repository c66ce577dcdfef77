package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

// browser is a request that somebody's browser makes.
type browser struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	issuer string
	key    string       // what the browser is known by before anybody signs in
	user   *memory.User // nil unless they are signed in
}

// The cookies. Over https they have the prefix that binds them to this host alone (RFC 6265bis section 4.1.3.2). Over
// plain http, which is for the loopback interface only, browsers don't all take that prefix: there the name is plain,
// and the path keeps the cookie from most others who listen on the same host.
const (
	cookieBrowser = "lukasa_browser"
	cookieLogin   = "lukasa_login"
)

func (b *browser) secure() bool { return strings.HasPrefix(b.issuer, "https://") }

func (b *browser) cookieName(name string) string {
	if b.secure() {
		return "__Host-" + name
	}
	return name
}

func (b *browser) cookie(name string) string {
	c, err := b.r.Cookie(b.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie for as long as it says; 0 deletes it.
func (b *browser) setCookie(name, value string, life time.Duration) {
	c := &http.Cookie{ //nolint:gosec // insecure over plain http alone, see above
		Name: b.cookieName(name), Value: value, Path: "/", MaxAge: int(life / time.Second), Secure: b.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
	if !b.secure() {
		c.Path = "/oauth"
	}
	if life <= 0 {
		c.MaxAge = -1
	}
	http.SetCookie(b.w, c)
}

// open looks at who is there, and gives a browser that is new a key.
func (s *Server) open(w http.ResponseWriter, r *http.Request, issuer string) (*browser, error) {
	b := &browser{Server: s, w: w, r: r, issuer: issuer}
	if key := b.cookie(cookieBrowser); access.WellFormed(browserPrefix, key) {
		b.key = key
	} else {
		fresh, err := access.GenerateSecret(browserPrefix)
		if err != nil {
			return nil, err
		}
		b.key = fresh
		b.setCookie(cookieBrowser, fresh, s.life.Browser)
	}
	login := b.cookie(cookieLogin)
	if !access.WellFormed(browserPrefix, login) {
		return b, nil
	}
	user, err := s.store.LoginUser(r.Context(), access.Hash(login), s.now())
	if errors.Is(err, memory.ErrNotFound) {
		return b, nil
	}
	b.user = &user
	return b, err
}

// token is what shows that a form came from a page of ours that this browser was given. Signing in or out makes the
// forms before it stale.
func (b *browser) token() string {
	mac := hmac.New(sha256.New, []byte(b.key))
	_, _ = mac.Write([]byte("form of " + b.cookie(cookieLogin)))
	return hex.EncodeToString(mac.Sum(nil))
}

// errForged is of a form that didn't come from a page of ours.
var errForged = errors.New("the form is not one of ours")

// form reads the form that a page of ours sent.
func (b *browser) form() (url.Values, error) {
	var guard http.CrossOriginProtection
	if err := guard.AddTrustedOrigin(b.issuer); err != nil {
		return nil, err
	}
	if guard.Check(b.r) != nil {
		return nil, errForged
	}
	form, err := readForm(b.r)
	if err != nil {
		return nil, err
	}
	if !hmac.Equal([]byte(form.Get("form_token")), []byte(b.token())) {
		return nil, errForged
	}
	return form, nil
}

// badForm answers a form that couldn't be taken.
func (b *browser) badForm(err error) error {
	var f *failure
	switch {
	case errors.Is(err, errForged):
		return web.Write(b.w, http.StatusForbidden, web.Page{
			Title: "This form is no longer good",
			Text:  []string{"It may be too old, or your browser keeps no cookies. Go back, reload the page and try again."},
		})
	case errors.As(err, &f):
		return b.trouble(http.StatusBadRequest, "This request can’t be understood", f.Description+".")
	}
	return err
}

func (b *browser) trouble(status int, title, text string) error {
	return web.Write(b.w, status, web.Page{Title: title, Text: []string{text}})
}

func (b *browser) redirect(address string) error {
	b.w.Header().Set("Location", address)
	b.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// signIn sends whoever isn't signed in to the page where they do that, and back afterwards.
func (b *browser) signIn() error {
	next := b.r.URL.Path
	if b.r.URL.RawQuery != "" {
		next += "?" + b.r.URL.RawQuery
	}
	return b.redirect(b.issuer + PathSignIn + "?" + url.Values{"next": {next}}.Encode())
}

// safeNext lets nobody be sent anywhere but to our own pages.
func safeNext(next string) (string, bool) {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || u.Fragment != "" {
		return "", false
	}
	if u.Path != PathAuthorize && u.Path != PathVerify {
		return "", false
	}
	address := url.URL{Path: u.Path, RawQuery: u.RawQuery}
	return address.String(), true
}
