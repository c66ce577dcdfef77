package formation_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/formation"
)

func TestCheckTurns(t *testing.T) {
	user := func(content string) formation.Turn { return formation.Turn{Role: formation.RoleUser, Content: content} }
	ok := user("hello")
	tests := []struct {
		name     string
		turns    []formation.Turn
		turn     int
		field    string
		tooLarge bool
		valid    bool
	}{
		{name: "one", turns: []formation.Turn{ok}, valid: true},
		{name: "most", turns: slices.Repeat([]formation.Turn{ok}, formation.MaxTurns), valid: true},
		{name: "longest", turns: []formation.Turn{user(strings.Repeat("é", formation.MaxTurnBytes/2))}, valid: true},
		{name: "escape characters", turns: []formation.Turn{user("\x1b[31mred\x1b[0m")}, valid: true},
		{name: "none", turn: -1},
		{name: "too many", turns: slices.Repeat([]formation.Turn{ok}, formation.MaxTurns+1), turn: -1, tooLarge: true},
		{name: "no role", turns: []formation.Turn{ok, {Content: "x"}}, turn: 1, field: "role"},
		{name: "unknown role", turns: []formation.Turn{{Role: "User", Content: "x"}}, field: "role"},
		{name: "blank", turns: []formation.Turn{ok, user(" \n\t\u00a0")}, turn: 1, field: "content"},
		{name: "too long", turns: []formation.Turn{user(strings.Repeat("x", formation.MaxTurnBytes+1))}, field: "content", tooLarge: true},
		{name: "NUL", turns: []formation.Turn{user("a\x00b")}, field: "content"},
		{name: "not UTF-8", turns: []formation.Turn{user("a\xff")}, field: "content"},
		{name: "a surrogate's bytes", turns: []formation.Turn{user("\xed\xa0\x80")}, field: "content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := formation.CheckTurns(tt.turns)
			if tt.valid {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var e *formation.TurnError
			if !errors.As(err, &e) {
				t.Fatalf("error = %v, want a *TurnError", err)
			}
			if e.Turn != tt.turn || e.Field != tt.field || e.TooLarge != tt.tooLarge || e.Error() == "" {
				t.Errorf("error = %+v, want turn %d, field %q, too large %v", e, tt.turn, tt.field, tt.tooLarge)
			}
		})
	}
}
