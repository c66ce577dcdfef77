// Package plain leaves out of a text what is not text: control characters and the escape sequences of terminals.
//
//	plain.Text("\x1b[32mok\x1b[0m\r\n") // "ok\n"
package plain
