package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

// Search finds passages by their words, see [memory.PassageStore].
func (s *Store) Search(
	ctx context.Context, workspace string, q search.Query, limit int, asOf *time.Time,
) (list []api.Passage, err error) {
	list = []api.Passage{}
	err = s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		if len(q.Terms) == 0 || limit <= 0 {
			return nil
		}
		found, candidates, err := fetchCandidates(ctx, tx, ws, q, max(limit, search.MaxCandidates), asOf)
		if err != nil {
			return err
		}
		for _, c := range search.Rank(q, candidates, limit) {
			p := found[c.Key]
			p.Score = c.Score
			list = append(list, p)
		}
		return nil
	})
	return list, err
}

// The index ranks by itself. A time leaves rows out before the best are taken, and needs the passages for that.
const (
	matchSQL = `SELECT i.rowid AS key, i.rank AS score FROM passages_index i
		WHERE i.passages_index MATCH ?1 AND i.rowid BETWEEN ?2 AND ?3
		ORDER BY i.rank, i.rowid DESC LIMIT ?4`
	matchAsOfSQL = `SELECT i.rowid AS key, i.rank AS score FROM passages_index i
		JOIN passages o ON o.key = i.rowid AND o.said_at <= ?5
		WHERE i.passages_index MATCH ?1 AND i.rowid BETWEEN ?2 AND ?3
		ORDER BY i.rank, i.rowid DESC LIMIT ?4`
)

// fetchCandidates returns the passages that the index ranks highest, by key, and the same as candidates.
func fetchCandidates(
	ctx context.Context, q querier, ws int64, query search.Query, limit int, asOf *time.Time,
) (map[int64]api.Passage, []search.Candidate, error) {
	low, high := passageRange(ws)
	match, args := matchSQL, []any{matchExpression(query), low, high, limit}
	if asOf != nil {
		match, args = matchAsOfSQL, append(args, micros(*asOf))
	}
	rows, err := q.QueryContext(ctx,
		`SELECT `+passageColumns+`, m.score FROM (`+match+`) m JOIN passages p ON p.key = m.key`, args...)
	if err != nil {
		return nil, nil, fmt.Errorf("searching the index: %w", err)
	}
	found := make(map[int64]api.Passage)
	candidates, err := collect(rows, func(row scanner) (search.Candidate, error) {
		var rank float64 // of FTS5: lower is better
		p, err := scanPassageAnd(row, &rank)
		found[p.key] = p.value
		return candidate(p, -rank), err
	})
	if err != nil {
		return nil, nil, err
	}
	if err := fetchClosed(ctx, q, ws, candidates); err != nil {
		return nil, nil, err
	}
	successors, err := fetchSuccessors(ctx, q, ws, candidates, asOf)
	for _, p := range successors {
		found[p.key] = p.value
		candidates = append(candidates, candidate(p, 0))
	}
	return found, candidates, err
}

func candidate(p keyed[api.Passage], score float64) search.Candidate {
	return search.Candidate{
		Key: p.key, ID: p.value.ID, Score: score, Text: p.value.Text, Role: p.value.Role, SaidAt: p.value.SaidAt,
		SupersededBy: p.value.SupersededBy,
	}
}

