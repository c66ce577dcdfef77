package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/access"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

// Invite stores an invitation, and returns the link that accepts it, once. The id of i is set here.
func (s *Server) Invite(ctx context.Context, i api.Invitation, issuer string) (api.NewInvitation, error) {
	return s.invite(ctx, memory.Invitation{Invitation: i}, issuer)
}

// resetTime is how long a link for a new password is good.
const resetTime = 24 * time.Hour

// InviteReset returns a link, for one use, with which a member chooses a new password. by is who asked for it.
func (s *Server) InviteReset(ctx context.Context, u memory.User, by, issuer string) (api.NewInvitation, error) {
	now := s.now()
	return s.invite(ctx, memory.Invitation{MemberID: u.ID, Invitation: api.Invitation{
		Email: u.Email, Role: u.Role, Selectors: u.Selectors, Reset: true, InvitedBy: by, CreatedAt: now,
		ExpiresAt: now.Add(resetTime),
	}}, issuer)
}

func (s *Server) invite(ctx context.Context, i memory.Invitation, issuer string) (api.NewInvitation, error) {
	secret, err := access.GenerateSecret(InvitationPrefix)
	if err != nil {
		return api.NewInvitation{}, err
	}
	if i.ID, err = access.NewID("iv_"); err != nil {
		return api.NewInvitation{}, err
	}
	i.Hash = access.Hash(secret)
	if err := s.store.CreateInvitation(ctx, i); err != nil {
		return api.NewInvitation{}, err
	}
	link := issuer + PathInvitation + "?" + url.Values{"token": {secret}}.Encode()
	return api.NewInvitation{Invitation: i.Invitation, Link: link}, nil
}

// setupTime is how long the link for the first administrator is good.
const setupTime = 24 * time.Hour

// ErrHasRoot is of a server that has its first administrator already.
var ErrHasRoot = errors.New("this server has its first administrator already")

// Setup invites the first administrator, who has the role root and chooses their own address. Earlier such invitations
// end.
func (s *Server) Setup(ctx context.Context, issuer string) (api.NewInvitation, error) {
	has, err := s.store.HasRoot(ctx)
	if err != nil {
		return api.NewInvitation{}, err
	}
	if has {
		return api.NewInvitation{}, ErrHasRoot
	}
	now := s.now()
	return s.Invite(ctx, api.Invitation{
		Role: memory.RootRole, Selectors: []string{access.Everything().String()}, InvitedBy: "setup", CreatedAt: now,
		ExpiresAt: now.Add(setupTime),
	}, issuer)
}

// Invitation answers the page on which people accept an invitation.
func (s *Server) Invitation(w http.ResponseWriter, r *http.Request, issuer string) error {
	b, err := s.open(w, r, issuer)
	if err != nil {
		return err
	}
	form := r.URL.Query()
	if r.Method == http.MethodPost {
		if form, err = b.form(); err != nil {
			return b.badForm(err)
		}
	}
	i, err := s.openInvitation(r.Context(), form.Get("token"))
	if errors.Is(err, memory.ErrNotFound) {
		return b.closedInvitation()
	}
	if err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		return b.invitationPage(http.StatusOK, "", i, form)
	}
	return b.accept(i, form)
}

func (s *Server) openInvitation(ctx context.Context, secret string) (i memory.Invitation, err error) {
	if !access.WellFormed(InvitationPrefix, secret) {
		return i, memory.ErrNotFound
	}
	i, err = s.store.InvitationByHash(ctx, access.Hash(secret))
	if err == nil && (i.AcceptedAt != nil || i.RevokedAt != nil || !i.ExpiresAt.After(s.now())) {
		err = memory.ErrNotFound
	}
	return i, err
}

func (b *browser) closedInvitation() error {
	return b.trouble(http.StatusGone, "This invitation is no longer open",
		"It was used, withdrawn, or is too old. Ask whoever invited you for another one.")
}

func (b *browser) accept(i memory.Invitation, form url.Values) error {
	email, alert := i.Email, ""
	if email == "" {
		var ok bool
		if email, ok = FoldEmail(form.Get("email")); !ok {
			alert = "That is not an e-mail address."
		}
	}
	name := strings.TrimSpace(form.Get("name"))
	if alert == "" && !i.Reset {
		alert = checkName(name)
	}
	if alert == "" {
		alert = checkPassword(form.Get("password"), form.Get("again"), email)
	}
	if alert != "" {
		return b.invitationPage(http.StatusBadRequest, alert, i, form)
	}
	hash, err := b.password.hash(b.r.Context(), form.Get("password"))
	if err != nil {
		return err
	}
	id, err := access.NewID("us_")
	if err != nil {
		return err
	}
	user, err := b.store.AcceptInvitation(b.r.Context(), access.Hash(form.Get("token")),
		memory.User{Member: api.Member{ID: id, Email: email, Name: name}, PasswordHash: hash}, b.now())
	if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrExists) {
		return b.closedInvitation()
	}
	if err != nil {
		return err
	}
	return b.signedIn(user, "")
}

const maxName = 128 // characters

func checkName(name string) string {
	switch {
	case name == "":
		return "Say what your name is."
	case utf8.RuneCountInString(name) > maxName:
		return "The name is too long."
	case !utf8.ValidString(name), strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}):
		return "The name has characters that can’t be shown."
	}
	return ""
}

func (b *browser) invitationPage(status int, alert string, i memory.Invitation, form url.Values) error {
	title, text, button := "Join this memory", "You are invited as "+i.Email+", "+i.Role+".", "Join"
	var fields []web.Field
	if i.Reset {
		title, text, button = "Choose a new password", "For "+i.Email+". Everything that is signed in with the old one has to sign in again.", "Save"
	}
	if i.Email == "" {
		text = "You become this server’s first administrator."
		fields = append(fields, web.Field{
			Name: "email", Label: "E-mail address", Type: "email", Complete: "username", Value: form.Get("email"), MaxLength: maxEmail,
		})
	}
	if !i.Reset {
		fields = append(fields, web.Field{
			Name: "name", Label: "Name", Type: "text", Complete: "name", Value: form.Get("name"), MaxLength: maxName,
		})
	}
	fields = append(fields,
		web.Field{
			Name: "password", Label: "Password", Type: "password", Complete: "new-password",
			Hint: "At least 12 characters. A few words that only you would put together are good.",
		},
		web.Field{Name: "again", Label: "The same password again", Type: "password", Complete: "new-password"},
	)
	fields[0].Focus = true
	return web.Write(b.w, status, web.Page{
		Title: title, Alert: alert, Text: []string{text},
		Form: &web.Form{
			Action: PathInvitation, Token: b.token(), Hidden: []web.Field{{Name: "token", Value: form.Get("token")}},
			Fields: fields, Buttons: []web.Button{{Label: button}},
		},
	})
}
