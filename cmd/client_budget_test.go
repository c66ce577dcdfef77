package cmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-dev/lukasa/api"
)

// hostBudgets are the names with which hosts introduce themselves, and how many bytes of a reply they show their model.
func hostBudgets() map[string]int {
	return map[string]int{
		"claude-code":              48_000,
		"opencode":                 48_000,
		"gemini-cli-mcp-client":    29_000,
		"qwen-code-mcp-client":     24_000,
		"github-copilot-developer": 19_000,
		"codex-mcp-client":         9_000,
		"Cline":                    3_400,
		"a host of tomorrow":       12_000,
	}
}

// TestRepliesFitTheHost recalls more than any host shows, in the name of each.
func TestRepliesFitTheHost(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.ok("", "workspace", "create", "demo")
	var conversation strings.Builder
	for i := range 60 {
		line, err := json.Marshal(api.Turn{Role: "user", Content: longNote(i)})
		if err != nil {
			t.Fatal(err)
		}
		conversation.Write(append(line, '\n'))
	}
	m.ok(conversation.String(), "remember", "-w", "demo", "--wait")
	eachClient(t, func(t *testing.T, kind clientKind) {
		c, ctx := kind.start(m.in(t)), bounded(t)
		for host, budget := range hostBudgets() {
			if err := c.connect(ctx, host, "--workspace", "demo"); err != nil {
				t.Fatalf("%s: %v", host, err)
			}
			recallWithin(ctx, t, c, host, budget)
			if err := c.close(ctx); err != nil {
				t.Errorf("%s: closing: %v", host, err)
			}
		}
	})
}

// longNote is a turn of some 2 KB, with characters of several bytes and such as JSON escapes.
func longNote(i int) string {
	return fmt.Sprintf("Note %d on the harbour: ", i) + strings.Repeat(`“Øresund” says "the tide is <high>"\ 潮; `, 40)
}

// recallWithin recalls, and looks at the size and the forms of the reply.
func recallWithin(ctx context.Context, t *testing.T, c client, host string, budget int) {
	t.Helper()
	tools, err := c.tools(ctx) // the clients check a result against the schema that was listed
	if err != nil {
		t.Fatalf("%s: %v", host, err)
	}
	result, err := c.call(ctx, "recall_memory", map[string]any{"query": "harbour", "limit": 50}, 0)
	if err != nil || result.IsError || len(result.Content) != 1 {
		t.Fatalf("%s: %v, %+v", host, err, result)
	}
	text := textOf(result)
	if structured, err := json.Marshal(result.StructuredContent); err != nil || host == "Cline" && len(text)+len(structured) > 8_000 {
		t.Errorf("%s: both forms have %d bytes, and the host shows 8,000 of them: %v", host, len(text)+len(structured), err)
	}
	if len(text) > budget || len(text) < budget/2 {
		t.Errorf("%s: the reply has %d bytes, want at most %d and at least half of it", host, len(text), budget)
	}
	var shown any
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatalf("%s: %v in %s", host, err, text)
	}
	if diff := cmp.Diff(shown, result.StructuredContent); diff != "" {
		t.Errorf("%s: text and structured content differ (-text +structured):\n%s", host, diff)
	}
	if err := schemaOf(t, tools, "recall_memory").Validate(shown); err != nil {
		t.Errorf("%s: the reply is not as the schema says: %v", host, err)
	}
	var reply struct {
		api.Recall
		Truncated bool `json:"truncated"`
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		t.Fatalf("%s: %v", host, err)
	}
	if !reply.Truncated || len(reply.Passages) == 0 || len(reply.Notes) == 0 {
		t.Errorf("%s: truncated %t, %d passages, notes %q", host, reply.Truncated, len(reply.Passages), reply.Notes)
	}
}

// schemaOf is the output schema of a tool.
func schemaOf(t *testing.T, tools []*mcp.Tool, name string) *jsonschema.Resolved {
	t.Helper()
	for _, tool := range tools {
		if tool.Name != name {
			continue
		}
		raw, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return resolved
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}
