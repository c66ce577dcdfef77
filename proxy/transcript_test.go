package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestTranscripts plays what a host sends, all at once and then the end of the input, and compares what comes back,
// sorted, with golden files. A line of the input that is a quoted Go string stands for its bytes.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := transcriptInput(t, section(archive, "in"))
			out, stderr := play(t, in, true)
			slow, _ := play(t, in, false)
			if diff := cmp.Diff(string(slow), string(out)); diff != "" {
				t.Errorf("the library answers otherwise (-library +direct):\n%s", diff)
			}
			got := []txtar.File{{Name: "in", Data: section(archive, "in")}, {Name: "out", Data: out}, {Name: "stderr", Data: stderr}}
			if *update {
				archive.Files = got
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range got {
				if diff := cmp.Diff(string(section(archive, f.Name)), string(f.Data)); diff != "" {
					t.Errorf("%s differs (-want +got):\n%s", f.Name, diff)
				}
			}
		})
	}
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func transcriptInput(t *testing.T, in []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for line := range strings.Lines(string(in)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, `"`) {
			raw, err := strconv.Unquote(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			line = raw
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}

func play(t *testing.T, in []byte, fast bool) (out, stderr []byte) {
	t.Helper()
	o := newMemoryAPI(t).options(t)
	var output, errors syncBuffer
	o.Stdin, o.Stdout, o.Stderr = bytes.NewReader(in), &output, &errors
	if err := run(context.Background(), o, fast); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(output.String(), "\n")
	for i, l := range lines {
		lines[i] = abridge(t, l)
	}
	slices.Sort(lines)
	return []byte(strings.Join(lines, "")), []byte(errors.String())
}

// abridge leaves out of a line what other golden files hold: the tools' definitions, and the instructions.
func abridge(t *testing.T, line string) string {
	t.Helper()
	if line == "" {
		return ""
	}
	if !json.Valid([]byte(line)) || strings.Count(line, "\n") != 1 {
		t.Errorf("not one line of JSON: %q", line)
	}
	line = strings.ReplaceAll(line, string(appendQuoted(nil, instructions)), `"INSTRUCTIONS"`)
	if tools := member(member([]byte(line), "result"), "tools"); tools != nil {
		names := []string{}
		elements(tools, func(tool []byte) bool {
			names = append(names, string(member(tool, "name")))
			return true
		})
		line = strings.Replace(line, string(tools), "["+strings.Join(names, ",")+"]", 1)
	}
	return line
}
