package proxy

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// TakeStdout returns the process's standard output for the protocol alone, and puts the null device in its place: what
// any other code prints while a server runs would break the protocol. A broken pipe becomes an ordinary error instead
// of the death of the process, so that a host may close its end of standard error. Call restore when the server ended.
func TakeStdout() (stdout *os.File, restore func(), err error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the null device: %w", err)
	}
	stdout = os.Stdout
	os.Stdout = null
	signal.Ignore(syscall.SIGPIPE)
	return stdout, func() {
		os.Stdout = stdout
		signal.Reset(syscall.SIGPIPE)
		_ = null.Close()
	}, nil
}

// TakeStdin returns a reader of the process's standard input. Where it is a pipe and the system allows it (Linux), the
// pipe is opened anew, so that waiting for the host takes no thread; polled says so. The new opening alone is
// non-blocking: whoever else has the pipe open, such as a shell, sees no change.
func TakeStdin() (stdin *os.File, polled bool) {
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		if f, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", os.Stdin.Fd()), os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			return f, true
		}
	}
	return os.Stdin, false
}
