package formation_test

import (
	"fmt"

	"github.com/lukasa-dev/lukasa/formation"
)

func Example() {
	turns := []formation.Turn{{Role: formation.RoleUser, Content: "hello"}}
	if err := formation.CheckTurns(turns); err != nil {
		fmt.Println(err)
		return
	}
	handle := formation.Handle(turns, nil)
	fmt.Println(handle)

	tracker := formation.NewTracker[string](0)
	tracker.Begin(handle)
	tracker.Accepted(handle)
	tracker.End(handle, formation.StateNothingWritten, "a greeting only")
	state, outcome, _ := tracker.Get(handle)
	fmt.Println(state, "-", outcome)
	// Output:
	// fm_ii5pcxiiy4rlwu263eqhyxexln4do6ho
	// nothing_written - a greeting only
}
