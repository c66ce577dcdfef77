package auth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// find runs the discovery of an endpoint.
func find(t *testing.T, endpoint string) (*serverMetadata, []string, error) {
	t.Helper()
	return discovery{client: oauthClient(http.DefaultTransport)}.find(t.Context(), parse(t, endpoint))
}

func serveJSON(mux *http.ServeMux, path, document string) {
	mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, document)
	})
}

func TestDiscovery(t *testing.T) {
	identity := httptest.NewServer(nil)
	defer identity.Close()
	api := httptest.NewServer(nil)
	defer api.Close()
	server := func(issuer string) string {
		return fmt.Sprintf(`{"issuer":%q,"token_endpoint":"%s/token"}`, issuer, issuer)
	}
	resource := func(resource, issuer string) string {
		return fmt.Sprintf(`{"resource":%q,"authorization_servers":[%q],"scopes_supported":["memory"]}`, resource, issuer)
	}
	const (
		ofResource = "/.well-known/oauth-protected-resource"
		ofServer   = "/.well-known/oauth-authorization-server"
		ofOpenID   = "/.well-known/openid-configuration"
	)
	for name, tt := range map[string]struct {
		path          string // of the endpoint
		api, identity map[string]string
		issuer        string
		says          string // of the error
	}{
		"the API names its server": {
			api:      map[string]string{ofResource: resource(api.URL, identity.URL)},
			identity: map[string]string{ofServer: server(identity.URL)}, issuer: identity.URL,
		},
		"OpenID": {
			api:      map[string]string{ofResource: resource(api.URL, identity.URL)},
			identity: map[string]string{ofOpenID: server(identity.URL)}, issuer: identity.URL,
		},
		"a server below a path": {
			api:      map[string]string{ofResource: resource(api.URL, identity.URL+"/realm")},
			identity: map[string]string{ofServer + "/realm": server(identity.URL + "/realm")}, issuer: identity.URL + "/realm",
		},
		"OpenID below a path": {
			api:      map[string]string{ofResource: resource(api.URL, identity.URL+"/realm/")},
			identity: map[string]string{"/realm" + ofOpenID: server(identity.URL + "/realm/")}, issuer: identity.URL + "/realm/",
		},
		"an API below a path": {
			path:     "/memory",
			api:      map[string]string{ofResource + "/memory": resource(api.URL+"/memory", identity.URL)},
			identity: map[string]string{ofServer: server(identity.URL)}, issuer: identity.URL,
		},
		"the API is its own": {api: map[string]string{ofServer: server(api.URL)}, issuer: api.URL},
		"nothing anywhere":   {says: "people can't sign in there"},
		"the document of another resource": {
			api:  map[string]string{ofResource: resource("https://memory.example.com", identity.URL)},
			says: `that of "https://memory.example.com"`,
		},
		"the document of another issuer": {
			api:      map[string]string{ofResource: resource(api.URL, identity.URL)},
			identity: map[string]string{ofServer: server("https://evil.example.com")}, says: "another issuer",
		},
		"a server without encryption": {
			api: map[string]string{ofResource: resource(api.URL, "http://id.example.com")}, says: "not encrypted",
		},
		"a token endpoint without encryption": {
			api:  map[string]string{ofServer: fmt.Sprintf(`{"issuer":%q,"token_endpoint":"http://id.example.com/token"}`, api.URL)},
			says: "not encrypted",
		},
		"no token endpoint": {api: map[string]string{ofServer: fmt.Sprintf(`{"issuer":%q}`, api.URL)}, says: "no token endpoint"},
		"no PKCE": {
			api:  map[string]string{ofServer: fmt.Sprintf(`{"issuer":%q,"token_endpoint":"%s/t","code_challenge_methods_supported":["plain"]}`, api.URL, api.URL)},
			says: "PKCE",
		},
		"no metadata at all": {api: map[string]string{ofServer: "[1]"}, says: "not a metadata document"},
	} {
		t.Run(name, func(t *testing.T) {
			for s, documents := range map[*httptest.Server]map[string]string{api: tt.api, identity: tt.identity} {
				mux := http.NewServeMux()
				for path, document := range documents {
					serveJSON(mux, path, document)
				}
				s.Config.Handler = mux
			}
			meta, scopes, err := find(t, api.URL+tt.path)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("it found %+v, %v", meta, err)
				}
				return
			}
			if err != nil || meta.Issuer != tt.issuer {
				t.Fatalf("it found %+v, %v", meta, err)
			}
			if len(scopes) > 0 != (tt.api[ofServer] == "") {
				t.Errorf("scopes %v", scopes)
			}
		})
	}
}

// TestDiscoveryStaysAtItsOrigin is sent elsewhere.
func TestDiscoveryStaysAtItsOrigin(t *testing.T) {
	asked := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer elsewhere.Close()
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer api.Close()
	if meta, _, err := find(t, api.URL); err == nil || asked {
		t.Errorf("it followed to %+v", meta)
	}
}

// TestDiscoveryIsNotFooledByFailures tells an API that fails from one without metadata.
func TestDiscoveryIsNotFooledByFailures(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "oauth-protected-resource") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer api.Close()
	if _, _, err := find(t, api.URL); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("it ended with %v", err)
	}
}
