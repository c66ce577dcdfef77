package proxy

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// readAll reads lines to the end, trimmed; "!" stands for one that is too long.
func readAll(t testing.TB, r io.Reader, limit int) []string {
	t.Helper()
	lines := []string{}
	for l := newLineReader(r, limit); ; {
		data, err := l.next()
		switch {
		case errors.Is(err, errLineTooLong):
			lines = append(lines, "!")
		case err != nil:
			return lines
		default:
			lines = append(lines, string(bytes.TrimSuffix(data, []byte("\n"))))
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*lineBuffer)
	for _, tt := range []struct {
		name, in string
		limit    int
		want     []string
	}{
		{"none", "", 10, []string{}},
		{"two", "a\nb\n", 10, []string{"a", "b"}},
		{"without an end", "a\nb", 10, []string{"a", "b"}},
		{"empty ones", "\n\na\n", 10, []string{"", "", "a"}},
		{"at the limit", "1234567890\nb\n", 10, []string{"1234567890", "b"}},
		{"over the limit", "12345678901\nb\n", 10, []string{"!", "b"}},
		{"one over the limit at the end", "12345678901", 10, []string{"!"}},
		{"over the limit at the end", "a\n123456789012", 10, []string{"a", "!"}},
		{"over the buffer", long + "\nb\n", 1 << 20, []string{long, "b"}},
		{"over buffer and limit", long + "\nb\n", 1000, []string{"!", "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.HalfReader(strings.NewReader(tt.in))} {
				if diff := cmp.Diff(tt.want, readAll(t, r, tt.limit)); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestALongLineIsNotKept(t *testing.T) {
	const size = 64 << 20
	r := io.MultiReader(io.LimitReader(endless{}, size), strings.NewReader("\nb\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := readAll(t, r, 1<<20)
	runtime.ReadMemStats(&after)
	if diff := cmp.Diff([]string{"!", "b"}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("skipping a line of %d bytes took %d bytes of memory", size, used)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzLines compares with splitting at line feeds.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n"), 10)
	f.Add([]byte("\n\n"), 1)
	f.Add([]byte("abcdef\nx"), 3)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = 1 + (limit&0xffff+0x10000)%100
		want := []string{}
		for l := range strings.SplitSeq(string(in), "\n") {
			if len(l) > limit {
				l = "!"
			}
			want = append(want, l)
		}
		if last := len(want) - 1; want[last] == "" { // nothing follows the last line feed
			want = want[:last]
		}
		if diff := cmp.Diff(want, readAll(t, bytes.NewReader(in), limit)); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	})
}
