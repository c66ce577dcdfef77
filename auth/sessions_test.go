package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const testEndpoint = "https://memory.example.com"

// memoryRing is a keyring that lives as long as the test, and fails when it is told to.
type memoryRing struct {
	mu    sync.Mutex
	items map[string][]byte
	err   error
	asked int
}

func newMemoryRing() *memoryRing { return &memoryRing{items: map[string][]byte{}} }

func (r *memoryRing) get(_ context.Context, endpoint string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	key, ok := r.items[endpoint]
	switch {
	case r.err != nil:
		return nil, r.err
	case !ok:
		return nil, errRingHasNone
	}
	return key, nil
}

func (r *memoryRing) set(_ context.Context, endpoint string, key []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.items[endpoint] = bytes.Clone(key)
	}
	return r.err
}

func (r *memoryRing) remove(_ context.Context, endpoint string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.items, endpoint)
	return r.err
}

func testSessions(t *testing.T) (*Sessions, *memoryRing) {
	t.Helper()
	ring := newMemoryRing()
	s := NewSessions(filepath.Join(t.TempDir(), "sessions"), nil)
	s.ring = ring
	return s, ring
}

// another is the same store as another process has it.
func another(s *Sessions) *Sessions {
	return &Sessions{dir: s.dir, ring: s.ring, keys: map[string][]byte{}}
}

func testSession(place Place, token string) *Session {
	now := time.Now().UTC().Round(0)
	return &Session{Endpoint: testEndpoint, Kind: KindSession, Place: place, secrets: secrets{
		Access: token, Refresh: "refresh-" + token, Obtained: now, Expires: now.Add(time.Hour),
		TokenURL: "https://id.example.com/token", RevokeURL: "https://id.example.com/revoke", ClientID: DefaultClientID,
	}}
}

