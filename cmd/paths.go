package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

const (
	envDataDir   = "LUKASA_DATA_DIR"
	envConfigDir = "LUKASA_CONFIG_DIR"
)

// dataDir is the platform's folder for data: LUKASA_DATA_DIR, else $XDG_DATA_HOME/lukasa or ~/.local/share/lukasa, and
// the platform's own on macOS and Windows.
func (a *app) dataDir() (string, error) {
	if dir := a.Getenv(envDataDir); dir != "" {
		return filepath.Abs(dir)
	}
	switch runtime.GOOS {
	case "windows":
		if dir := a.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "lukasa"), nil
		}
	case "darwin":
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "Application Support", "lukasa"), noHome(err, envDataDir)
	default:
		if dir := a.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "lukasa"), nil
		}
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "lukasa"), noHome(err, envDataDir)
}

// configFile is the configuration file, which need not exist.
func (a *app) configFile() (string, error) {
	dir := a.Getenv(envConfigDir)
	if dir == "" {
		base, err := os.UserConfigDir()
		if err != nil {
			return "", noHome(err, envConfigDir)
		}
		dir = filepath.Join(base, "lukasa")
	}
	return filepath.Join(dir, "config.toml"), nil
}

func noHome(err error, variable string) error {
	if err == nil {
		return nil
	}
	return withHint(fmt.Errorf("finding the home folder: %w", err), "set "+variable+" to a folder of yours")
}

// storeDSN is the embedded store of this machine.
func (a *app) storeDSN() (string, error) {
	dir, err := a.dataDir()
	if err != nil {
		return "", err
	}
	return "sqlite:" + filepath.Join(dir, "memory.db"), nil
}

// sessionsDir is where the sessions of people who signed in are kept.
func (a *app) sessionsDir() (string, error) {
	dir, err := a.dataDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "sessions"), nil
}
