package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// scanner is a row.
type scanner interface{ Scan(dest ...any) error }

// micros is how a time is stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

func microsOrNull(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: true}
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func timeOrNil(v sql.NullInt64) *time.Time {
	if !v.Valid {
		return nil
	}
	t := timeOf(v.Int64)
	return &t
}

// inOffset is a time as it was given, with its offset from UTC in seconds.
func inOffset(v, offset sql.NullInt64) *time.Time {
	t := timeOrNil(v)
	if t != nil && offset.Int64 != 0 {
		*t = t.In(time.FixedZone("", int(offset.Int64)))
	}
	return t
}

func offsetOrNull(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	_, offset := t.Zone()
	return sql.NullInt64{Int64: int64(offset), Valid: true}
}

func textOrNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// jsonText is v as JSON, with [] for a list that is nil.
func jsonText[T any](list []T) (string, error) {
	if list == nil {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("encoding a list: %w", err)
	}
	return string(b), nil
}

// jsonOrNull is v as JSON, NULL for nil.
func jsonOrNull[T any](v *T) (sql.NullString, error) {
	if v == nil {
		return sql.NullString{}, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return sql.NullString{}, fmt.Errorf("encoding a value: %w", err)
	}
	return sql.NullString{String: string(b), Valid: true}, nil
}

// decodeJSON reads what jsonText or jsonOrNull wrote; NULL leaves v alone.
func decodeJSON(s sql.NullString, v any) error {
	if !s.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(s.String), v); err != nil {
		return fmt.Errorf("decoding a stored value: %w", err)
	}
	return nil
}

// collect reads every row with scan, and closes rows. The list is never nil.
func collect[T any](rows *sql.Rows, scan func(scanner) (T, error)) ([]T, error) {
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading rows: %w", err)
	}
	return list, nil
}
