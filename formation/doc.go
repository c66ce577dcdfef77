// Package formation has what client and server must agree on about the forming of memories: turns, the handle that is
// derived from them, and the states a formation goes through.
//
// A handle is content-derived: the same conversation has the same handle in every process and for ever, so sending it
// again never makes a second memory.
//
//	turns := []formation.Turn{
//		{Role: formation.RoleUser, Content: "I moved to Utrecht."},
//		{Role: formation.RoleAssistant, Content: "Noted."},
//	}
//	if err := formation.CheckTurns(turns); err != nil {
//		return err
//	}
//	handle := formation.Handle(turns, nil)
//
//	tracker := formation.NewTracker[string](0)
//	tracker.Begin(handle)    // before the turns are sent
//	tracker.Accepted(handle) // the API has them
//	tracker.End(handle, formation.StateFinished, "one passage written")
package formation