func save(t *testing.T, s *Sessions, session *Session) {
	t.Helper()
	if err := s.Save(t.Context(), session); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsRoundTrip(t *testing.T) {
	for _, place := range []Place{PlaceFile, PlaceKeyring} {
		t.Run(string(place), func(t *testing.T) {
			s, _ := testSessions(t)
			want := testSession(place, "token-1")
			save(t, s, want)
			got, err := another(s).Load(t.Context(), testEndpoint)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Session{}, secrets{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			data, err := os.ReadFile(s.File(testEndpoint))
			if err != nil {
				t.Fatal(err)
			}
			if open := strings.Contains(string(data), "token-1"); open != (place == PlaceFile) {
				t.Errorf("the file has the token in the clear: %t", open)
			}
			for path, mode := range map[string]os.FileMode{s.dir: 0o700, s.File(testEndpoint): 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v", path, info.Mode(), err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(s.dir, ".new-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSessionIsNeverPrinted(t *testing.T) {
	s := testSession(PlaceFile, "hush")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(verb, s); strings.Contains(text, "hush") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

// TestKeyringIsAskedOnce opens a session again and again: what is renewed is sealed with the same key.
func TestKeyringIsAskedOnce(t *testing.T) {
	s, ring := testSessions(t)
	save(t, s, testSession(PlaceKeyring, "token-1"))
	reader := another(s)
	ring.asked = 0
	for i := range 5 {
		save(t, s, testSession(PlaceKeyring, fmt.Sprint("token-", i)))
		if _, err := reader.Load(t.Context(), testEndpoint); err != nil {
			t.Fatal(err)
		}
	}
	if ring.asked != 1 {
		t.Errorf("it was asked %d times", ring.asked)
	}
	// After a sign-out and another sign-in the key is another one, which a running process has to ask for.
	if _, err := s.Logout(t.Context(), parse(t, testEndpoint), nil); err != nil {
		t.Fatal(err)
	}
	save(t, another(s), testSession(PlaceKeyring, "token-9"))
	if got, err := reader.Load(t.Context(), testEndpoint); err != nil || got.bearer() != "token-9" {
		t.Errorf("after a new login: %v, %v", got, err)
	}
}

func TestKeyringFailures(t *testing.T) {
	for _, fault := range []error{ErrKeyringLocked, ErrKeyringAbsent, ErrKeyringSilent} {
		s, ring := testSessions(t)
		save(t, s, testSession(PlaceKeyring, "token-1"))
		ring.err = fault
		if _, err := another(s).Load(t.Context(), testEndpoint); !errors.Is(err, fault) || !errors.Is(err, ErrUnusable) {
			t.Errorf("loading: %v, want %v", err, fault)
		}
		if err := another(s).Prepare(t.Context(), testEndpoint, PlaceKeyring); !errors.Is(err, fault) {
			t.Errorf("preparing: %v, want %v", err, fault)
		}
		if err := another(s).Prepare(t.Context(), testEndpoint, PlaceFile); err != nil {
			t.Errorf("preparing a file: %v", err)
		}
		if _, err := s.Load(t.Context(), testEndpoint); err != nil {
			t.Errorf("a process that has the key: %v", err)
		}
	}
}

func TestLostKeyOfTheKeyring(t *testing.T) {
	s, ring := testSessions(t)
	save(t, s, testSession(PlaceKeyring, "token-1"))
	ring.items[testEndpoint] = newSealKey()
	if _, err := another(s).Load(t.Context(), testEndpoint); !errors.Is(err, ErrUnusable) || !errors.Is(err, errSeal) {
		t.Errorf("with another key: %v", err)
	}
	delete(ring.items, testEndpoint)
	if _, err := another(s).Load(t.Context(), testEndpoint); !errors.Is(err, ErrUnusable) || !strings.Contains(err.Error(), "does not have its key") {
		t.Errorf("without a key: %v", err)
	}
}

// TestSealedPartIsBound moves a sealed part to another endpoint's file, with and without changing what is around it.
func TestSealedPartIsBound(t *testing.T) {
	const other = "https://other.example.com"
	s, ring := testSessions(t)
	save(t, s, testSession(PlaceKeyring, "token-1"))
	data, err := os.ReadFile(s.File(testEndpoint))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"as it is": data,
		"renamed":  bytes.ReplaceAll(data, []byte(testEndpoint), []byte(other)),
	} {
		if err := os.WriteFile(s.File(other), content, 0o600); err != nil {
			t.Fatal(err)
		}
		ring.items[other] = ring.items[testEndpoint]
		if got, err := another(s).Load(t.Context(), other); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	s, _ := testSessions(t)
	save(t, s, testSession(PlaceFile, "token-1"))
	whole, err := os.ReadFile(s.File(testEndpoint))
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(e map[string]any)) []byte {
		var e map[string]any
		if err := json.Unmarshal(whole, &e); err != nil {
			t.Fatal(err)
		}
		f(e)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, tt := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":          {nil, "damaged"},
		"truncated":      {whole[:len(whole)/2], "damaged"},
		"zeros":          {make([]byte, len(whole)), "damaged"},
		"another thing":  {[]byte(`"text"`), "damaged"},
		"no token":       {change(func(e map[string]any) { e["secrets"] = map[string]any{} }), "damaged"},
		"bad token":      {change(func(e map[string]any) { e["secrets"].(map[string]any)["access_token"] = "a\nb" }), "damaged"},
		"no secrets":     {change(func(e map[string]any) { delete(e, "secrets") }), "damaged"},
		"unknown store":  {change(func(e map[string]any) { e["store"] = "cloud" }), "damaged"},
		"later version":  {change(func(e map[string]any) { e["version"] = 2 }), "later lukasa"},
		"other endpoint": {change(func(e map[string]any) { e["endpoint"] = "https://evil.example.com" }), "another endpoint"},
		"huge":           {bytes.Repeat([]byte(" "), maxSessionFile+1), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(s.File(testEndpoint), tt.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := s.Load(t.Context(), testEndpoint)
			if !errors.Is(err, ErrUnusable) || errors.Is(err, ErrNotSignedIn) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), s.File(testEndpoint)) {
				t.Errorf("loading: %v", err)
			}
			if left, err := os.ReadFile(s.File(testEndpoint)); err != nil || !bytes.Equal(left, tt.content) {
				t.Error("reading it changed it")
			}
			save(t, s, testSession(PlaceFile, "token-2")) // a new login mends it
			if got, err := s.Load(t.Context(), testEndpoint); err != nil || got.bearer() != "token-2" {
				t.Errorf("after a new login: %v, %v", got, err)
			}
		})
	}
}

// TestConcurrentWriters has readers that never see anything but whole sessions.
func TestConcurrentWriters(t *testing.T) {
	s, _ := testSessions(t)
	save(t, s, testSession(PlaceKeyring, "token-0"))
	ctx, cancel := context.WithCancel(t.Context())
	var writers, readers sync.WaitGroup
	for range 4 {
		reader := another(s)
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := reader.Load(t.Context(), testEndpoint); err != nil {
					t.Errorf("reading: %v", err)
					return
				}
			}
		})
	}
	for w := range 4 {
		writer := another(s)
		writers.Go(func() {
			for i := range 20 {
				if err := writer.Save(t.Context(), testSession(PlaceKeyring, fmt.Sprintf("token-%d-%d", w, i))); err != nil {
					t.Errorf("writing: %v", err)
				}
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
}

func TestLockThatIsHeld(t *testing.T) {
	s, _ := testSessions(t)
	save(t, s, testSession(PlaceFile, "token-1"))
	unlock, err := s.lock(t.Context(), testEndpoint)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := another(s).lock(short, testEndpoint); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: %v", err)
	}
	unlock()
	// Whoever gave up must not keep what it got afterwards.
	again, err := another(s).lock(t.Context(), testEndpoint)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestSessionFilesOfEndpointsDiffer(t *testing.T) {
	s, _ := testSessions(t)
	seen := map[string]string{}
	for _, endpoint := range []string{
		"https://a.example.com", "http://a.example.com", "https://a.example.com:8443", "https://a.example.com/x",
		"https://a.example.com/X", "https://A.example.com", "https://[::1]:1", "https://" + strings.Repeat("a", 200), "https://../../etc",
	} {
		file := s.File(endpoint)
		if filepath.Dir(file) != s.dir || seen[file] != "" {
			t.Errorf("%s has the file %s, as has %q", endpoint, file, seen[file])
		}
		seen[file] = endpoint
	}
}
