package proxy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestRecallPassesTheBytesOfTheAPIThrough(t *testing.T) {
	m := newMemoryAPI(t)
	odd := `{"graph":{"truncated":true,"nodes":[],"edges":[],"later":1},"passages":[ {"text":"\u00e9\/","score":1.50,"unheard_of":[1.0]} ],"notes":["from the API"],"read_at":"x","other":{}}`
	m.set(&m.recall, func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, odd); return true })
	h := start(t, m.options(t))
	h.hello("test")
	r := h.call("1", "recall_memory", `{"query":"x"}`)
	want := `{"passages":[ {"text":"\u00e9\/","score":1.50,"unheard_of":[1.0]} ],"graph":{"nodes":[],"edges":[],"truncated":true},"notes":["from the API"],"truncated":false}`
	if diff := cmp.Diff(want, r.Text); diff != "" {
		t.Errorf("the text (-want +got):\n%s", diff)
	}
}

func TestRecallSendsThePinnedWorkspaceAndTheArguments(t *testing.T) {
	m := newMemoryAPI(t)
	h := start(t, m.options(t))
	h.hello("test")
	h.call("1", "recall_memory", `{"query":"../../other","limit":3}`)
	if diff := cmp.Diff([]string{"GET /v1/workspaces/demo", "POST /v1/workspaces/demo/recall"}, m.seen()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if got := strings.TrimSpace(m.bodies[1]); got != `{"query":"../../other","limit":3}` {
		t.Errorf("body %s", got)
	}
}

func TestUnqualifiedEdgesAreNoted(t *testing.T) {
	edge := func(qualified string) string { return `{"source":"a","target":"b"` + qualified + `}` }
	for _, tt := range []struct {
		edges []string
		want  string
	}{
		{[]string{edge(`,"qualified":true`)}, ""},
		{[]string{edge(`,"qualified":false`), edge(`,"qualified":true`), edge(`, "qualified" : false `)}, "2 of the graph's 3 edges"},
		{[]string{edge(`,"statement":"\"qualified\":false","qualified":true`)}, ""}, // what someone said
		{[]string{edge(""), edge(`,"qualified":true`)}, "1 of the graph's 2 edges"},
	} {
		raw := `{"passages":[],"graph":{"nodes":[],"edges":[` + strings.Join(tt.edges, ",") + `],"truncated":false}}`
		doc, err := recallReply([]byte(raw), MaxReply, "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, resolved(t, "recall_memory.output"), doc); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
		notes := string(member(doc, "notes"))
		if tt.want == "" && notes != "[]" || !strings.Contains(notes, tt.want) {
			t.Errorf("%s: the notes are %s, want %q", raw, notes, tt.want)
		}
	}
}

func TestAnAnswerThatIsNotTheAPIsIsAnError(t *testing.T) {
	for _, raw := range []string{`{}`, `[]`, `{"passages":{},"graph":{"nodes":[],"edges":[]}}`, `{"passages":[],"graph":[]}`, `{"passages":[],"graph":{"nodes":[]}}`,
		"{\"passages\":[\"\xff\"],\"graph\":{\"nodes\":[],\"edges\":[]}}"} {
		if doc, err := recallReply([]byte(raw), MaxReply, "x"); err == nil {
			t.Errorf("%q became %s", raw, doc)
		}
	}
}

func TestRepliesFitTheHost(t *testing.T) {
	m := newMemoryAPI(t)
	long := api.Recall{Passages: make([]api.Passage, 50), Graph: api.Graph{Nodes: []api.Entity{}, Edges: []api.Assertion{}}}
	for i := range long.Passages {
		long.Passages[i] = api.Passage{ID: fmt.Sprint("p", i), Text: strings.Repeat("é日😀 words ", 500), Role: "user"}
	}
	m.set(&m.recall, func(w http.ResponseWriter, _ *http.Request) bool { _ = json.NewEncoder(w).Encode(long); return true })
	for name, most := range map[string]int{
		"claude-code": 48_000, "Claude-Code": 48_000, "opencode": 48_000, "gemini-cli-mcp-client-lukasa": 29_000, "qwen-code-mcp-client": 24_000,
		"github-copilot-developer": 19_000, "codex-mcp-client": 9_000, "Cline": 3_400, "@cline/core": 3_400, "unheard of": 12_000, "": 12_000,
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t, m.options(t))
			h.hello(name)
			r := h.call("1", "recall_memory", `{"query":"x","limit":50}`)
			if n := len(r.Text); n > most || n < most*6/10 {
				t.Errorf("%d bytes, want at most %d and not much less", n, most)
			}
			if r.Structured["truncated"] != true {
				t.Error("it doesn't say that it was cut")
			}
		})
	}
}

func TestMaxReplyOverridesTheHost(t *testing.T) {
	for _, tt := range []struct{ asked, want int }{{0, 48_000}, {5000, 5000}, {1, MinReply}, {1 << 30, MaxReply}} {
		if got := (Options{MaxReply: tt.asked}).budgetFor("claude-code"); got != tt.want {
			t.Errorf("--max-reply %d: %d, want %d", tt.asked, got, tt.want)
		}
	}
}