// fetchClosed adds to the candidates that something replaces what no longer holds of them.
func fetchClosed(ctx context.Context, q querier, ws int64, candidates []search.Candidate) error {
	at := make(map[string]int)
	var replaced []string
	for i, c := range candidates {
		if c.SupersededBy != "" {
			at[c.ID] = i
			replaced = append(replaced, c.ID)
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	list, err := jsonText(replaced)
	if err != nil {
		return err
	}
	rows, err := q.QueryContext(ctx, `SELECT passage, statement FROM assertions
		WHERE workspace = ? AND passage IN (SELECT value FROM json_each(?)) AND expired_at IS NOT NULL`, ws, list)
	if err != nil {
		return fmt.Errorf("reading what no longer holds: %w", err)
	}
	_, err = collect(rows, func(row scanner) (struct{}, error) {
		var passage, statement string
		err := row.Scan(&passage, &statement)
		if i, ok := at[passage]; ok {
			candidates[i].Closed = append(candidates[i].Closed, statement)
		}
		return struct{}{}, err
	})
	return err
}

// maxChain bounds how many times over something may be replaced for its last successor to be found.
const maxChain = 16

// fetchSuccessors returns the passages that replace candidates and are not among them, and those that replace these.
func fetchSuccessors(
	ctx context.Context, q querier, ws int64, candidates []search.Candidate, asOf *time.Time,
) (successors []keyed[api.Passage], err error) {
	known := make(map[string]bool, len(candidates))
	var open []string // ids that replace something
	for _, c := range candidates {
		known[c.ID] = true
		open = append(open, c.SupersededBy)
	}
	latest := int64(math.MaxInt64)
	if asOf != nil {
		latest = micros(*asOf)
	}
	for range maxChain {
		open = slices.DeleteFunc(open, func(id string) bool { return id == "" || known[id] })
		if len(open) == 0 {
			break
		}
		found, err := passagesByID(ctx, q, ws, open, latest)
		if err != nil {
			return nil, err
		}
		for _, id := range open {
			known[id] = true
		}
		open = nil
		for _, p := range found {
			open = append(open, p.value.SupersededBy)
		}
		successors = append(successors, found...)
	}
	return successors, nil
}

func passagesByID(ctx context.Context, q querier, ws int64, ids []string, latest int64) ([]keyed[api.Passage], error) {
	list, err := jsonText(ids)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT `+passageColumns+` FROM passages p
		WHERE p.workspace = ? AND p.id IN (SELECT value FROM json_each(?)) AND p.said_at <= ?`, ws, list, latest)
	if err != nil {
		return nil, fmt.Errorf("reading what replaces passages: %w", err)
	}
	return collect(rows, scanPassage)
}

// matchExpression asks for any of a query's terms. Each is quoted: FTS5 reads a quoted string as words.
func matchExpression(q search.Query) string {
	var b strings.Builder
	for i, term := range q.Terms {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteByte('"')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(term, `"`, `""`), "\x00", " "))
		b.WriteByte('"')
	}
	return b.String()
}

// insertIndex indexes a passage with the texts around it and what is asserted on its evidence.
func insertIndex(ctx context.Context, tx *sql.Tx, key int64, p api.Passage, prev, next string, statements []string) error {
	f := search.Document(search.Entry{
		Text: p.Text, Role: p.Role, SaidAt: p.SaidAt, Prev: prev, Next: next, Statements: statements,
	})
	_, err := tx.ExecContext(ctx, `INSERT INTO passages_index (rowid, text, context, neighbours) VALUES (?, ?, ?, ?)`,
		key, f.Text, f.Context, f.Neighbours)
	if err != nil {
		return fmt.Errorf("indexing passage %s: %w", p.ID, err)
	}
	return nil
}

// deleteIndex takes one passage out of the index, words and all.
func deleteIndex(ctx context.Context, tx *sql.Tx, key int64) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM passages_index WHERE rowid = ?`, key); err != nil {
		return fmt.Errorf("erasing from the index: %w", err)
	}
	return nil
}

// deleteIndexOf takes a workspace out of the index. To erase word by word takes milliseconds a passage; instead rows
// are only marked as deleted, and then the index is written anew without them.
func deleteIndexOf(ctx context.Context, tx *sql.Tx, ws int64) error {
	low, high := passageRange(ws)
	steps := []struct {
		query string
		args  []any
	}{
		{`INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 0)`, nil},
		{`DELETE FROM passages_index WHERE rowid BETWEEN ? AND ?`, []any{low, high}},
		{`INSERT INTO passages_index (passages_index) VALUES ('optimize')`, nil},
		{`INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 1)`, nil},
	}
	for _, step := range steps {
		if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
			return fmt.Errorf("erasing a workspace from the index: %w", err)
		}
	}
	return nil
}
