// Package reconcile decides what becomes of the passages and claims of a conversation, given what a workspace holds.
//
//	outcome, err := reconcile.Decide(ctx, held, reconcile.Input{
//		Handle:     job.Handle,
//		ObservedAt: observed,
//		Dated:      true,
//		Now:        time.Now(),
//		Segments:   segment.Turns(turns),
//		Claims:     claims,
//		Extractor:  extract.Info(extractor),
//	})
//
// It decides in the order of the conversation and keeps no state: the same input and the same memory give the same
// outcome. A claim retires what is held only when the relation holds one target at a time and there is evidence of a
// change; a claim whose passage is held already retires nothing, so that a conversation that is sent again as it grows
// cannot undo what was learned since.
package reconcile
