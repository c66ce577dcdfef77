package api_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Scripts import this package, so that it must stay light: no database, no command line, and nothing of the server.
func TestImports(t *testing.T) {
	const self = "github.com/lukasa-dev/lukasa/"
	out, err := exec.CommandContext(ctx(t), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{
		self + "api": true, self + "formation": true,
		"github.com/hashicorp/go-cleanhttp": true, "github.com/hashicorp/go-retryablehttp": true,
	}
	seen := false
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		seen = seen || path == self+"api"
		host, _, _ := strings.Cut(path, "/")
		if strings.Contains(host, ".") && !allowed[path] {
			t.Errorf("package api depends on %s", path)
		}
		if path == "database/sql" {
			t.Errorf("package api depends on %s", path)
		}
	}
	if !seen {
		t.Error("the list of imports lacks the package itself")
	}
}
