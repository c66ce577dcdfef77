package auth

import (
	"net/url"
	"testing"
)

func parse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestCanonical(t *testing.T) {
	for raw, want := range map[string]string{
		"https://Memory.Example.com":         "https://memory.example.com",
		"https://memory.example.com/":        "https://memory.example.com",
		"https://memory.example.com:443/a/":  "https://memory.example.com/a",
		"https://memory.example.com:8443":    "https://memory.example.com:8443",
		"http://127.0.0.1:80":                "http://127.0.0.1",
		"https://[::1]:443":                  "https://[::1]",
		"https://memory.example.com./":       "https://memory.example.com.", // another name
		"https://memory.example.com/A%2fb":   "https://memory.example.com/A%2fb",
		"https://a:b@memory.example.com":     "",
		"https://memory.example.com?x":       "",
		"https://memory.example.com/#x":      "",
		"ftp://memory.example.com":           "",
		"memory.example.com":                 "",
		"https:///path":                      "",
		"https://memory.example.com/a/b//":   "https://memory.example.com/a/b",
		"https://memory.example.com:0443":    "https://memory.example.com:0443",
		"https://xn--mmory-esa.example.com/": "https://xn--mmory-esa.example.com",
	} {
		got, err := Canonical(parse(t, raw))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Canonical(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
}

func TestOwns(t *testing.T) {
	const plain, below = "https://memory.example.com", "https://example.com/memory"
	for _, tt := range []struct {
		endpoint, request string
		want              bool
	}{
		{plain, "https://memory.example.com/v1/whoami", true},
		{plain, "https://MEMORY.example.com:443/v1", true},
		{plain, "http://memory.example.com/v1", false},
		{plain, "https://memory.example.com:8443/v1", false},
		{plain, "https://memory.example.com.evil.example/v1", false},
		{plain, "https://evil.example/memory.example.com", false},
		{plain, "https://memory.example.com@evil.example/v1", false},
		{plain, "https://a.memory.example.com/v1", false},
		{plain, "https://memory-example.com/v1", false},
		{plain, "https://memory.example.com./v1", false},
		{plain, "https://mеmory.example.com/v1", false}, // a Cyrillic letter
		{below, "https://example.com/memory/v1", true},
		{below, "https://example.com/memory", true},
		{below, "https://example.com/memory2/v1", false},
		{below, "https://example.com/", false},
		{below, "https://example.com/memory/../other", false},
		{below, "https://example.com/memory/%2e%2e/other", false},
		{below, "https://example.com/Memory/v1", false},
	} {
		if got := owns(parse(t, tt.endpoint), parse(t, tt.request)); got != tt.want {
			t.Errorf("%s owns %s: %t", tt.endpoint, tt.request, got)
		}
	}
}

func TestCheckScheme(t *testing.T) {
	for raw, want := range map[string]bool{
		"https://example.com": true, "http://127.0.0.1:1": true, "http://[::1]:1": true, "http://localhost": true,
		"http://a.localhost.": true, "http://example.com": false, "http://127.0.0.1.example.com": false,
		"http://localhost.example.com": false, "ftp://127.0.0.1": false,
	} {
		if err := checkScheme(parse(t, raw), false); (err == nil) != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if err := checkScheme(parse(t, "http://example.com"), true); err != nil {
		t.Errorf("allowed: %v", err)
	}
}
