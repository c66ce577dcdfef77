package storetest

import (
	"testing"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Run runs the suite. Each of its tests asks open for a store of its own that is empty, and closes it.
func Run(t *testing.T, open func(t *testing.T) memory.Store) {
	t.Helper()
	tests := map[string]func(*testing.T, *fixture){
		"Ping":                        testPing,
		"Workspaces":                  testWorkspaces,
		"WorkspacePages":              testWorkspacePages,
		"UnknownWorkspace":            testUnknownWorkspace,
		"DeleteWorkspace":             testDeleteWorkspace,
		"DeleteWorkspaceWhileForming": testDeleteWorkspaceWhileForming,
		"Submit":                      testSubmit,
		"SubmitKeepsOffset":           testSubmitKeepsOffset,
		"SubmitFailedAgain":           testSubmitFailedAgain,
		"Formations":                  testFormations,
		"LeaseOrder":                  testLeaseOrder,
		"LeaseOnePerWorkspace":        testLeaseOnePerWorkspace,
		"LeaseExpiry":                 testLeaseExpiry,
		"LeaseLost":                   testLeaseLost,
		"Renew":                       testRenew,
		"Release":                     testRelease,
		"Postpone":                    testPostpone,
		"Fail":                        testFail,
		"QueueDepth":                  testQueueDepth,
		"Form":                        testForm,
		"FormOnce":                    testFormOnce,
		"FormFailing":                 testFormFailing,
		"FormClosures":                testFormClosures,
		"Held":                        testHeld,
		"Consult":                     testConsult,
		"Passages":                    testPassages,
		"PassageDetail":               testPassageDetail,
		"Search":                      testSearch,
		"SearchWords":                 testSearchWords,
		"SearchHostile":               testSearchHostile,
		"SearchAsOf":                  testSearchAsOf,
		"SearchTies":                  testSearchTies,
		"SearchStatements":            testSearchStatements,
		"SearchSuperseded":            testSearchSuperseded,
		"SearchSupersededInPart":      testSearchSupersededInPart,
		"Isolation":                   testIsolation,
		"Forget":                      testForget,
		"ForgetNeighbours":            testForgetNeighbours,
		"ForgetShared":                testForgetShared,
		"ForgetOutcomes":              testForgetOutcomes,
		"ForgetThenTryAgain":          testForgetThenTryAgain,
		"ForgetForeign":               testForgetForeign,
		"Graph":                       testGraph,
		"Snapshot":                    testSnapshot,
		"Assertion":                   testAssertion,
		"Export":                      testExport,
		"Keys":                        testKeys,
		"Members":                     testMembers,
		"Root":                        testRoot,
		"Roles":                       testRoles,
		"Invitations":                 testInvitations,
		"Reset":                       testReset,
		"InviterLeaves":               testInviterLeaves,
		"Audit":                       testAudit,
		"Logins":                      testLogins,
		"Codes":                       testCodes,
		"Rotate":                      testRotate,
		"SessionEnd":                  testSessionEnd,
		"Devices":                     testDevices,
		"Attempts":                    testAttempts,
		"Sweep":                       testSweep,
		"BadCursors":                  testBadCursors,
		"ConcurrentSubmissions":       testConcurrentSubmissions,
		"ConcurrentWorkers":           testConcurrentWorkers,
		"Cancelled":                   testCancelled,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			})
			test(t, &fixture{Store: store, now: start})
		})
	}
}
