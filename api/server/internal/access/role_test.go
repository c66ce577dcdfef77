package access

import (
	"strings"
	"testing"
)

func TestValidRoleName(t *testing.T) {
	for name, want := range map[string]bool{
		"looker": true, "a": true, "a-b_2": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "": false,
		"Looker": false, "2a": false, "-a": false, "a b": false, "a/b": false, "é": false, "root": false, "admin": false,
		"member": false, "reader": false,
	} {
		if got := ValidRoleName(name); got != want {
			t.Errorf("ValidRoleName(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestPassesRoot(t *testing.T) {
	for name, tt := range map[string]struct {
		p    Principal
		want bool
	}{
		"the operator":   {Local(), true},
		"root":           {Principal{Kind: KindUser, Role: RoleRoot}, true},
		"a key of root":  {Principal{Kind: KindKey, Role: RoleRoot}, true}, // the operator's: see RequireGrant
		"an admin":       {Principal{Kind: KindUser, Role: RoleAdmin, Permissions: Permissions()}, false},
		"a key of admin": {Principal{Kind: KindKey, Role: RoleAdmin, Permissions: Permissions()}, false},
		"nobody":         {Principal{}, false},
	} {
		if got := tt.p.PassesRoot(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	whole := Principal{Kind: KindUser, Role: RoleRoot, Permissions: Permissions(), Selectors: []Selector{Everything()}}
	if whole.RequireGrant(RoleRoot.Permissions(), nil) == nil {
		t.Error("a key of the role root can be made over the network")
	}
	if err := whole.RequireAll(RoleRoot.Permissions(), []Selector{Everything()}); err != nil {
		t.Errorf("root can't give what root has: %v", err)
	}
}

func TestWellFormed(t *testing.T) {
	secret, err := GenerateSecret("lukasa_xx_")
	if err != nil {
		t.Fatal(err)
	}
	other, err := GenerateSecret("lukasa_xx_")
	if err != nil || other == secret {
		t.Errorf("two secrets are the same, %v", err)
	}
	for s, want := range map[string]bool{
		secret: true, secret[1:]: false, secret + "0": false, secret[:len(secret)-1]: false, "lukasa_xx_": false, "": false,
		strings.Replace(secret, "xx", "yy", 1): false, strings.ToUpper(secret): false,
	} {
		if got := WellFormed("lukasa_xx_", s); got != want {
			t.Errorf("WellFormed(%q) = %v, want %v", s, got, want)
		}
	}
	if WellFormed(KeyPrefix, secret) || ParseKey(secret) == nil {
		t.Error("a secret of another sort is an API key")
	}
}
