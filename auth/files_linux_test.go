package auth

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnsafeFiles has a session's file as an attacker or an accident could leave it.
func TestUnsafeFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"link":              {replaceBy(func(path, aside string) error { return os.Symlink(aside, path) }), "it is a link"},
		"dangling link":     {replaceBy(func(path, _ string) error { return os.Symlink("/nonexistent", path) }), "it is a link"},
		"pipe":              {replaceBy(func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }), "not a regular file"},
		"folder":            {replaceBy(func(path, _ string) error { return os.Mkdir(path, 0o700) }), "not a regular file"},
		"readable by group": {func(t *testing.T, path string) { chmod(t, path, 0o640) }, "others may read"},
		"writable by all":   {func(t *testing.T, path string) { chmod(t, path, 0o602) }, "others may read"},
		"of another user":   {chown, "belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := testSessions(t)
			save(t, s, testSession(PlaceFile, "token-1"))
			tt.spoil(t, s.File(testEndpoint))
			if _, err := s.Load(t.Context(), testEndpoint); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("loading: %v", err)
			}
			if err := s.Save(t.Context(), testSession(PlaceFile, "token-2")); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("saving: %v", err)
			}
		})
	}
}

func replaceBy(spoil func(path, aside string) error) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		t.Helper()
		aside := filepath.Join(t.TempDir(), "aside")
		if err := os.Rename(path, aside); err != nil {
			t.Fatal(err)
		}
		if err := spoil(path, aside); err != nil {
			t.Fatal(err)
		}
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
}

func TestUnsafeFolders(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"link":            {replaceBy(func(path, aside string) error { return os.Symlink(aside, path) }), "it is a link"},
		"file":            {replaceBy(func(path, _ string) error { return os.WriteFile(path, nil, 0o600) }), ""},
		"open to others":  {func(t *testing.T, path string) { chmod(t, path, 0o755) }, "others may read"},
		"of another user": {chown, "belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := testSessions(t)
			save(t, s, testSession(PlaceFile, "token-1"))
			tt.spoil(t, s.dir)
			if _, err := s.Load(t.Context(), testEndpoint); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("loading: %v", err)
			}
			if err := s.Save(t.Context(), testSession(PlaceFile, "token-2")); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("saving: %v", err)
			}
		})
	}
}

// TestFullDisk writes where nothing fits: the session before it stays.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8k,mode=0700"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	s := NewSessions(filepath.Join(dir, "sessions"), nil)
	save(t, s, testSession(PlaceFile, "token-1"))
	big := testSession(PlaceFile, strings.Repeat("t", 64<<10))
	if err := s.Save(t.Context(), big); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("saving: %v", err)
	}
	if got, err := s.Load(t.Context(), testEndpoint); err != nil || got.bearer() != "token-1" {
		t.Errorf("the session before it: %v, %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRenewalOnAFullDisk goes on with tokens that could not be saved, and saves them when there is room again.
func TestRenewalOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=32k,mode=0700"); err != nil {
		t.Skipf("mounting a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	r := newRenewal(t)
	r.sessions.dir = filepath.Join(dir, "sessions")
	r.signIn("t", 90*time.Second)
	c, err := Resolve(t.Context(), Options{Getenv: func(string) string { return "" }, Endpoint: parse(t, r.URL), Sessions: another(r.sessions)})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: c.Transport(parse(t, r.URL), http.DefaultTransport)}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 64<<10), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	r.ok(client)
	r.ok(client)
	if r.asked.Load() != 1 || r.refused.Load() != 0 || r.load().bearer() != "t" {
		t.Errorf("%d renewals, %d refusals, kept %+v", r.asked.Load(), r.refused.Load(), r.load().secrets)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	c.source.now = func() time.Time { return time.Now().Add(renewPause + time.Second) }
	r.ok(client)
	if s := r.load(); r.asked.Load() != 1 || s.bearer() != "t+" {
		t.Errorf("%d renewals, kept %+v", r.asked.Load(), s.secrets)
	}
}
