package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

// FuzzRoutes: whatever is asked, the answer is one of the contract's, and never a fault of the server.
func FuzzRoutes(f *testing.F) {
	f.Add("GET", "/v1/workspaces/demo/passages?page_size=2&page_token=AAAA", "", "")
	f.Add("POST", "/v1/workspaces/demo/recall", `{"query": "NEAR(\"", "limit": 5}`, "")
	f.Add("PUT", "/v1/workspaces/demo/formations/"+anyHandle, `{"turns": [{"role": "user", "content": "hello"}]}`, "wait=0")
	f.Add("POST", "/v1/workspaces/demo/formations:plan", turnsBody(3, "I live in Utrecht."), "")
	f.Add("POST", "/v1/workspaces", `{"name": "a..b"}`, "")
	f.Add("DELETE", "/v1/keys/key_%00", "", "")
	f.Add("GET", "/v1/workspaces/%2e%2e/../x//y", "", "")
	f.Add("GET", "/v1/workspaces/demo/formations?state=failed&page_size=200", "", "")
	f.Add("GET", "/v1/workspaces/demo/assertions/as_'%22;", "", "")
	s := quiet(f)
	makeWorkspace(f, s, "demo")
	key := secret(f, s, allPermissions(), []string{"*"})
	f.Fuzz(func(t *testing.T, method, target, body, prefer string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || prefer != "" && prefer != "wait=0" { // waiting is tested elsewhere
			return
		}
		r := httptest.NewRequest(http.MethodGet, "/", bytes.NewReader([]byte(body)))
		r.Method, r.URL, r.RequestURI = method, u, target
		r.Header = http.Header{
			"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Prefer": {prefer},
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code >= 500 || w.Code < 200 {
			t.Fatalf("%s %q %q: %d %s", method, target, body, w.Code, w.Body)
		}
		if w.Code/100 == 2 || method == http.MethodHead {
			return
		}
		var e api.Error
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Status != w.Code || e.Code == "" || e.Detail == "" {
			t.Errorf("%s %q %q: %d %s", method, target, body, w.Code, w.Body)
		}
	})
}
