package sqlite_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// locks returns the kernel's locks of this process on a file.
func locks(t *testing.T, path string) (held []string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	inode := fmt.Sprintf(":%d", info.Sys().(*syscall.Stat_t).Ino)
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line) // 1: POSIX ADVISORY READ pid device:inode from to
		if len(fields) == 8 && fields[4] == fmt.Sprint(os.Getpid()) && strings.HasSuffix(fields[5], inode) {
			held = append(held, strings.Join(fields[1:], " "))
		}
	}
	return held
}

// TestOpenKeepsLocks opens a file a second time in one process. If that dropped the locks of the first, other processes
// could think that nobody has it open, and take the log away.
func TestOpenKeepsLocks(t *testing.T) {
	path, _ := demo(t)
	before := locks(t, path)
	if len(before) == 0 {
		t.Fatal("an open store has no lock on its file")
	}
	second := open(t, path)
	defer second.Close()
	if after := locks(t, path); len(after) < len(before) {
		t.Errorf("the locks were %v, and are %v once the file was opened again", before, after)
	}
}
