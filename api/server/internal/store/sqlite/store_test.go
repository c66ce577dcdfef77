package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/storetest"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	return store
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) memory.Store {
		return open(t, filepath.Join(t.TempDir(), "memory.db"))
	})
}
