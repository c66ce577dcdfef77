// Package memory is the domain of the memory API: what a store holds, the rules that identify it, and the [Store]
// interface that SQLite and PostgreSQL implement.
//
// Shapes that people see are those of the contract (package api). This package adds what only the server needs: jobs,
// outcomes before they are written, and identities derived from content.
//
//	job, err := store.Lease(ctx, owner, now, now.Add(time.Minute))
//	if errors.Is(err, memory.ErrNoJob) {
//		return nil // the queue is empty
//	}
//	err = store.Form(ctx, job, now, func(ctx context.Context, held memory.Held) (memory.Outcome, error) {
//		return reconcile(ctx, held, claims) // reads what is held, decides, returns what to write
//	})
package memory
