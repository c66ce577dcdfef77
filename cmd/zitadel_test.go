package cmd_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// zitadelStorage is the example's storage with access tokens that say they are short-lived, and with a native client
// that may use the device grant.
type zitadelStorage struct {
	*storage.Storage
	ttl time.Duration
}

func (s *zitadelStorage) CreateAccessToken(ctx context.Context, r op.TokenRequest) (string, time.Time, error) {
	id, _, err := s.Storage.CreateAccessToken(ctx, r)
	return id, time.Now().Add(s.ttl), err
}

func (s *zitadelStorage) CreateAccessAndRefreshTokens(ctx context.Context, r op.TokenRequest, current string) (id, next string, at time.Time, err error) {
	if d, ok := r.(*op.DeviceAuthorizationState); ok { // of which the example does not keep the client
		r = &storage.AuthRequest{ApplicationID: d.ClientID, UserID: d.Subject, Scopes: d.Scopes}
	}
	id, next, _, err = s.Storage.CreateAccessAndRefreshTokens(ctx, r, current)
	return id, next, time.Now().Add(s.ttl), err
}

func (s *zitadelStorage) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return deviceClient{c}, nil
}

// CompleteDeviceAuthorization names the user by id: the example's pages pass the name that was typed, which it then can't
// find.
func (s *zitadelStorage) CompleteDeviceAuthorization(ctx context.Context, code, _ string) error {
	return s.Storage.CompleteDeviceAuthorization(ctx, code, "id2")
}

type deviceClient struct{ op.Client }

func (c deviceClient) GrantTypes() []oidc.GrantType {
	return append([]oidc.GrantType{oidc.GrantTypeDeviceCode}, c.Client.GrantTypes()...)
}

// registerZitadelClient adds lukasa to the example's clients, which are the process's own, and silences the example.
var registerZitadelClient = sync.OnceFunc(func() {
	storage.RegisterClients(storage.NativeClient("lukasa-cli", "http://127.0.0.1/callback"))
	slog.SetDefault(slog.New(slog.DiscardHandler)) // which the example writes each request to
})

// startZitadel serves the example of github.com/zitadel/oidc: refresh tokens rotate, and a renewal ends the access token
// before it at once. front is the address it is reached at when there is a proxy before it.
func startZitadel(t *testing.T, front string, ttl time.Duration) (a *authority, direct string) {
	t.Helper()
	registerZitadelClient()
	s := httptest.NewUnstartedServer(nil)
	direct = "http://" + s.Listener.Addr().String()
	issuer := direct
	if front != "" {
		issuer = front
	}
	users := storage.NewUserStore(issuer)
	s.Config.Handler = exampleop.SetupServer(issuer, &zitadelStorage{storage.NewStorage(users), ttl}, nil, false)
	s.Start()
	t.Cleanup(s.Close)
	return &authority{
		url: issuer, userinfo: direct + "/userinfo",
		typed: map[string]string{"username": "test-user2", "password": "verysecure"},
	}, direct
}

func TestSignInAtZitadel(t *testing.T) {
	t.Parallel()
	const ttl = 3 * time.Second
	a, _ := startZitadel(t, "", ttl)
	if resp, err := http.Get(a.url + "/.well-known/openid-configuration"); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the server does not answer: %v, %v", resp, err)
	}
	testSignIn(t, a, newGate(t, newMachine(t), a).URL, ttl)
}
