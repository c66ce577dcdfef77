package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lukasa-dev/lukasa/api"
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
	turns, err := parseTurns(data)
	if err != nil {
		return nil, withHint(err, `it is a JSON array, or one object a line: {"role": "user", "content": "I moved to Utrecht."}`)
	}
	return turns, nil
}

// parseTurns takes a JSON array of turns, or JSON Lines with a turn a line.
func parseTurns(data []byte) ([]api.Turn, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return nil, errors.New("the conversation is empty")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	turns := []api.Turn{}
	if data[0] == '[' {
		if err := dec.Decode(&turns); err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		if dec.More() {
			return nil, errors.New("reading the turns: something follows the array")
		}
		return turns, nil
	}
	for dec.More() {
		var t api.Turn
		if err := dec.Decode(&t); err != nil {
			return nil, fmt.Errorf("reading turn %d: %w", len(turns)+1, err)
		}
		turns = append(turns, t)
	}
	return turns, nil
}
