package cmd_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// TestKilledServerLosesNothing kills a server with SIGKILL at random points of its formations, again and again. What
// was accepted must be formed exactly once in the end, and its outcome readable.
func TestKilledServerLosesNothing(t *testing.T) {
	kills := 5
	if soak() {
		kills = 50
	}
	m := newMachine(t)
	dsn := "sqlite:" + filepath.Join(m.dir, "team.db")
	key := m.adminKey(dsn)
	srv := m.serve(dsn, key)
	if _, err := srv.client(t).Workspaces.Create(t.Context(), api.CreateWorkspace{Name: "crash"}); err != nil {
		t.Fatal(err)
	}
	accepted := &acceptedHandles{}
	for round := range kills {
		submitting, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for writer := range 3 {
			wg.Go(func() { accepted.submit(submitting, srv.client(t), round, writer) })
		}
		time.Sleep(time.Duration(rand.N(80)) * time.Millisecond)
		srv.kill()
		cancel()
		wg.Wait()
		srv = m.serve(dsn, key)
	}
	if len(accepted.handles) < kills {
		t.Fatalf("only %d formations were accepted in %d rounds", len(accepted.handles), kills)
	}

	client := srv.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	written := 0
	for _, handle := range accepted.handles {
		f, err := client.Formations.Wait(ctx, "crash", handle)
		if err != nil {
			t.Fatalf("an accepted formation is lost: %v", err)
		}
		if f.State != api.FormationFinished || f.Writes.Passages != 2 || len(f.Candidates) < 2 {
			t.Errorf("formation %s is %s and wrote %d passages, want finished and 2", handle, f.State, f.Writes.Passages)
		}
	}
	// A formation whose answer was lost in a crash is there as well, or not at all; all of them together wrote each
	// passage once.
	for f, err := range client.Formations.All(ctx, "crash", api.FormationListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if done, err := client.Formations.Wait(ctx, "crash", f.Handle); err != nil {
			t.Fatal(err)
		} else {
			written += done.Writes.Passages
		}
	}
	w, err := client.Workspaces.Get(ctx, "crash")
	if err != nil {
		t.Fatal(err)
	}
	if w.Counts.Passages != written {
		t.Errorf("%d passages are held, but formations wrote %d", w.Counts.Passages, written)
	}
	if code := srv.stop(); code != 0 {
		t.Errorf("a stopped server exits with %d", code)
	}
}

type acceptedHandles struct {
	mu      sync.Mutex
	handles []string
}

// submit sends conversations until the server is gone, and keeps the handles that were accepted.
func (a *acceptedHandles) submit(ctx context.Context, c *api.Client, round, writer int) {
	for i := 0; ; i++ {
		f, err := c.Formations.Submit(ctx, "crash", api.SubmitFormation{Turns: turns(
			fmt.Sprintf("In round %d writer %d noted as number %d that the pump was serviced.", round, writer, i),
			fmt.Sprintf("And in round %d writer %d saw, number %d, that the valve is closed.", round, writer, i),
		)})
		if err != nil {
			return
		}
		a.mu.Lock()
		a.handles = append(a.handles, f.Handle)
		a.mu.Unlock()
	}
}
