// Package pipeline makes memories out of conversations: it cuts turns into passages, has an extractor find claims, and
// has them reconciled with what a workspace holds, within the store's transaction.
//
//	p := pipeline.New(extract.NewRules())
//	if err := p.Form(ctx, store, job, time.Now()); err != nil {
//		return err
//	}
//	outcome, err := p.Plan(ctx, store, "team.app", submission) // the same decisions; nothing is written
package pipeline
