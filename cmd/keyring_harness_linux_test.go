package cmd_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// A session bus that starts nothing by itself: a keyring is on it only when a test has started one.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>`

// desktop is a session bus with a home folder of its own and, perhaps, a Secret Service on it.
type desktop struct {
	t       *testing.T
	home    string
	address string
	keyring *exec.Cmd
}

// needs skips the test unless a program is installed.
func needs(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, "install Debian's gnome-keyring and dbus: %v", err)
	}
	return path
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	d := &desktop{t: t, home: t.TempDir()}
	config := filepath.Join(d.home, "bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(needs(t, "dbus-daemon"), "--config-file="+config, "--nofork", "--nopidfile", "--print-address=1")
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.run(c)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("starting a session bus: %v", err)
	}
	d.address = strings.TrimSpace(line)
	return d
}

// run starts a process that is killed, by its id, when the test ends.
func (d *desktop) run(c *exec.Cmd) {
	d.t.Helper()
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

// env is what programs of this desktop find in their environment.
func (d *desktop) env() []string {
	return []string{
		"HOME=" + d.home, "XDG_RUNTIME_DIR=" + d.home, "XDG_DATA_HOME=" + filepath.Join(d.home, "share"),
		"DBUS_SESSION_BUS_ADDRESS=" + d.address,
	}
}

// startKeyring starts gnome-keyring with its login keyring made and unlocked.
func (d *desktop) startKeyring() {
	d.t.Helper()
	c := exec.Command(needs(d.t, "gnome-keyring-daemon"), "--foreground", "--unlock", "--components=secrets")
	c.Env = append(os.Environ(), d.env()...)
	c.Stdin = strings.NewReader("a password")
	d.run(c)
	d.keyring = c
	bus := d.bus()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := bus.Object("org.freedesktop.secrets", loginCollection).GetProperty("org.freedesktop.Secret.Collection.Locked")
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("the keyring did not start: %v", err)
		}
	}
}

const loginCollection = "/org/freedesktop/secrets/collection/login"

func (d *desktop) bus() *dbus.Conn {
	d.t.Helper()
	bus, err := dbus.Connect(d.address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { bus.Close() })
	return bus
}

// lock locks the keyring as a person does.
func (d *desktop) lock() {
	d.t.Helper()
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	err := d.bus().Object("org.freedesktop.secrets", "/org/freedesktop/secrets").
		Call("org.freedesktop.Secret.Service.Lock", 0, []dbus.ObjectPath{loginCollection}).Store(&locked, &prompt)
	if err != nil || len(locked) != 1 {
		d.t.Fatalf("locking the keyring: %v, %v", locked, err)
	}
}

// stop stops the keyring's process, which then neither answers nor goes away.
func (d *desktop) stop() {
	d.t.Helper()
	if err := d.keyring.Process.Signal(syscall.SIGSTOP); err != nil {
		d.t.Fatal(err)
	}
}

// items counts what the keyring keeps for lukasa.
func (d *desktop) items() int {
	d.t.Helper()
	var found []dbus.ObjectPath
	err := d.bus().Object("org.freedesktop.secrets", loginCollection).
		Call("org.freedesktop.Secret.Collection.SearchItems", 0, map[string]string{"service": "lukasa"}).Store(&found)
	if err != nil {
		d.t.Fatal(err)
	}
	return len(found)
}
