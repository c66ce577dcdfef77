// Command lukasa gives desktop AI agents a memory. See `lukasa --help`.
package main

import (
	"os"

	"github.com/lukasa-dev/lukasa/cmd"
)

func main() {
	os.Exit(cmd.Main())
}
