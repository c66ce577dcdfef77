package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/auth"
)

func environment(pairs ...string) func(string) string {
	env := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return env[name] }
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sent returns the Authorization header that a request signed by c arrives with.
func sent(t *testing.T, c auth.Credential) string {
	t.Helper()
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Authorization") }))
	defer srv.Close()
	endpoint, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: c.Transport(endpoint, srv.Client().Transport)}
	resp, err := client.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return got
}

func TestResolveOrder(t *testing.T) {
	explicit, fromEnv := file(t, "explicit\n"), file(t, "\ufeff  filed \r\n")
	for name, tt := range map[string]struct {
		options auth.Options
		header  string
		source  string
	}{
		"nothing":           {auth.Options{Getenv: environment()}, "", ""},
		"explicit file":     {auth.Options{KeyFile: explicit, Getenv: environment("LUKASA_API_KEY", "k", "LUKASA_API_KEY_FILE", fromEnv)}, "Bearer explicit", "--api-key-file"},
		"the variable":      {auth.Options{Getenv: environment("LUKASA_API_KEY", "k", "LUKASA_API_KEY_FILE", fromEnv)}, "Bearer k", "LUKASA_API_KEY"},
		"the variable file": {auth.Options{Getenv: environment("LUKASA_API_KEY_FILE", fromEnv)}, "Bearer filed", "LUKASA_API_KEY_FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := auth.Resolve(t.Context(), tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := sent(t, c); got != tt.header {
				t.Errorf("Authorization = %q, want %q", got, tt.header)
			}
			if !strings.HasPrefix(c.Source, tt.source) || (tt.source == "") != (c.Source == "") {
				t.Errorf("source = %q, want %q", c.Source, tt.source)
			}
		})
	}
}

func TestResolveNeverFallsThrough(t *testing.T) {
	good := environment("LUKASA_API_KEY", "good")
	for name, o := range map[string]auth.Options{
		"explicit file is absent":   {KeyFile: filepath.Join(t.TempDir(), "none"), Getenv: good},
		"explicit file is a folder": {KeyFile: t.TempDir(), Getenv: good},
		"explicit file is empty":    {KeyFile: file(t, "\n"), Getenv: good},
		"two keys":                  {KeyFile: file(t, "one\ntwo\n"), Getenv: good},
		"variable is blank":         {Getenv: environment("LUKASA_API_KEY", "  ", "LUKASA_API_KEY_FILE", file(t, "good"))},
		"variable has a line feed":  {Getenv: environment("LUKASA_API_KEY", "a\nX-Evil: 1")},
		"variable is not ASCII":     {Getenv: environment("LUKASA_API_KEY", "ключ")},
		"file of the variable":      {Getenv: environment("LUKASA_API_KEY_FILE", "/nonexistent/key")},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := auth.Resolve(t.Context(), o)
			if !errors.Is(err, auth.ErrUnusable) || c.Kind != "" {
				t.Errorf("Resolve = %v, %v; want an unusable credential", c, err)
			}
		})
	}
}

func TestCredentialIsNeverPrinted(t *testing.T) {
	c, err := auth.Resolve(t.Context(), auth.Options{Getenv: environment("LUKASA_API_KEY", "hush")})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if s := fmt.Sprintf(verb, c); strings.Contains(s, "hush") {
			t.Errorf("%s prints %s", verb, s)
		}
	}
}

func TestTransportKeepsToItsOrigin(t *testing.T) {
	var got []string
	record := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Authorization")) })
	elsewhere := httptest.NewServer(record)
	defer elsewhere.Close()
	home := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer home.Close()

	c, err := auth.Resolve(t.Context(), auth.Options{Getenv: environment("LUKASA_API_KEY", "k")})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := url.Parse(home.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: c.Transport(endpoint, http.DefaultTransport)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, home.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if len(got) != 1 || got[0] != "" {
		t.Errorf("another origin was sent %q", got)
	}
	if req.Header.Get("Authorization") != "" {
		t.Error("the caller's request was changed")
	}
}
