package oauth

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestSeal(t *testing.T) {
	p := pair{Access: "lukasa_at_x", Refresh: "lukasa_rt_x", Expires: time.Date(2025, 3, 3, 10, 0, 0, 0, time.UTC)}
	sealed, err := seal(p, "presented")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sealed), "lukasa") {
		t.Error("it can be read")
	}
	if got, err := unseal(sealed, "presented"); err != nil || got != p {
		t.Errorf("unsealed %+v, %v", got, err)
	}
	again, err := seal(p, "presented")
	if err != nil || string(again) == string(sealed) {
		t.Errorf("sealing twice gives the same, %v", err)
	}
	sealed[len(sealed)-1] ^= 1
	for name, try := range map[string]func() error{
		"changed":       func() error { _, err := unseal(sealed, "presented"); return err },
		"another token": func() error { _, err := unseal(again, "another"); return err },
		"cut short":     func() error { _, err := unseal(again[:3], "presented"); return err },
		"nothing":       func() error { _, err := unseal(nil, "presented"); return err },
	} {
		if try() == nil {
			t.Errorf("%s: it was unsealed", name)
		}
	}
}

func TestPasswords(t *testing.T) {
	h := newHasher(PasswordCost{Time: 1, Memory: 64})
	hash, err := h.hash(t.Context(), "pa\u0308ssword")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatalf("hash %q, %v", hash, err)
	}
	if other, err := h.hash(t.Context(), "pa\u0308ssword"); err != nil || other == hash {
		t.Errorf("the same password has the same hash, %v", err)
	}
	dearer := newHasher(PasswordCost{Time: 2, Memory: 128}) // the cost is the hash's own
	for _, tt := range []struct {
		password, hash string
		right          bool
	}{
		{"pa\u0308ssword", hash, true}, {"p\u00e4ssword", hash, true}, {"password", hash, false}, {"", hash, false}, {"", "", false},
		{"x", "", false},
	} {
		if got, err := dearer.verify(t.Context(), tt.password, tt.hash); got != tt.right || err != nil {
			t.Errorf("%q is %v, %v; want %v", tt.password, got, err, tt.right)
		}
	}
	for _, bad := range []string{
		"x", "$argon2i$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$c3VtIHN1bSBzdW0gc3Vt", "$argon2id$v=18$m=64,t=1,p=1$c2FsdHNhbHQ$c3VtIHN1bSBzdW0gc3Vt",
		"$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHQ$c3VtIHN1bSBzdW0gc3Vt", "$argon2id$v=19$m=64,t=0,p=1$c2FsdHNhbHQ$c3VtIHN1bSBzdW0gc3Vt",
		"$argon2id$v=19$m=64,t=1,p=1$$", "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$",
	} {
		if ok, err := h.verify(t.Context(), "x", bad); ok || err == nil {
			t.Errorf("%q is taken for a hash", bad)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range cap(h.slots) {
		h.slots <- struct{}{}
	}
	if _, err := h.hash(ended, "x"); err == nil {
		t.Error("it hashed although too much is being hashed")
	}
}

func TestUserCodes(t *testing.T) {
	seen := make(map[string]bool)
	for range 100 {
		code, err := newUserCode()
		if err != nil || len(code) != 9 || code[4] != '-' || strings.Trim(code, userDigits+"-") != "" || seen[code] {
			t.Fatalf("code %q, %v", code, err)
		}
		seen[code] = true
	}
}
