package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	maxLine    = 64 << 20 // bytes of one line; the longest that is buffered
	lineBuffer = 64 << 10
)

// errLineTooLong is for a line over the limit. It was skipped, and reading goes on behind it.
var errLineTooLong = errors.New("the line is too long")

// lineReader splits a stream into lines without their ends. It skips what is over its limit without keeping it.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, lineBuffer), limit: limit}
}

// next returns the next line, which the caller may keep; a last one without a line feed counts. The error is
// [errLineTooLong] for a line that was skipped, else it ends the stream.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(bytes.TrimSuffix(part, []byte{'\n'})) > l.limit {
			tooLong, line = true, nil
		}
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong:
			return nil, errLineTooLong
		case err != nil && len(line) == 0:
			return nil, err
		}
		return line, nil
	}
}
