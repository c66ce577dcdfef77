package oauth_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// Whoever gets the store's files gets no secret with them: not a token, code, link or password, nor what a browser shows.
func TestNothingIsStoredInTheClear(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	code := s.code(b)
	first := s.post(oauth.PathToken, exchange(code))
	second := s.refresh(first.Refresh) // sealed for a while
	d := s.device()
	s.enter(b, d.UserCode)
	secrets := map[string]string{
		"password": password, "code": code, "access token": first.Access, "refresh token": first.Refresh, "successor": second.Refresh,
		"successor's access token": second.Access, "device code": d.DeviceCode, "user code": d.UserCode,
		"user code without its dash": strings.ReplaceAll(d.UserCode, "-", ""), "verifier": verifier,
	}
	at, err := url.Parse(s.url + oauth.PathSignIn)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Cookies(at) {
		secrets["cookie "+c.Name] = c.Value
	}
	if len(secrets) != 12 {
		t.Errorf("the browser has %d cookies, want 2", len(secrets)-10)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the store has no files: %v", err)
	}
	found := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(content), "ana@example.com")
		for name, secret := range secrets {
			if secret == "" || strings.Contains(string(content), secret) {
				t.Errorf("%s has the %s in the clear", filepath.Base(file), name)
			}
		}
	}
	if !found {
		t.Error("the files don't even have what is no secret: the test looks in the wrong place")
	}
}
