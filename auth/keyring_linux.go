//go:build linux || netbsd || openbsd

package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"
)

// The Secret Service API, https://specifications.freedesktop.org/secret-service-spec/latest/.
const (
	secrets1       = "org.freedesktop.secrets"
	secretsPath    = "/org/freedesktop/secrets"
	secretsService = "org.freedesktop.Secret.Service"
	loginPath      = "/org/freedesktop/secrets/collection/login"
)

// probeRing tells an absent and a locked keyring from a useful one. It never starts a bus: the library that does the
// rest would launch one, which nobody ends. A locked keyring is left to ask for its password when someone is there to
// type it.
func probeRing(person bool) error {
	bus, err := dbus.SessionBusPrivateNoAutoStartup()
	if err != nil {
		return fmt.Errorf("%w: this session has no D-Bus session bus", ErrKeyringAbsent)
	}
	defer func() { _ = bus.Close() }()
	if err := errors.Join(bus.Auth(nil), bus.Hello()); err != nil {
		return fmt.Errorf("%w: the D-Bus session bus can't be reached", ErrKeyringAbsent)
	}
	path, err := ringCollection(bus)
	if err != nil {
		return err
	}
	locked, err := bus.Object(secrets1, path).GetProperty("org.freedesktop.Secret.Collection.Locked")
	if err != nil {
		return ringFault(err)
	}
	if is, ok := locked.Value().(bool); ok && is && !person {
		return fmt.Errorf("%w: unlock it, by signing in to the desktop or with its own program", ErrKeyringLocked)
	}
	return nil
}

// ringCollection is the collection that passwords of programs go to.
func ringCollection(bus *dbus.Conn) (dbus.ObjectPath, error) {
	service := bus.Object(secrets1, secretsPath)
	all, err := service.GetProperty(secretsService + ".Collections")
	if err != nil {
		return "", ringFault(err)
	}
	if paths, ok := all.Value().([]dbus.ObjectPath); ok && slices.Contains(paths, dbus.ObjectPath(loginPath)) {
		return loginPath, nil
	}
	var path dbus.ObjectPath
	if err := service.Call(secretsService+".ReadAlias", 0, "default").Store(&path); err != nil {
		return "", ringFault(err)
	}
	if path == "/" {
		return "", fmt.Errorf("%w: the Secret Service has no default collection yet", ErrKeyringAbsent)
	}
	return path, nil
}

// ringFault names what the bus or the service said.
func ringFault(err error) error {
	var fault dbus.Error
	if errors.As(err, &fault) {
		switch {
		case strings.HasSuffix(fault.Name, ".ServiceUnknown"), strings.HasSuffix(fault.Name, ".NameHasNoOwner"),
			strings.Contains(fault.Name, ".Spawn."):
			return fmt.Errorf("%w: no Secret Service is running", ErrKeyringAbsent)
		case strings.HasSuffix(fault.Name, ".IsLocked"):
			return ErrKeyringLocked
		case strings.HasSuffix(fault.Name, ".NoReply"):
			return ErrKeyringSilent
		}
	}
	if strings.Contains(err.Error(), "unlock") { // the library has no type for a prompt that was dismissed
		return ErrKeyringLocked
	}
	return fmt.Errorf("the keyring failed: %w", err)
}
