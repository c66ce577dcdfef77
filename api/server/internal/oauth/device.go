package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

// userDigits are the letters of user codes: no vowels, so that no words come out, and nothing that looks like something
// else (RFC 8628 section 6.1). Eight of them are more than 34 bits.
const (
	userDigits   = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeSize = 8
)

// deviceReply is RFC 8628 section 3.2.
type deviceReply struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	URI        string `json:"verification_uri"`
	Complete   string `json:"verification_uri_complete"`
	ExpiresIn  int    `json:"expires_in"` // seconds
	Interval   int    `json:"interval"`   // seconds
}

// Device answers the device authorization endpoint (RFC 8628 section 3.1).
func (s *Server) Device(w http.ResponseWriter, r *http.Request, issuer string) error {
	form, err := readForm(r)
	if err != nil {
		return answer(w, nil, err)
	}
	reply, err := s.startDevice(r, form, issuer)
	return answer(w, reply, err)
}

func (s *Server) startDevice(r *http.Request, form url.Values, issuer string) (reply deviceReply, err error) {
	client, err := s.public(r, form)
	if err != nil {
		return reply, err
	}
	if err := checkScope(form.Get("scope")); err != nil {
		return reply, err
	}
	if err := checkResource(form, issuer); err != nil {
		return reply, err
	}
	secret, err := access.GenerateSecret(DevicePrefix)
	if err != nil {
		return reply, err
	}
	now := s.now()
	for {
		code, err := newUserCode()
		if err != nil {
			return reply, err
		}
		err = s.store.CreateDevice(r.Context(), memory.Device{
			Hash: access.Hash(secret), UserCode: hashUserCode(code), Client: client.ID, CreatedAt: now,
			ExpiresAt: now.Add(s.life.Device), Interval: s.life.Poll,
		})
		if errors.Is(err, memory.ErrExists) {
			continue // one in billions
		}
		return deviceReply{
			DeviceCode: secret, UserCode: code, URI: issuer + PathVerify,
			Complete:  issuer + PathVerify + "?" + url.Values{"user_code": {code}}.Encode(),
			ExpiresIn: int(s.life.Device / time.Second), Interval: max(int(s.life.Poll/time.Second), 1),
		}, err
	}
}

func newUserCode() (string, error) {
	var b strings.Builder
	for i := range userCodeSize {
		if i == userCodeSize/2 {
			b.WriteByte('-')
		}
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(userDigits))))
		if err != nil {
			return "", fmt.Errorf("making a user code: %w", err)
		}
		b.WriteByte(userDigits[n.Int64()])
	}
	return b.String(), nil
}

// hashUserCode takes a code as people type it: in small letters, without the dash, with blanks.
func hashUserCode(code string) [32]byte {
	letters := strings.Map(func(r rune) rune {
		if strings.ContainsRune(userDigits, r) {
			return r
		}
		return -1
	}, strings.ToUpper(code))
	return sha256.Sum256([]byte(letters))
}

// Verify answers the page on which people enter the code that a device shows them (RFC 8628 section 3.3).
func (s *Server) Verify(w http.ResponseWriter, r *http.Request, issuer string) error {
	b, err := s.open(w, r, issuer)
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		if b.user == nil {
			return b.signIn()
		}
		return b.codePage(http.StatusOK, "", r.URL.Query().Get("user_code"))
	}
	form, err := b.form()
	switch {
	case err != nil:
		return b.badForm(err)
	case b.user == nil:
		return b.signIn()
	}
	return b.verify(form.Get("user_code"), form.Get("decision"))
}

// verify takes a code, and the decision once the person has seen which program it is of. Every code is a try, and a right
// one forgives nothing: whoever guesses can start a device of their own, and enter its code between the guesses.
func (b *browser) verify(code, decision string) error {
	ctx, now, key := b.r.Context(), b.now(), "user codes of "+b.user.ID
	wait, err := b.store.Attempt(memory.WithActor(ctx, b.actor()), key, maxUserCodes, b.life.Lockout, now)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return b.codePage(http.StatusTooManyRequests, tooMany(b.w, wait), "")
	}
	var name string
	if decision == "" {
		name, err = b.store.DeviceClient(ctx, hashUserCode(code), now)
	} else {
		err = b.store.DecideDevice(ctx, hashUserCode(code), b.user.ID, decision == "allow", now)
	}
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return b.codePage(http.StatusBadRequest, "No device waits with that code. Check it, or start again on the device.", code)
	case err != nil:
		return err
	}
	if decision == "" {
		return b.devicePage(name, code)
	}
	title, text := "The device is signed in", "You can close this page and go back to it."
	if decision != "allow" {
		title, text = "The device was denied", "It is not signed in. You can close this page."
	}
	return b.trouble(http.StatusOK, title, text)
}

func (b *browser) actor() memory.Actor {
	return memory.Actor{
		Kind: "user", ID: b.user.ID, Name: b.user.Email, RequestID: memory.ActorOf(b.r.Context()).RequestID,
	}
}

const maxShownCode = 32

func (b *browser) codePage(status int, alert, code string) error {
	if len(code) > maxShownCode {
		code = ""
	}
	return web.Write(b.w, status, web.Page{
		Title: "Sign in a device", Alert: alert,
		Text: []string{"Enter the code that the device shows you. It must be one that you have just started to sign in yourself."},
		Form: &web.Form{
			Action: PathVerify, Token: b.token(),
			Fields: []web.Field{{
				Name: "user_code", Label: "Code", Type: "text", Complete: "off", Value: code, Focus: true, MaxLength: maxShownCode,
				Hint: "Eight letters, such as BCDF-GHJK.",
			}},
			Buttons: []web.Button{{Label: "Continue"}},
		},
		Other: b.signOutForm(PathVerify),
	})
}

func (b *browser) devicePage(client, code string) error {
	if c, ok := b.client(client); ok {
		client = c.Name
	}
	return web.Write(b.w, http.StatusOK, web.Page{
		Title: "Sign in to " + client + "?",
		Text: []string{
			"A device asks to use this memory as " + b.user.Email + ". It must show you the code " + strings.ToUpper(code) + ".",
			"Somebody who sent you that code would be signed in as you. Deny unless you have just started this yourself.",
		},
		Form: &web.Form{
			Action: PathVerify, Token: b.token(), Hidden: []web.Field{{Name: "user_code", Value: code}},
			Buttons: []web.Button{
				{Label: "Allow", Name: "decision", Value: "allow"}, {Label: "Deny", Name: "decision", Value: "deny", Minor: true},
			},
		},
	})
}