// TestAnyReplyFitsAnyBudget cuts random answers: whatever is left out, the reply fits, is valid, keeps the order, and
// says so.
func TestAnyReplyFitsAnyBudget(t *testing.T) {
	output := resolved(t, "recall_memory.output")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		answer := randomRecall(r)
		raw, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		budget := MinReply + r.IntN(20_000)
		doc, err := recallReply(raw, budget, "needle in a hay stack")
		if err != nil {
			t.Fatal(err)
		}
		if err := valid(t, output, doc); err != nil {
			t.Fatalf("%d: %v: %s", i, err, doc)
		}
		if len(doc) > budget || !utf8.Valid(doc) || strings.Contains(string(doc), "\ufffd") {
			t.Fatalf("%d: %d bytes in a budget of %d: %s", i, len(doc), budget, doc)
		}
		var got struct {
			Passages  []api.Passage
			Graph     api.Graph
			Truncated bool
		}
		if err := json.Unmarshal(doc, &got); err != nil {
			t.Fatal(err)
		}
		checkCut(t, answer, got.Passages, got.Graph, got.Truncated)
	}
}

func checkCut(t *testing.T, answer api.Recall, passages []api.Passage, graph api.Graph, truncated bool) {
	t.Helper()
	less := len(passages) < len(answer.Passages) || len(graph.Nodes) < len(answer.Graph.Nodes) || len(graph.Edges) < len(answer.Graph.Edges)
	for i, p := range passages {
		if p.ID != answer.Passages[i].ID {
			t.Fatalf("passage %d is %s, want %s", i, p.ID, answer.Passages[i].ID)
		}
		if p.Text != answer.Passages[i].Text {
			less = true
			if !p.Truncated || !strings.Contains(answer.Passages[i].Text, strings.Trim(p.Text, ellipsis)) {
				t.Fatalf("%q is no part of %q, or doesn't say so", p.Text, answer.Passages[i].Text)
			}
		}
	}
	if less && (!truncated || len(passages) < len(answer.Passages) && len(answer.Passages) > 0 && len(passages) == 0) {
		t.Fatalf("something is left out: truncated is %t, %d of %d passages", truncated, len(passages), len(answer.Passages))
	}
	if len(graph.Nodes) > maxGraph || len(graph.Edges) > maxGraph {
		t.Fatalf("%d nodes, %d edges", len(graph.Nodes), len(graph.Edges))
	}
	nodes := map[string]bool{}
	for _, n := range graph.Nodes {
		nodes[n.ID] = true
	}
	for _, e := range graph.Edges {
		if !nodes[e.Source] || !nodes[e.Target] {
			t.Fatalf("edge %s has an end that isn't there", e.ID)
		}
	}
}

func randomRecall(r *rand.Rand) api.Recall {
	pieces := []string{"words ", "é", "日本", "😀", "\"quoted\" ", "back\\slash ", "\n", "\x1b[31m", "needle "}
	text := func(most int) string {
		var b strings.Builder
		for n := r.IntN(most); b.Len() < n; {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String() + "."
	}
	answer := api.Recall{Passages: []api.Passage{}, Graph: api.Graph{Nodes: []api.Entity{}, Edges: []api.Assertion{}}}
	for i := range r.IntN(51) {
		most := 300
		if r.IntN(8) == 0 {
			most = 20_000
		}
		answer.Passages = append(answer.Passages, api.Passage{ID: fmt.Sprint("p", i), Text: text(most), Role: "user", Formation: "fm_x"})
	}
	count := 1 + r.IntN(99)
	for i := range count {
		answer.Graph.Nodes = append(answer.Graph.Nodes, api.Entity{ID: fmt.Sprint("e", i), Name: text(30), Kind: "thing"})
	}
	for i := range r.IntN(60) {
		answer.Graph.Edges = append(answer.Graph.Edges, api.Assertion{
			ID: fmt.Sprint("a", i), Source: fmt.Sprint("e", r.IntN(count)), Target: fmt.Sprint("e", r.IntN(count)), Statement: text(100), Qualified: r.IntN(2) == 0,
		})
	}
	for range r.IntN(3) {
		answer.Notes = append(answer.Notes, text(200))
	}
	return answer
}

func TestExcerptIsCutAroundTheMatch(t *testing.T) {
	text := strings.Repeat("before ", 200) + "the Needle is here" + strings.Repeat(" after", 200)
	for _, tt := range []struct {
		text, query string
		size        int
		want        []string
	}{
		{"short", "x", 100, []string{"short"}},
		{text, "where is the needle?", 200, []string{"…", "Needle is here", "before", "after"}},
		{text, "nothing of that", 100, []string{"before before", "…"}},
		{strings.Repeat("x ", 300) + "needle", "NEEDLE", 100, []string{"…", "x needle"}},
		{strings.Repeat("日", 300), "本", 100, []string{"日日", "…"}},
	} {
		got := excerpt(tt.text, tt.size, tt.query)
		if quotedLen(got) > tt.size || !utf8.ValidString(got) || !containsAll(got, tt.want) {
			t.Errorf("excerpt(%q) in %d bytes: %q, want %q", tt.query, tt.size, got, tt.want)
		}
		if used := quotedLen(got); used < tt.size*8/10 && len(tt.text) > tt.size {
			t.Errorf("excerpt(%q) uses %d of %d bytes", tt.query, used, tt.size)
		}
	}
}
