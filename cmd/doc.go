// Package cmd is the command line of lukasa: one file a command, and one place each for where settings come from, how
// errors become exit codes, and how an endpoint becomes a client.
//
// The program's main function is all that calls it:
//
//	package main
//
//	import (
//		"os"
//
//		"github.com/lukasa-dev/lukasa/cmd"
//	)
//
//	func main() {
//		os.Exit(cmd.Main())
//	}
package cmd
