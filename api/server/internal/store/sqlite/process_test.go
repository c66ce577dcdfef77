package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
	"github.com/lukasa-dev/lukasa/api/server/internal/store/sqlite"
	"github.com/lukasa-dev/lukasa/formation"
)

// roleVariable tells the test binary to be another process on the same file, and which.
const roleVariable = "SQLITE_TEST_ROLE"

func TestMain(m *testing.M) {
	role, path, found := strings.Cut(os.Getenv(roleVariable), ":")
	if !found {
		os.Exit(m.Run())
	}
	if err := playRole(context.Background(), role, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func playRole(ctx context.Context, role, path string) error {
	store, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer store.Close()
	name, count, _ := strings.Cut(role, "-")
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	switch name {
	case "submit":
		return submitMany(ctx, store, n)
	case "work":
		return workUntil(ctx, store, n)
	}
	return errors.New("no such role: " + role)
}

func child(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role+":"+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func submission(text string) memory.Submission {
	turns := []api.Turn{{Role: formation.RoleUser, Content: text}}
	return memory.Submission{Handle: formation.Handle(turns, nil), Turns: turns, SubmittedAt: time.Now()}
}

// submitMany submits n conversations of this process and prints each handle once it is durable.
func submitMany(ctx context.Context, store *sqlite.Store, n int) error {
	for i := range n {
		s := submission(fmt.Sprintf("process %d says %d", os.Getpid(), i))
		if _, accepted, err := store.Submit(ctx, "demo", s); err != nil || !accepted {
			return fmt.Errorf("submission %d: accepted %v, %w", i, accepted, err)
		}
		fmt.Println(s.Handle)
	}
	return nil
}

// workUntil forms conversations until the workspace has n that are finished.
func workUntil(ctx context.Context, store *sqlite.Store, n int) error {
	owner := fmt.Sprint("process ", os.Getpid())
	for {
		job, err := store.Lease(ctx, owner, time.Now(), time.Now().Add(300*time.Millisecond))
		if errors.Is(err, memory.ErrNoJob) {
			w, err := store.Workspace(ctx, "demo")
			if err != nil || w.Counts.Passages >= n {
				return err
			}
			time.Sleep(time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		fmt.Println("leased")
		if err := formOne(ctx, store, job); err != nil && !errors.Is(err, memory.ErrLeaseLost) {
			return err
		}
	}
}

func formOne(ctx context.Context, store *sqlite.Store, job *memory.Job) error {
	return store.Form(ctx, job, time.Now(), func(context.Context, memory.Held) (memory.Outcome, error) {
		time.Sleep(5 * time.Millisecond) // long enough to be killed at
		text := job.Turns[0].Content
		return memory.Outcome{Passages: []memory.NewPassage{{Passage: api.Passage{
			ID: memory.PassageID("user", text), Text: text, Role: "user", Formation: job.Handle, SaidAt: job.SubmittedAt,
		}}}}, nil
	})
}

func demo(t *testing.T) (path string, store *sqlite.Store) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	store = open(t, path)
	t.Cleanup(func() { store.Close() })
	if _, err := store.CreateWorkspace(t.Context(), "demo", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	return path, store
}

// TestProcesses has several processes submit to one file at once: none fails, nothing is lost.
func TestProcesses(t *testing.T) {
	const processes, each = 3, 500
	path, store := demo(t)
	var children []*exec.Cmd
	for range processes {
		cmd := child(t, fmt.Sprintf("submit-%d", each), path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	depth, _, err := store.QueueDepth(t.Context())
	if depth != processes*each || err != nil {
		t.Errorf("%d formations are queued, %v; want %d", depth, err, processes*each)
	}
}

// TestKilled kills a process that submits and one that forms, at any moment. What was accepted is there, the file opens,
// and others finish the rest, each exactly once.
func TestKilled(t *testing.T) {
	path, store := demo(t)
	accepted := killAfter(t, child(t, "submit-100000", path), 120)
	for _, handle := range accepted {
		if f, err := store.Formation(t.Context(), "demo", handle); err != nil || f.State != api.FormationQueued {
			t.Errorf("accepted %s is %q after the kill, %v", handle, f.State, err)
		}
	}
	for range 3 {
		killAfter(t, child(t, "work-100000", path), 5)
	}
	w, err := store.Workspace(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	if err := child(t, fmt.Sprintf("work-%d", w.Counts.Formations), path).Run(); err != nil {
		t.Fatalf("finishing the rest: %v", err)
	}
	w, err = store.Workspace(t.Context(), "demo")
	if err != nil || w.Counts.Passages != w.Counts.Formations || w.Counts.Formations < len(accepted) {
		t.Errorf("counts %+v, %v; want a passage for each formation", w.Counts, err)
	}
	var verdict string
	if err := raw(t, path).QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("the file is %q, %v", verdict, err)
	}
	if _, err := raw(t, path).Exec(`INSERT INTO passages_index (passages_index) VALUES ('integrity-check')`); err != nil {
		t.Errorf("the index: %v", err)
	}
}

// killAfter starts a process, kills it once it has printed n lines, and returns those lines and the ones it still printed.
func killAfter(t *testing.T, cmd *exec.Cmd, n int) (lines []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
		if len(lines) == n {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended before it was killed")
	}
	if len(lines) < n {
		t.Fatalf("the process printed %d lines, want %d", len(lines), n)
	}
	return lines
}
