// Package segment cuts conversations into the passages that are remembered.
//
// A turn stays verbatim as one segment; a long one is cut at the ends of paragraphs, lines or sentences, and never
// within a code fence or a table. Turns that only greet, acknowledge or steer are told apart.
//
//	for _, s := range segment.Turns([]api.Turn{
//		{Role: "user", Content: "Our staging cluster runs on Hetzner."},
//		{Role: "assistant", Content: "Thanks, noted."},
//	}) {
//		fmt.Println(s.Turn, s.Chatter, s.Text) // 0 false Our staging… / 1 true Thanks, noted.
//	}
package segment
