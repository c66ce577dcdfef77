package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lukasa-dev/lukasa/api"
)

// asServer makes the test binary be a server whose API prints wherever it can.
const asServer = "LUKASA_PROXY_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(serveForTest())
	}
	os.Exit(m.Run())
}

// noisy is an API that prints as careless code does.
type noisy struct{ API }

func (noisy) Check(context.Context, string) error { noise(); return nil }

func (noisy) Recall(context.Context, string, api.RecallRequest) (json.RawMessage, error) {
	noise()
	return json.RawMessage(`{"passages":[],"graph":{"nodes":[],"edges":[]}}`), nil
}

func noise() {
	fmt.Println("noise")
	fmt.Fprintln(os.Stdout, "noise")
	log.New(os.Stdout, "", 0).Println("noise")
	slog.New(slog.NewTextHandler(os.Stdout, nil)).Error("noise")
}

func serveForTest() int {
	stdout, restore, err := TakeStdout()
	if err != nil {
		return 1
	}
	defer restore()
	err = Run(context.Background(), Options{Workspace: "demo", API: noisy{}, Endpoint: "local", Version: "test", Stdin: os.Stdin, Stdout: stdout, Stderr: os.Stderr})
	if err != nil {
		return 1
	}
	return 0
}

func serverProcess(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asServer+"=1")
	return c
}

func TestNothingButFramesReachesStandardOutput(t *testing.T) {
	c := serverProcess(t)
	c.Stdin = strings.NewReader(ping + "\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}` + "\n" + toolCall("2", "recall_memory", `{"query":"x"}`) + "\njunk\n")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("noise")) || bytes.Count(out, []byte("\n")) != 4 {
		t.Errorf("standard output is %q", out)
	}
}

func TestAClosedStandardErrorIsNotTheEnd(t *testing.T) {
	c := serverProcess(t)
	errReader, errWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = errReader.Close()
	c.Stderr = errWriter
	unknown := `{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2019-01-01"}}` + "\n"
	c.Stdin = strings.NewReader(fmt.Sprintf(unknown, 1) + fmt.Sprintf(unknown, 2) + ping + "\n")
	out, err := c.Output()
	_ = errWriter.Close()
	if err != nil || bytes.Count(out, []byte(`"result"`)) != 3 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestAClosedStandardOutputEndsTheProcessQuietly(t *testing.T) {
	c := serverProcess(t)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, ping)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	fmt.Fprintln(in, ping)
	err = c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || stderr.Len() > 0 {
		t.Errorf("it ended with %v, stderr %q", err, stderr.String())
	}
}

// TestOnlyTheStreamsFileNamesStandardOutput: no code of this package prints, or takes the standard streams by itself.
func TestOnlyTheStreamsFileNamesStandardOutput(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "streams.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch p, _ := s.X.(*ast.Ident); {
			case p == nil:
			case p.Name == "os" && strings.HasPrefix(s.Sel.Name, "Std"), p.Name == "fmt" && strings.HasPrefix(s.Sel.Name, "Print"), p.Name == "log":
				t.Errorf("%s uses %s.%s", file, p.Name, s.Sel.Name)
			}
			return true
		})
	}
}

// TestImports holds the boundary: the proxy forwards, and never touches a store or a credential.
func TestImports(t *testing.T) {
	const ours = "github.com/lukasa-dev/lukasa/"
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			rest, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), ours)
			if own && rest != "api" && rest != "formation" && rest != "proxy" {
				t.Errorf("%s imports %s", file, rest)
			}
		}
	}
}

func TestTakenStdinReadsWhatTheHostWrites(t *testing.T) {
	in, host, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdin
	defer func() { os.Stdin = before }()
	os.Stdin = in
	taken, polled := TakeStdin()
	if polled != (runtime.GOOS == "linux") || polled == (taken == in) {
		t.Errorf("on %s: polled %t, the same file %t", runtime.GOOS, polled, taken == in)
	}
	if _, err := host.WriteString("a\nb\n"); err != nil {
		t.Fatal(err)
	}
	_ = host.Close()
	if got, err := io.ReadAll(taken); err != nil || string(got) != "a\nb\n" {
		t.Errorf("read %q, %v", got, err)
	}
	_ = taken.Close()
	_ = in.Close()
}
