package proxy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestStderrPassesThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b syncBuffer
		s := NewStderr(&b)
		if NewStderr(s) != s {
			t.Error("a Stderr is wrapped again")
		}
		fmt.Fprintln(s, "one")
		fmt.Fprintln(s, "two")
		s.Flush()
		if got := b.String(); got != "one\ntwo\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestStderrNeverBlocksAndSaysWhatItDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b syncBuffer
		reading := make(chan struct{})
		s := NewStderr(writerFunc(func(p []byte) (int, error) {
			<-reading
			return b.Write(p)
		}))
		line := strings.Repeat("x", 999) + "\n"
		for range 100 {
			if n, err := s.Write([]byte(line)); n != len(line) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
		}
		began := time.Now()
		s.Flush() // of no use: nobody reads
		if took := time.Since(began); took != stderrFlush {
			t.Errorf("Flush took %s", took)
		}
		close(reading)
		synctest.Wait()
		kept := strings.Count(b.String(), line)
		if kept != stderrPending/1000 || !strings.HasSuffix(b.String(), fmt.Sprintf("dropped %d messages, for standard error was not being read.\n", 100-kept)) {
			t.Errorf("%d lines came through, then %q", kept, b.String()[kept*1000:])
		}
		fmt.Fprintln(s, "later")
		s.Flush()
		if !strings.HasSuffix(b.String(), "later\n") {
			t.Error("nothing comes through any more")
		}
	})
}

func TestStderrCarriesOnWhenTheHostClosedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writes := 0
		s := NewStderr(writerFunc(func([]byte) (int, error) { writes++; return 0, errors.New("broken pipe") }))
		for range 10 {
			if _, err := fmt.Fprintln(s, "x"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		s.Flush()
		if writes != 1 {
			t.Errorf("%d writes to a closed stream", writes)
		}
	})
}
