package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func TestPassageRange(t *testing.T) {
	for _, ws := range []int64{1, 2, 1000, maxWorkspaces - 1} {
		low, high := passageRange(ws)
		if low < 0 || high < low {
			t.Errorf("workspace %d has keys %d to %d", ws, low, high)
		}
		if ws > 1 {
			if _, before := passageRange(ws - 1); before != low-1 {
				t.Errorf("workspace %d begins at %d, the one before ends at %d", ws, low, before)
			}
		}
		for _, sequence := range []int64{1, 1 << 20, 1<<sequenceBits - 1} {
			key := passageKey(ws, sequence)
			if key <= low || key > high || sequenceOf(key) != sequence {
				t.Errorf("passage %d of workspace %d has key %d", sequence, ws, key)
			}
		}
	}
	if _, high := passageRange(maxWorkspaces - 1); high != math.MaxInt64 {
		t.Errorf("the last key is %d", high)
	}
}

func opened(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestConnections(t *testing.T) {
	s := opened(t)
	want := map[*sql.DB]map[string]int{
		s.writer:  {"foreign_keys": 1, "synchronous": 2, "secure_delete": 1, "query_only": 0, "cache_size": -2048},
		s.readers: {"foreign_keys": 1, "query_only": 1, "cache_size": -2048},
	}
	for db, settings := range want {
		for name, value := range settings {
			var got int
			if err := db.QueryRow(`PRAGMA ` + name).Scan(&got); err != nil || got != value {
				t.Errorf("%s is %d, %v; want %d", name, got, err, value)
			}
		}
	}
	if _, err := s.readers.Exec(`DELETE FROM workspaces`); err == nil {
		t.Error("a reader can write")
	}
}

func TestWorkspaceNumbers(t *testing.T) {
	s := opened(t)
	ctx := t.Context()
	number := func(name string) (id int64) {
		t.Helper()
		if _, err := s.CreateWorkspace(ctx, name, "", time.Now()); err != nil {
			t.Fatal(err)
		}
		err := s.readIn(ctx, name, func(_ context.Context, _ *sql.Tx, ws int64) error { id = ws; return nil })
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := number("a")
	if _, err := s.DeleteWorkspace(ctx, "a", time.Now()); err != nil {
		t.Fatal(err)
	}
	if second := number("a"); second <= first {
		t.Errorf("a new workspace has number %d, the erased one had %d", second, first)
	}
	if _, err := s.writer.Exec(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'workspaces'`, maxWorkspaces-1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateWorkspace(ctx, "last", "", time.Now()); !errors.Is(err, errNoNumber) {
		t.Errorf("creating one too many: %v, want %v", err, errNoNumber)
	}
	if _, err := s.Workspace(ctx, "last"); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("reading it: %v, want it absent", err)
	}
}

// TestSearchPlan wants the workspace's range to reach the index, so that others' passages aren't even looked at.
func TestSearchPlan(t *testing.T) {
	s := opened(t)
	for _, query := range []string{matchSQL, matchAsOfSQL} {
		args := []any{`"x"`, 1, 2, 3, 4}[:strings.Count(query, "?")]
		rows, err := s.readers.Query(`EXPLAIN QUERY PLAN `+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		details, err := collect(rows, func(row scanner) (detail string, err error) {
			var id, parent, unused int
			return detail, row.Scan(&id, &parent, &unused, &detail)
		})
		if plan := strings.Join(details, "\n"); err != nil || !strings.Contains(plan, "VIRTUAL TABLE INDEX 0:M") ||
			!strings.Contains(plan, "><") {
			t.Errorf("the plan is %s, %v; want a match with both bounds", plan, err)
		}
	}
}

// TestIndexesLead wants every list and lookup of the graph and of formations to go through the workspace.
func TestIndexesLead(t *testing.T) {
	s := opened(t)
	queries := []string{
		`SELECT * FROM assertions WHERE workspace = 1 AND (asserted_at, key) < (9, 9) ORDER BY asserted_at DESC, key DESC LIMIT 5`,
		`SELECT * FROM assertions WHERE workspace = 1 AND source = 'x' AND ('y' = '' OR relation = 'y')`,
		`SELECT * FROM assertions WHERE workspace = 1 AND target = 'x'`,
		`SELECT * FROM assertions WHERE workspace = 1 AND passage = 'x'`,
		`SELECT * FROM formations WHERE workspace = 1 AND (submitted_at, key) < (9, 9) ORDER BY submitted_at DESC, key DESC`,
		`SELECT * FROM formations WHERE workspace = 1 AND state = 'failed' AND (submitted_at, key) < (9, 9)
			ORDER BY submitted_at DESC, key DESC`,
		`SELECT * FROM entities WHERE workspace = 1 ORDER BY key`,
		`SELECT * FROM passages WHERE workspace = 1 AND prev = 'x'`,
		`SELECT count(*) FROM passages WHERE workspace = 1`,
	}
	for _, query := range queries {
		rows, err := s.readers.Query(`EXPLAIN QUERY PLAN ` + query)
		if err != nil {
			t.Fatal(err)
		}
		details, err := collect(rows, func(row scanner) (detail string, err error) {
			var id, parent, unused int
			return detail, row.Scan(&id, &parent, &unused, &detail)
		})
		plan := strings.Join(details, "\n")
		if err != nil || !strings.Contains(plan, "(workspace=?") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nhas the plan %s, %v", query, plan, err)
		}
	}
}
