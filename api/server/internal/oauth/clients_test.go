package oauth_test

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"golang.org/x/oauth2"

	"github.com/lukasa-dev/lukasa/api/internal/webtest"
	"github.com/lukasa-dev/lukasa/api/server/internal/oauth"
)

// missing ends a test whose tool isn't installed. Where everything has to be, it fails.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("LUKASA_TEST_NO_SKIP") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// config is how x/oauth2 knows the server.
func (s *site) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: oauth.ClientCLI, RedirectURL: callback, Scopes: []string{"memory"},
		Endpoint: oauth2.Endpoint{
			AuthURL: s.url + oauth.PathAuthorize, TokenURL: s.url + oauth.PathToken, DeviceAuthURL: s.url + oauth.PathDevice,
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// allow visits the address of an authorization request and allows it. It returns where that leads.
func (s *site) allow(b *webtest.Browser, address string) *url.URL {
	s.Helper()
	back := b.Submit(b.Get(address), "Allow", nil).Location()
	if back == nil {
		s.Fatalf("%s leads nowhere", address)
	}
	return back
}

func (s *site) allowDevice(b *webtest.Browser, address string) {
	s.Helper()
	b.Submit(b.Submit(b.Get(address), "Continue", nil), "Allow", nil)
}

func TestXOAuth2(t *testing.T) {
	s := newSite(t)
	b, c := s.join("ana@example.com"), s.config()
	v := oauth2.GenerateVerifier()
	back := s.allow(b, c.AuthCodeURL("state", oauth2.S256ChallengeOption(v)))
	token, err := c.Exchange(t.Context(), back.Query().Get("code"), oauth2.VerifierOption(v))
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(token.Expiry); token.Type() != "Bearer" || left < 29*time.Minute || left > 30*time.Minute {
		t.Errorf("a %s token for %v", token.Type(), left)
	}
	token.Expiry = time.Now().Add(-time.Minute)
	renewed, err := c.TokenSource(t.Context(), token).Token()
	if err != nil || renewed.RefreshToken == token.RefreshToken || !s.active(renewed.AccessToken) {
		t.Errorf("renewed to %v, %v", renewed, err)
	}
	device, err := c.DeviceAuth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.allowDevice(b, device.VerificationURIComplete)
	device.Interval = 1
	if token, err = c.DeviceAccessToken(t.Context(), device); err != nil || !s.active(token.AccessToken) {
		t.Errorf("the device got %v, %v", token, err)
	}
}

func TestZitadelRP(t *testing.T) {
	s := newSite(t)
	b := s.join("ana@example.com")
	party, err := rp.NewRelyingPartyOAuth(s.config(), rp.WithPKCE(nil))
	if err != nil {
		t.Fatal(err)
	}
	back := s.allow(b, rp.AuthURL("state", party, rp.WithCodeChallenge(oidc.NewSHACodeChallenge(verifier))))
	if back.Query().Get("state") != "state" {
		t.Errorf("came back to %v", back)
	}
	tokens, err := rp.CodeExchange[*oidc.IDTokenClaims](t.Context(), back.Query().Get("code"), party, rp.WithCodeVerifier(verifier))
	if err != nil || !s.active(tokens.AccessToken) {
		t.Fatalf("tokens %v, %v", tokens, err)
	}
	discovered, err := rp.NewRelyingPartyOIDC(t.Context(), s.url, oauth.ClientCLI, "", callback, []string{"memory"},
		rp.WithCustomDiscoveryUrl(s.url+oauth.PathServer), rp.WithAuthStyle(oauth2.AuthStyleInParams))
	if err != nil {
		t.Fatal(err)
	}
	device, err := rp.DeviceAuthorization(t.Context(), []string{"memory"}, discovered, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.allowDevice(b, device.VerificationURIComplete)
	got, err := rp.DeviceAccessToken(t.Context(), device.DeviceCode, time.Second, discovered)
	if err != nil || !s.active(got.AccessToken) {
		t.Fatalf("the device got %v, %v", got, err)
	}
	if err := rp.RevokeToken(t.Context(), discovered, got.RefreshToken, "refresh_token"); err != nil || s.active(got.AccessToken) {
		t.Errorf("revoking: %v", err)
	}
}

// findNode prefers the Node.js that the tests of the command line install: it is newer than most systems' own.
func findNode(t *testing.T) string {
	t.Helper()
	own, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "cmd", "testdata", "clients", "node_modules", ".bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err == nil {
		return own
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing(t, "node is not installed")
	}
	return node
}

// TestOAuth4WebAPI signs in with a strict client in JavaScript, which checks every answer against the RFCs.
func TestOAuth4WebAPI(t *testing.T) {
	node := findNode(t)
	dir := filepath.Join("testdata", "clients")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "oauth4webapi")); err != nil {
		missing(t, "oauth4webapi is not installed: npm install --prefix %s", dir)
	}
	s := newSite(t)
	b := s.join("ana@example.com")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, node, "oauth4webapi.mjs", s.url)
	c.Dir, c.WaitDelay = dir, time.Second
	var stderr strings.Builder
	c.Stderr = &stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch last = lines.Text(); {
		case strings.HasPrefix(last, s.url+oauth.PathAuthorize):
			fmt.Fprintln(in, s.allow(b, last))
		case strings.HasPrefix(last, s.url+oauth.PathVerify):
			s.allowDevice(b, last)
			fmt.Fprintln(in, "allowed")
		}
	}
	if err := c.Wait(); err != nil || last != "done" {
		t.Errorf("oauth4webapi: %v, %q\n%s", err, last, stderr.String())
	}
}
