package api_test

import (
	"net/http"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

const keyJSON = `"id": "key_1", "label": "laptop", "role": "reader", "permissions": ["memory:recall"], "selectors": ["notes"],
	"created_at": "2025-03-01T09:00:00Z", "expires_at": "2025-03-02T09:00:00Z", "last_used_at": "2025-03-03T09:00:00Z",
	"revoked_at": "2025-03-04T09:00:00Z"`

func wantKey() api.Key {
	return api.Key{
		ID: "key_1", Label: "laptop", Role: "reader", Permissions: []string{"memory:recall"}, Selectors: []string{"notes"},
		CreatedAt: date(1), ExpiresAt: at(date(2)), LastUsedAt: at(date(3)), RevokedAt: at(date(4)),
	}
}

func TestKeysCreate(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/keys", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"label": "laptop", "role": "reader", "selectors": ["notes"], "expires_at": "2025-03-02T09:00:00Z"}`)
		reply(201, `{`+keyJSON+`, "secret": "lukasa_sk_x"}`)(w, r)
	})
	got, err := c.Keys.Create(ctx(t), api.CreateKey{
		Label: "laptop", Role: "reader", Selectors: []string{"notes"}, ExpiresAt: at(date(2)),
	})
	wantEqual(t, got, err, &api.NewKey{Key: wantKey(), Secret: "lukasa_sk_x"})
}

// A key that reaches nothing is sent as an empty list: the contract has no null.
func TestKeysCreateWithoutSelectors(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("POST /v1/keys", func(w http.ResponseWriter, r *http.Request) {
		wantBody(t, r, `{"label": "laptop", "permissions": ["memory:recall"], "selectors": []}`)
		reply(201, `{`+keyJSON+`}`)(w, r)
	})
	if _, err := c.Keys.Create(ctx(t), api.CreateKey{Label: "laptop", Permissions: []string{"memory:recall"}}); err != nil {
		t.Error(err)
	}
}

func TestKeysList(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/keys", reply(200, `{"keys": [{`+keyJSON+`}]}`))
	page, err := c.Keys.List(ctx(t), api.ListOptions{})
	wantEqual(t, page, err, &api.KeyPage{Keys: []api.Key{wantKey()}})
	var got []api.Key
	for k, err := range c.Keys.All(ctx(t), api.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, k)
	}
	wantEqual(t, got, nil, []api.Key{wantKey()})
}

func TestKeysRevoke(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("DELETE /v1/keys/key_1", reply(200, `{`+keyJSON+`}`))
	got, err := c.Keys.Revoke(ctx(t), "key_1")
	want := wantKey()
	wantEqual(t, got, err, &want)
}
