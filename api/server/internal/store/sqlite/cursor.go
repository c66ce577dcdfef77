package sqlite

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// A cursor names its list and the place in it, such as "passages.17": what comes after has a higher (or, newest first,
// a lower) place.

func cursorOf(list string, place ...int64) string {
	var b strings.Builder
	b.WriteString(list)
	for _, n := range place {
		b.WriteByte('.')
		b.WriteString(strconv.FormatInt(n, 10))
	}
	return b.String()
}

// parseCursor fills place with what cursorOf was given. The empty cursor leaves it alone.
func parseCursor(cursor, list string, place ...*int64) error {
	if cursor == "" {
		return nil
	}
	rest, ok := strings.CutPrefix(cursor, list+".")
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != len(place) {
		return badCursor(list)
	}
	for i, to := range place {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != parts[i] {
			return badCursor(list)
		}
		*to = n
	}
	return nil
}

func badCursor(list string) error {
	return fmt.Errorf("reading a cursor of %s: %w", list, memory.ErrBadCursor)
}

// newestFirst parses the cursor of a list that runs from the newest to the oldest. Without a cursor it stands before
// everything.
func newestFirst(cursor, list string) (at, key int64, err error) {
	at, key = math.MaxInt64, math.MaxInt64
	err = parseCursor(cursor, list, &at, &key)
	return at, key, err
}

// pageSize keeps a page from being empty: an empty page would end the list.
func pageSize(page memory.Page) int { return max(page.Size, 1) }

// cutPage takes off the row that was read beyond the page, and says whether there was one.
func cutPage[T any](list []T, size int) ([]T, bool) {
	if len(list) <= size {
		return list, false
	}
	return list[:size], true
}
