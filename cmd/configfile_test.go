package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSetEndpoint(t *testing.T) {
	for name, tt := range map[string]struct {
		before *string
		mode   os.FileMode
	}{
		"absent": {nil, 0o600},
		"there":  {new("# mine\noutput = \"json\""), 0o644},
		"empty":  {new(""), 0o640},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "config.toml")
			before := ""
			if tt.before != nil {
				before = *tt.before
				write(t, path, before, tt.mode)
			}
			if err := setEndpoint(path, "https://memory.example.com"); err != nil {
				t.Fatal(err)
			}
			check(t, path, "api = \"https://memory.example.com\"\n"+before, tt.mode)
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".config-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestSetEndpointThroughALink leaves the link that people keep their dotfiles by.
func TestSetEndpointThroughALink(t *testing.T) {
	dotfile, path := filepath.Join(t.TempDir(), "dotfiles", "lukasa.toml"), filepath.Join(t.TempDir(), "config.toml")
	write(t, dotfile, "output = \"json\"\n", 0o644)
	if err := os.Symlink(dotfile, path); err != nil {
		t.Skipf("making a link: %v", err)
	}
	if err := setEndpoint(path, "https://memory.example.com"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(path); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	check(t, dotfile, "api = \"https://memory.example.com\"\noutput = \"json\"\n", 0o644)
}

func TestSetEndpointFails(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "x", 0o600)
	for name, path := range map[string]string{"a folder": dir, "below a file": filepath.Join(dir, "file", "config.toml")} {
		if err := setEndpoint(path, "x"); err == nil || !strings.Contains(err.Error(), "configuration") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		t.Errorf("it has %q, %v; want %q", got, err, content)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
		t.Errorf("its mode is not %v: %v", mode, err)
	}
}
