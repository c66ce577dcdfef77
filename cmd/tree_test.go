package cmd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lukasa-dev/lukasa"

// mayImport has, for each top package of ours, the others of ours that it may import, and why no more.
var mayImport = map[string][]string{
	"cmd/lukasa": {"cmd"},
	"cmd":        {"proxy", "auth", "api", "api/server", "formation"}, // it wires; a store is reached through api/server alone
	"proxy":      {"api", "formation"},                                // it forwards; it must never touch a store
	"auth":       {},                                                  // it hands out an http.RoundTripper
	"api":        {"formation"},                                       // scripts import it: it must stay light
	"api/server": {"api", "formation", "api/server/internal"},         // one contract, two sides
	"formation":  {},                                                  // pure
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// goList runs go list on packages of this module.
func goList(t *testing.T, args ...string) []goPackage {
	t.Helper()
	c := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// rule returns the rule that a package of ours is under: that of the nearest package above it.
func rule(pkg string) string {
	for ; pkg != "."; pkg = path.Dir(pkg) {
		if _, ok := mayImport[pkg]; ok {
			return pkg
		}
	}
	return ""
}

func TestImportRules(t *testing.T) {
	packages := goList(t, module+"/...")
	if len(packages) < len(mayImport) {
		t.Fatalf("%d packages, want at least %d", len(packages), len(mayImport))
	}
	for _, p := range packages {
		pkg := strings.TrimPrefix(p.ImportPath, module+"/")
		under := rule(pkg)
		if under == "" {
			t.Errorf("package %s is under no rule", pkg)
			continue
		}
		for _, imported := range p.Imports {
			of, ours := strings.CutPrefix(imported, module+"/")
			if !ours || of == under || strings.HasPrefix(of, under+"/") {
				continue
			}
			if !slices.ContainsFunc(mayImport[under], func(allowed string) bool { return of == allowed }) {
				t.Errorf("%s imports %s, but %s may import %v of ours", pkg, of, under, mayImport[under])
			}
		}
	}
}

func TestSDKIsLight(t *testing.T) {
	for _, p := range goList(t, module+"/api") {
		for _, dep := range p.Deps {
			for _, heavy := range []string{"sqlite", "pgx", "cobra", module + "/api/server", module + "/proxy", "go-sdk"} {
				if strings.Contains(dep, heavy) {
					t.Errorf("the import graph of api has %s", dep)
				}
			}
		}
	}
}

func TestProxyTouchesNoStore(t *testing.T) {
	for _, p := range goList(t, module+"/proxy") {
		for _, dep := range p.Deps {
			if strings.Contains(dep, "sqlite") || strings.Contains(dep, "pgx") || strings.Contains(dep, "database/sql") {
				t.Errorf("the import graph of proxy has %s", dep)
			}
		}
	}
}

func TestTopLevelIsFixed(t *testing.T) {
	allowed := []string{"cmd", "proxy", "auth", "api", "formation", "go.mod", "go.sum", "README.md", "CHANGELOG.md", "LICENSE"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}
