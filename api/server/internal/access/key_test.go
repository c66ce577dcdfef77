package access_test

import (
	"crypto/sha256"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

func TestGenerateKey(t *testing.T) {
	form := regexp.MustCompile(`^lukasa_sk_[0-9A-Za-z]{49}$`)
	seen := make(map[string]bool)
	for range 200 {
		key, err := access.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		if !form.MatchString(key) {
			t.Errorf("%q doesn't have the form of a key", key)
		}
		if err := access.ParseKey(key); err != nil {
			t.Errorf("parsing %q: %v", key, err)
		}
		if seen[key] {
			t.Errorf("%q came twice", key)
		}
		seen[key] = true
	}
}

// goldenKey was made once. What was handed out must be a key for ever.
const goldenKey = "lukasa_sk_00000000000000000000000000000000000000000070DHPSb"

func TestParseKey(t *testing.T) {
	key, err := access.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	swapped := []byte(key)
	for i := len(access.KeyPrefix); i < len(swapped)-1; i++ {
		if swapped[i] != swapped[i+1] {
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			break
		}
	}
	tests := []struct {
		name, key string
		want      error
	}{
		{"whole", key, nil},
		{"one of the first ever", goldenKey, nil},
		{"empty", "", access.ErrNotKey},
		{"another program's", "sk-" + strings.Repeat("a", 40), access.ErrNotKey},
		{"upper-case prefix", strings.ToUpper(key[:5]) + key[5:], access.ErrNotKey},
		{"prefix alone", access.KeyPrefix, access.ErrMistyped},
		{"cut", key[:len(key)-1], access.ErrMistyped},
		{"longer", key + "0", access.ErrMistyped},
		{"two characters swapped", string(swapped), access.ErrMistyped},
		{"trailing line feed", key + "\n", access.ErrMistyped},
		{"no digits", access.KeyPrefix + strings.Repeat("é", 24) + "0", access.ErrMistyped},
	}
	for _, test := range tests {
		if err := access.ParseKey(test.key); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func TestEveryTypoIsTold(t *testing.T) {
	key, err := access.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for i := len(access.KeyPrefix); i < len(key); i++ {
		for _, c := range []byte("0aZ") {
			typo := key[:i] + string(c) + key[i+1:]
			if typo != key && !errors.Is(access.ParseKey(typo), access.ErrMistyped) {
				t.Errorf("another character at %d goes unnoticed", i)
			}
		}
	}
}

func TestHash(t *testing.T) {
	if got := access.Hash("lukasa_sk_x"); got != sha256.Sum256([]byte("lukasa_sk_x")) {
		t.Errorf("the digest is %x", got)
	}
}

func TestNewKeyID(t *testing.T) {
	id, err := access.NewKeyID()
	if err != nil {
		t.Fatal(err)
	}
	other, err := access.NewKeyID()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^key_[a-z2-7]{16}$`).MatchString(id) || id == other {
		t.Errorf("ids %q and %q", id, other)
	}
}

func FuzzParseKey(f *testing.F) {
	f.Add("lukasa_sk_")
	f.Fuzz(func(t *testing.T, key string) {
		err := access.ParseKey(key)
		if err == nil && !strings.HasPrefix(key, access.KeyPrefix) {
			t.Errorf("%q was taken for a key", key)
		}
	})
}
