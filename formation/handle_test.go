package formation_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/formation"
)

type vector struct {
	Name       string           `json:"name"`
	Turns      []formation.Turn `json:"turns"`
	ObservedAt *time.Time       `json:"observed_at"`
	SHA256     string           `json:"canonical_sha256"`
	Handle     string           `json:"handle"`
}

func vectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/handles.json")
	if err != nil {
		t.Fatal(err)
	}
	var vs []vector
	if err := json.Unmarshal(data, &vs); err != nil {
		t.Fatal(err)
	}
	if len(vs) < 6 {
		t.Fatalf("%d vectors, want at least 6", len(vs))
	}
	return vs
}

func TestHandleVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			sum := sha256.Sum256(formation.Canonical(v.Turns, v.ObservedAt))
			if got := hex.EncodeToString(sum[:]); got != v.SHA256 {
				t.Errorf("canonical digest = %s, want %s", got, v.SHA256)
			}
			if got := formation.Handle(v.Turns, v.ObservedAt); got != v.Handle {
				t.Errorf("handle = %s, want %s", got, v.Handle)
			}
			if !formation.ValidHandle(v.Handle) {
				t.Errorf("ValidHandle(%s) = false", v.Handle)
			}
		})
	}
}

func TestHandleIsOfTheInstant(t *testing.T) {
	vs := vectors(t)
	for i, written := range map[int]string{2: "2025-03-30T00:30:00Z", 3: "2024-12-31T23:59:59.25Z"} {
		at, err := time.Parse(time.RFC3339Nano, written)
		if err != nil {
			t.Fatal(err)
		}
		if got := formation.Handle(vs[i].Turns, &at); got != vs[i].Handle {
			t.Errorf("%s at %s: handle = %s, want %s", vs[i].Name, written, got, vs[i].Handle)
		}
	}
}

func TestHandleKeepsTurnsApart(t *testing.T) {
	one := vectors(t)[4]
	two := []formation.Turn{{Role: formation.RoleUser, Content: "a"}, {Role: formation.RoleUser, Content: "b"}}
	if formation.Handle(two, nil) == one.Handle {
		t.Error("two turns have the handle of one that imitates them")
	}
}

func TestCanonicalLayout(t *testing.T) {
	at := time.Date(2025, 3, 30, 1, 30, 0, 0, time.FixedZone("", 3600))
	got := formation.Canonical([]formation.Turn{{Role: formation.RoleUser, Content: "hello"}}, &at)
	want := "lukasa.formation.v1\nuser\n5\nhello\n@2025-03-30T00:30:00Z"
	if string(got) != want {
		t.Errorf("canonical = %q, want %q", got, want)
	}
}

func TestValidHandle(t *testing.T) {
	good := "fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho"
	for handle, want := range map[string]bool{
		good: true, "": false, "fm_": false, good + "a": false, good[:len(good)-1]: false,
		"FM_ii5pcxiiy4rlwu263eqhyxexln4do6ho": false, "fm_Ii5pcxiiy4rlwu263eqhyxexln4do6ho": false,
		"fm_1i5pcxiiy4rlwu263eqhyxexln4do6ho": false, "fm_../../../../../../../../../../../": false,
	} {
		if got := formation.ValidHandle(handle); got != want {
			t.Errorf("ValidHandle(%q) = %v, want %v", handle, got, want)
		}
	}
}

// FuzzCanonical reads the encoding back: what can be read back to the same turns can't be the encoding of others.
func FuzzCanonical(f *testing.F) {
	f.Add("a", "b", byte(0), byte(1), int64(0), false)
	f.Add("a\nuser\n1\nb", "", byte(0), byte(0), int64(1), true)
	f.Add("@2025-03-30T00:30:00Z", "5\n", byte(3), byte(2), int64(-1), true)
	f.Add("é", "e\u0301", byte(1), byte(1), int64(1e18), true)
	f.Fuzz(func(t *testing.T, a, b string, ra, rb byte, nanos int64, dated bool) {
		roles := []formation.Role{"user", "assistant", "system", "tool"}
		turns := []formation.Turn{{Role: roles[ra%4], Content: a}, {Role: roles[rb%4], Content: b}}
		var at *time.Time
		if dated {
			when := time.Unix(0, nanos)
			at = &when
		}
		back, rest := decode(t, formation.Canonical(turns, at))
		if len(back) != 2 || back[0] != turns[0] || back[1] != turns[1] {
			t.Fatalf("decoded %q, want %q", back, turns)
		}
		if dated {
			when, err := time.Parse("@"+time.RFC3339Nano, rest)
			if err != nil || !when.Equal(*at) {
				t.Fatalf("decoded time %q (%v), want %v", rest, err, at)
			}
		} else if rest != "" {
			t.Fatalf("%q is left over", rest)
		}
		split := append(turns[:1:1], formation.Turn{Role: turns[1].Role, Content: b + "\n"})
		if formation.Handle(split, at) == formation.Handle(turns, at) {
			t.Fatal("different turns have the same handle")
		}
	})
}

// decode parses a canonical encoding strictly by its lengths and returns what follows the turns.
func decode(t *testing.T, b []byte) (turns []formation.Turn, rest string) {
	t.Helper()
	b, ok := bytes.CutPrefix(b, []byte("lukasa.formation.v1\n"))
	if !ok {
		t.Fatal("no version line")
	}
	for len(b) > 0 && b[0] != '@' {
		role, after, _ := bytes.Cut(b, []byte("\n"))
		length, after, _ := bytes.Cut(after, []byte("\n"))
		n := 0
		for _, d := range length {
			n = n*10 + int(d-'0')
		}
		if n+1 > len(after) || after[n] != '\n' {
			t.Fatalf("a length of %d does not end at a line feed", n)
		}
		turns = append(turns, formation.Turn{Role: formation.Role(role), Content: string(after[:n])})
		b = after[n+1:]
	}
	return turns, string(b)
}
