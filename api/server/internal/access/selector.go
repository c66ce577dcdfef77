package access

import (
	"fmt"
	"strings"

	"github.com/lukasa-dev/lukasa/api"
)

// Selector says which workspaces a credential reaches: an exact name, "prefix.*" for all names below prefix (not prefix
// itself), or "*" for all. The zero Selector reaches nothing.
type Selector struct{ text string }

// Everything is the selector that reaches every workspace.
func Everything() Selector { return Selector{"*"} }

// ParseSelector reads a selector strictly: no white space, no other wild cards.
func ParseSelector(s string) (Selector, error) {
	name := strings.TrimSuffix(s, ".*")
	if s != "*" && !api.ValidWorkspaceName(name) {
		return Selector{}, fmt.Errorf("%.140q is not a selector: write a workspace's name, prefix.* or *", s)
	}
	return Selector{s}, nil
}

func (s Selector) String() string { return s.text }

// prefix returns "p." for a selector "p.*", "" for "*", and ok false for an exact name.
func (s Selector) prefix() (prefix string, ok bool) {
	return strings.CutSuffix(s.text, "*")
}

// Covers reports whether s reaches the workspace called name. A name that no workspace can have is never covered.
func (s Selector) Covers(name string) bool {
	if !api.ValidWorkspaceName(name) {
		return false
	}
	if prefix, ok := s.prefix(); ok {
		return strings.HasPrefix(name, prefix)
	}
	return s.text == name
}

// Includes reports whether s reaches every workspace that other reaches.
func (s Selector) Includes(other Selector) bool {
	below, many := other.prefix()
	if !many {
		return s.Covers(other.text)
	}
	prefix, ok := s.prefix()
	return ok && strings.HasPrefix(below, prefix)
}
