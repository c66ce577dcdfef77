package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

// How often something may be tried before it is locked, see [Lifetimes].
const (
	maxSignIns   = 10 // with one address
	maxUserCodes = 20 // by one member; a device takes two
)

const maxEmail = 254 // bytes, see RFC 5321 section 4.5.3.1.3

// FoldEmail returns an e-mail address as members are known by it, or false when it isn't one.
func FoldEmail(s string) (string, bool) {
	s = strings.TrimSpace(norm.NFKC.String(s))
	if len(s) > maxEmail || strings.ContainsAny(s, " \t\r\n<>\"") {
		return "", false
	}
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s {
		return "", false
	}
	return cases.Fold().String(s), true
}

// SignIn answers the page on which people sign in.
func (s *Server) SignIn(w http.ResponseWriter, r *http.Request, issuer string) error {
	b, err := s.open(w, r, issuer)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		next, there := safeNext(r.URL.Query().Get("next"))
		if b.user != nil && !there {
			return b.welcome()
		}
		return b.signInPage(http.StatusOK, "", "", next)
	}
	form, err := b.form()
	if err != nil {
		return b.badForm(err)
	}
	next, _ := safeNext(form.Get("next"))
	user, wait, err := s.recognise(r.Context(), form.Get("email"), form.Get("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		return b.signInPage(http.StatusTooManyRequests, tooMany(w, wait), form.Get("email"), next)
	case user == nil:
		return b.signInPage(http.StatusUnauthorized, "The address or the password is not right.", form.Get("email"), next)
	}
	return b.signedIn(*user, next)
}

// recognise returns the member with a local account of that address and password, nil when there is none.
func (s *Server) recognise(ctx context.Context, address, password string) (*memory.User, time.Duration, error) {
	email, ok := FoldEmail(address)
	if !ok || len(password) > maxPassword {
		return nil, 0, nil
	}
	key := "sign-in of " + email
	wait, err := s.store.Attempt(ctx, key, maxSignIns, s.life.Lockout, s.now())
	if err != nil || wait > 0 {
		return nil, wait, err
	}
	user, err := s.store.UserByEmail(ctx, email)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return nil, 0, err
	}
	right, err := s.password.verify(ctx, password, user.PasswordHash)
	if err != nil || !right {
		return nil, 0, err
	}
	return &user, 0, s.store.Forgive(ctx, key)
}

// tooMany says how long nobody may try.
func tooMany(w http.ResponseWriter, wait time.Duration) string {
	seconds := int((wait + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	return fmt.Sprintf("There were too many tries. Wait %d minutes.", (seconds+59)/60)
}

// signedIn makes a browser that of a member, however they were recognised.
func (b *browser) signedIn(user memory.User, next string) error {
	secret, err := access.GenerateSecret(browserPrefix)
	if err != nil {
		return err
	}
	now := b.now()
	err = b.store.CreateLogin(b.r.Context(), access.Hash(secret), user.ID, now, now.Add(b.life.Browser))
	if err != nil {
		return err
	}
	b.setCookie(cookieLogin, secret, b.life.Browser)
	if next == "" {
		next = PathSignIn
	}
	return b.redirect(b.issuer + next)
}

func (b *browser) signInPage(status int, alert, email, next string) error {
	form := &web.Form{
		Action: PathSignIn, Token: b.token(),
		Fields: []web.Field{
			{Name: "email", Label: "E-mail address", Type: "email", Complete: "username", Value: email, Focus: email == "", MaxLength: maxEmail},
			{Name: "password", Label: "Password", Type: "password", Complete: "current-password", Focus: email != ""},
		},
		Buttons: []web.Button{{Label: "Sign in"}},
	}
	if next != "" {
		form.Hidden = []web.Field{{Name: "next", Value: next}}
	}
	return web.Write(b.w, status, web.Page{Title: "Sign in", Alert: alert, Form: form})
}

// welcome is where somebody ends who signed in without wanting to go anywhere.
func (b *browser) welcome() error {
	return web.Write(b.w, http.StatusOK, web.Page{
		Title: "You are signed in",
		Text: []string{
			"As " + b.user.Email + ", " + b.user.Role + ".",
			"To sign in on a computer, run there: lukasa login --api " + b.issuer,
		},
		Other: b.signOutForm(""),
	})
}

// signOutForm is for those who are signed in as somebody else than they want to be.
func (b *browser) signOutForm(next string) *web.Form {
	form := &web.Form{
		Action: PathSignOut, Token: b.token(), Buttons: []web.Button{{Label: "Sign out", Minor: true}},
	}
	if next != "" {
		form.Hidden = []web.Field{{Name: "next", Value: next}}
		form.Buttons[0].Label = "Use another account"
	}
	return form
}

// SignOut signs a browser out.
func (s *Server) SignOut(w http.ResponseWriter, r *http.Request, issuer string) error {
	b, err := s.open(w, r, issuer)
	if err != nil {
		return err
	}
	form, err := b.form()
	if err != nil {
		return b.badForm(err)
	}
	if login := b.cookie(cookieLogin); login != "" {
		if err := s.store.EndLogin(r.Context(), access.Hash(login)); err != nil {
			return err
		}
	}
	b.setCookie(cookieLogin, "", 0)
	address := issuer + PathSignIn
	if next, ok := safeNext(form.Get("next")); ok {
		address += "?" + url.Values{"next": {next}}.Encode()
	}
	return b.redirect(address)
}
