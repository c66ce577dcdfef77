package api_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

const (
	memberJSON = `"id": "us_1", "email": "bo@example.com", "name": "Bo", "role": "reader", "selectors": ["notes"],
		"joined_at": "2025-03-01T09:00:00Z", "last_sign_in_at": "2025-03-02T09:00:00Z"`
	roleJSON       = `"name": "looker", "built_in": false, "permissions": ["memory:recall"], "created_at": "2025-03-01T09:00:00Z"`
	invitationJSON = `"id": "iv_1", "email": "bo@example.com", "role": "reader", "selectors": ["notes"], "invited_by": "ana@example.com",
		"created_at": "2025-03-01T09:00:00Z", "expires_at": "2025-03-08T09:00:00Z"`
)

func wantMember() api.Member {
	return api.Member{
		ID: "us_1", Email: "bo@example.com", Name: "Bo", Role: "reader", Selectors: []string{"notes"}, JoinedAt: date(1),
		LastSignInAt: at(date(2)),
	}
}

func wantInvitation() api.Invitation {
	return api.Invitation{
		ID: "iv_1", Email: "bo@example.com", Role: "reader", Selectors: []string{"notes"}, InvitedBy: "ana@example.com",
		CreatedAt: date(1), ExpiresAt: date(8),
	}
}

func wantRole() api.Role {
	return api.Role{Name: "looker", Permissions: []string{"memory:recall"}, CreatedAt: at(date(1))}
}

func TestMembers(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/members", reply(200, `{"members": [{`+memberJSON+`}]}`))
	mux.HandleFunc("GET /v1/members/us_1", reply(200, `{`+memberJSON+`}`))
	mux.HandleFunc("DELETE /v1/members/us_1", reply(200, `{`+memberJSON+`}`))
	mux.HandleFunc("POST /v1/members/us_1/reset", reply(201, `{`+invitationJSON+`, "reset": true, "link": "https://x.example/"}`))
	mux.HandleFunc("PUT /v1/members/us_1", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"role": "reader", "selectors": []}`)
		reply(200, `{`+memberJSON+`}`)(w, r)
	})
	want := wantMember()
	page, err := c.Members.List(ctx(t), api.ListOptions{})
	wantEqual(t, page, err, &api.MemberPage{Members: []api.Member{want}})
	got, err := c.Members.Get(ctx(t), "us_1")
	wantEqual(t, got, err, &want)
	got, err = c.Members.Change(ctx(t), "us_1", api.ChangeMember{Role: "reader"})
	wantEqual(t, got, err, &want)
	got, err = c.Members.Remove(ctx(t), "us_1")
	wantEqual(t, got, err, &want)
	made, err := c.Members.Reset(ctx(t), "us_1")
	link := api.NewInvitation{Invitation: wantInvitation(), Link: "https://x.example/"}
	link.Reset = true
	wantEqual(t, made, err, &link)
	for m, err := range c.Members.All(ctx(t), api.ListOptions{}) {
		wantEqual(t, m, err, want)
	}
}

func TestRoles(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/roles", reply(200, `{"roles": [{`+roleJSON+`}]}`))
	mux.HandleFunc("DELETE /v1/roles/looker", reply(200, `{`+roleJSON+`}`))
	mux.HandleFunc("POST /v1/roles", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"name": "looker", "permissions": ["memory:recall"]}`)
		reply(201, `{`+roleJSON+`}`)(w, r)
	})
	mux.HandleFunc("PUT /v1/roles/looker", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"permissions": ["memory:recall"]}`)
		reply(200, `{`+roleJSON+`}`)(w, r)
	})
	want := wantRole()
	page, err := c.Roles.List(ctx(t), api.ListOptions{})
	wantEqual(t, page, err, &api.RolePage{Roles: []api.Role{want}})
	got, err := c.Roles.Create(ctx(t), api.CreateRole{Name: "looker", Permissions: []string{"memory:recall"}})
	wantEqual(t, got, err, &want)
	got, err = c.Roles.Change(ctx(t), "looker", api.ChangeRole{Permissions: []string{"memory:recall"}})
	wantEqual(t, got, err, &want)
	got, err = c.Roles.Delete(ctx(t), "looker")
	wantEqual(t, got, err, &want)
	for r, err := range c.Roles.All(ctx(t), api.ListOptions{}) {
		wantEqual(t, r, err, want)
	}
}

func TestInvitations(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/invitations", reply(200, `{"invitations": [{`+invitationJSON+`}]}`))
	mux.HandleFunc("DELETE /v1/invitations/iv_1", reply(200, `{`+invitationJSON+`}`))
	mux.HandleFunc("POST /v1/invitations", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"email": "bo@example.com", "role": "reader", "selectors": []}`)
		reply(201, `{`+invitationJSON+`, "link": "https://x.example/"}`)(w, r)
	})
	want := wantInvitation()
	made, err := c.Invitations.Create(ctx(t), api.CreateInvitation{Email: "bo@example.com", Role: "reader"})
	wantEqual(t, made, err, &api.NewInvitation{Invitation: want, Link: "https://x.example/"})
	page, err := c.Invitations.List(ctx(t), api.ListOptions{})
	wantEqual(t, page, err, &api.InvitationPage{Invitations: []api.Invitation{want}})
	got, err := c.Invitations.Revoke(ctx(t), "iv_1")
	wantEqual(t, got, err, &want)
	for i, err := range c.Invitations.All(ctx(t), api.ListOptions{}) {
		wantEqual(t, i, err, want)
	}
}

func TestAudit(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/audit", reply(200, `{"entries": [{"id": "au_1", "at": "2025-03-01T09:00:00Z", "action": "key.revoked",
		"actor": {"kind": "user", "id": "us_1", "name": "bo@example.com"}, "target": "key_1", "detail": "laptop", "request_id": "r"}]}`))
	want := api.AuditEntry{
		ID: "au_1", At: date(1), Action: "key.revoked", Actor: api.AuditActor{Kind: "user", ID: "us_1", Name: "bo@example.com"},
		Target: "key_1", Detail: "laptop", RequestID: "r",
	}
	page, err := c.Audit.List(ctx(t), api.ListOptions{})
	wantEqual(t, page, err, &api.AuditPage{Entries: []api.AuditEntry{want}})
	n := 0
	for e, err := range c.Audit.All(ctx(t), api.ListOptions{}) {
		wantEqual(t, e, err, want)
		n++
	}
	if n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

// Names and ids stay within their segment of the path.
func TestTeamPaths(t *testing.T) {
	c, _ := setup(t)
	for name, do := range map[string]func() error{
		"member":     func() error { _, err := c.Members.Get(ctx(t), ".."); return err },
		"change":     func() error { _, err := c.Members.Change(ctx(t), "", api.ChangeMember{}); return err },
		"remove":     func() error { _, err := c.Members.Remove(ctx(t), "."); return err },
		"reset":      func() error { _, err := c.Members.Reset(ctx(t), ".."); return err },
		"role":       func() error { _, err := c.Roles.Change(ctx(t), "..", api.ChangeRole{}); return err },
		"deletion":   func() error { _, err := c.Roles.Delete(ctx(t), ""); return err },
		"invitation": func() error { _, err := c.Invitations.Revoke(ctx(t), ".."); return err },
	} {
		if err := do(); !errors.Is(err, api.ErrInvalidRequest) {
			t.Errorf("%s: %v, want an invalid request", name, err)
		}
	}
}
