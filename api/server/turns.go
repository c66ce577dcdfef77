package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lukasa-dev/lukasa/api"
)

// ParseTurns reads a conversation out of a file: a JSON array of turns, or JSON Lines with a turn a line. It is as
// strict about JSON as the API is with a request's body, so that what it takes is what was written: text that is not
// Unicode, fields that are given twice and fields that are not known, by their exact names, are refused. Whether a
// formation can take the turns is for the API to say. Errors are words for people, such as "turns[2].content has a lone
// surrogate escape, which is not Unicode text".
func ParseTurns(data []byte) ([]api.Turn, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) == 0 {
		return nil, errors.New("the conversation is empty")
	}
	if string(data) == "null" {
		return nil, errors.New("the conversation is null: there are no turns")
	}
	var list jsonValue
	var err error
	if data[0] == '[' {
		list, err = parseJSON(data)
	} else {
		list, err = parseLines(data)
	}
	var fault *jsonFault
	switch {
	case errors.As(err, &fault) && fault.path != "":
		return nil, fmt.Errorf("turns%s %s", fault.path, fault.message)
	case errors.As(err, &fault):
		return nil, errors.New("the conversation " + fault.message)
	case err != nil:
		return nil, err
	}
	return turnsOf(list)
}

// parseLines reads values that follow each other as the items of an array.
func parseLines(data []byte) (jsonValue, error) {
	list := jsonValue{kind: jsonArray}
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		place := fmt.Sprintf("[%d]", len(list.items))
		if err != nil {
			return list, &jsonFault{path: place, message: fmt.Sprintf("is not valid JSON: %v", err)}
		}
		v, err := parseJSON(raw)
		if err != nil {
			return list, within(place, err)
		}
		list.items = append(list.items, v)
	}
}

func turnsOf(list jsonValue) ([]api.Turn, error) {
	var f faults
	turns, flaw := readTurns(object{fields: []jsonField{{"turns", list}}, faults: &f})
	if err := firstError(f.err(), flaw); err != nil {
		return nil, err
	}
	return turns, nil
}
