// Package jobs runs the formations that wait in a store's queue.
//
// A [Worker] leases one formation at a time, keeps the lease alive while the formation is made, and hands it back when
// it stops. Several workers, in several processes, may share a store. A [Board] tells waiters in the same process that
// a formation was submitted or has ended; what happens in other processes is found by polling.
//
//	board := jobs.NewBoard()
//	worker := jobs.NewWorker(store, former, jobs.Options{Owner: owner, Board: board, Logger: logger})
//	go worker.Run(ctx)
//
//	ended, stop := board.Watch(workspace, handle)
//	defer stop()
//	select {
//	case <-ended: // look at the store
//	case <-ctx.Done():
//	}
package jobs
