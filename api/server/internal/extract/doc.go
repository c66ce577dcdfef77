// Package extract finds claims about the world in conversations: who is related to what, since when, and how sure the
// speaker is. What becomes of a claim is not decided here.
//
//	claims, err := extract.NewRules().Extract(ctx, extract.Conversation{
//		Turns:      []api.Turn{{Role: "user", Content: "I moved to Ghent last weekend."}},
//		ObservedAt: time.Date(2025, 6, 11, 20, 15, 0, 0, time.FixedZone("", 2*60*60)),
//	})
//	// claims[0]: user lives_in Ghent, a change, valid from 2025-06-07T00:00:00+02:00
package extract
