package web_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/web"
)

func write(t *testing.T, p web.Page) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	if err := web.Write(w, 200, p); err != nil {
		t.Fatal(err)
	}
	return w
}

// Whatever a text holds, it is text.
func TestTextIsEscaped(t *testing.T) {
	const evil = `"><script>alert(1)</script><a href='javascript:x'>`
	form := &web.Form{
		Action: evil, Token: evil, Hidden: []web.Field{{Name: evil, Value: evil}},
		Fields:  []web.Field{{Name: evil, Label: evil, Value: evil, Type: evil, Hint: evil, Complete: evil}},
		Buttons: []web.Button{{Label: evil, Name: evil, Value: evil}},
	}
	body := write(t, web.Page{Title: evil, Alert: evil, Text: []string{evil}, Form: form, Other: form}).Body.String()
	for _, bad := range []string{"<script", "<a href", `"><`} {
		if strings.Contains(body, bad) {
			t.Errorf("the page has %q: %s", bad, body)
		}
	}
	if n := strings.Count(body, "&lt;script&gt;alert(1)"); n < 15 {
		t.Errorf("%d texts are there, want all", n)
	}
}

// Forms may lead to the server itself, and to the one address that answering them may lead to.
func TestPolicy(t *testing.T) {
	for redirect, want := range map[string]string{
		"":                               "form-action 'self';",
		"http://127.0.0.1:4711/callback": "form-action 'self' http://127.0.0.1:4711;",
		"https://x.example/back?y=1":     "form-action 'self' https://x.example;",
		"http://[::1]:4711/callback":     "form-action 'self' http:;",
		"https://x.example; script-src":  "form-action 'self' 'self';",
		"nonsense":                       "form-action 'self' 'self';",
	} {
		policy := write(t, web.Page{Redirect: redirect}).Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, want) || strings.Contains(policy, "script-src") {
			t.Errorf("%q: the policy is %q, want %q", redirect, policy, want)
		}
	}
}

func TestPageIsAccessible(t *testing.T) {
	body := write(t, web.Page{Title: "Sign in", Alert: "No.", Form: &web.Form{
		Fields:  []web.Field{{Name: "email", Label: "E-mail address", Type: "email", Complete: "username", Focus: true, Hint: "Yours."}},
		Buttons: []web.Button{{Label: "Sign in"}},
	}}).Body.String()
	for _, part := range []string{
		`<html lang="en">`, `<title>Sign in · lukasa</title>`, `<h1>Sign in</h1>`, `role="alert"`, `<label for="email">`, `id="email"`,
		`autocomplete="username"`, ` autofocus`, `aria-describedby="email-hint"`, `id="email-hint"`, `<button type="submit">Sign in`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("the page lacks %s: %s", part, body)
		}
	}
}
