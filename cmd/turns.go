package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server"
)

// maxConversation bounds what is read of a file or a pipe. The API takes 1 MiB as JSON; escapes may have made the file
// longer than that.
const maxConversation = 8 << 20

// readConversation reads a conversation from a file, or from standard input when path is "-".
func (a *app) readConversation(path string) ([]api.Turn, error) {
	in := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, &failure{message: "reading the conversation", cause: err}
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxConversation+1))
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if len(data) > maxConversation {
		return nil, errors.New("reading the conversation: it is over 8 MiB")
	}
	turns, err := server.ParseTurns(data)
	if err != nil {
		return nil, withHint(err, `it is a JSON array, or one object a line: {"role": "user", "content": "I moved to Utrecht."}`)
	}
	return turns, nil
}
