package server

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// maxFaults is how many faults of one request are told.
const maxFaults = 20

// faults collects what is wrong with the fields of a request, so that all of it is told at once.
type faults struct {
	list []api.FieldError
	code api.Code
}

func (f *faults) add(code api.Code, field, format string, args ...any) {
	// A request that isn't well formed is told so first, whatever limits it exceeds as well.
	if f.code == "" || code == api.CodeInvalidRequest {
		f.code = code
	}
	if len(f.list) < maxFaults {
		f.list = append(f.list, api.FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// err returns an *api.Error of all faults, or nil when there are none.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	e := newError(f.code, "%s %s", f.list[0].Field, f.list[0].Message)
	e.Errors = f.list
	return e
}

// object reads the fields of a JSON object, each by its name. What it can't read becomes a fault and a zero value.
type object struct {
	path   string
	fields []jsonField
	faults *faults
}

// readObject takes v as an object of the known fields.
func readObject(v jsonValue, path string, faults *faults, known ...string) object {
	o := object{path: path, faults: faults}
	if v.kind != jsonObject {
		name := path
		if name == "" {
			name = "the body"
		}
		faults.add(api.CodeInvalidRequest, name, "must be an object, not %s", v.kind)
		return o
	}
	for _, field := range v.fields {
		if slices.Contains(known, field.name) {
			o.fields = append(o.fields, field)
			continue
		}
		faults.add(api.CodeInvalidRequest, joinPath(path, field.name), "is not known here: the fields are %s",
			strings.Join(known, ", "))
	}
	return o
}

func (o object) at(name string) string { return joinPath(o.path, name) }

func (o object) get(name string) (jsonValue, bool) {
	for _, field := range o.fields {
		if field.name == name {
			return field.value, true
		}
	}
	return jsonValue{}, false
}

// text reads an optional string of at most max bytes.
func (o object) text(name string, limit int) (s string, ok bool) {
	v, ok := o.get(name)
	if !ok {
		return "", false
	}
	return readText(v, o.at(name), limit, o.faults)
}

// required reads a string that has to be there and not be blank.
func (o object) required(name string, limit int) string {
	if _, ok := o.get(name); !ok {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "is missing")
		return ""
	}
	s, ok := o.text(name, limit)
	if ok && strings.TrimSpace(s) == "" {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "is blank")
	}
	return s
}

// readText takes v as a string of at most limit bytes.
func readText(v jsonValue, path string, limit int, faults *faults) (s string, ok bool) {
	switch {
	case v.kind != jsonString:
		faults.add(api.CodeInvalidRequest, path, "must be a string, not %s", v.kind)
	case v.flaw != "":
		faults.add(api.CodeInvalidRequest, path, "%s", v.flaw)
	case strings.ContainsRune(v.text, 0):
		faults.add(api.CodeInvalidRequest, path, "contains a NUL character")
	case len(v.text) > limit:
		faults.add(api.CodeTooLarge, path, "has %d bytes: the limit is %d", len(v.text), limit)
	default:
		return v.text, true
	}
	return "", false
}

// whole reads an optional whole number. 10.0 is one, as in JSON Schema.
func (o object) whole(name string) (n int, ok bool) {
	v, ok := o.get(name)
	if !ok {
		return 0, false
	}
	if v.kind != jsonNumber {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "must be a whole number, not %s", v.kind)
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<31 {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "must be a whole number of a sensible size")
		return 0, false
	}
	return int(f), true
}

// moment reads an optional time, strictly as RFC 3339 has it. It keeps its UTC offset.
func (o object) moment(name string) *time.Time {
	s, ok := o.text(name, 64)
	if !ok {
		return nil
	}
	t, err := parseTime(s)
	if err != nil {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "%s", err)
		return nil
	}
	return &t
}

// list reads an optional array; null is an empty one, as programs write a list that they never filled.
func (o object) list(name string) []jsonValue {
	v, ok := o.get(name)
	if !ok || v.kind == jsonNull {
		return nil
	}
	if v.kind != jsonArray {
		o.faults.add(api.CodeInvalidRequest, o.at(name), "must be an array, not %s", v.kind)
		return nil
	}
	return v.items
}

// texts reads an optional array of at most count strings, each a name or the like.
func (o object) texts(name string, count int) []string {
	items := o.list(name)
	if len(items) > count {
		o.faults.add(api.CodeTooLarge, o.at(name), "has %d entries: the limit is %d", len(items), count)
		return nil
	}
	var list []string
	for i, item := range items {
		if s, ok := readText(item, fmt.Sprintf("%s[%d]", o.at(name), i), maxLabel, o.faults); ok {
			list = append(list, s)
		}
	}
	return list
}
