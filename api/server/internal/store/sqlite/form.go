package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Form decides, writes and records an outcome in one transaction, see [memory.FormationStore].
func (s *Store) Form(ctx context.Context, job *memory.Job, now time.Time, decide memory.Decide) error {
	defer s.freeCache(ctx)
	return s.writeHeld(ctx, job, func(ctx context.Context, tx *sql.Tx, l leased) error {
		o, err := decide(ctx, held{q: tx, ws: l.ws})
		if err != nil {
			return err
		}
		w := writer{tx: tx, ws: l.ws, handle: job.Handle, outcome: o}
		if err := w.write(ctx); err != nil {
			return err
		}
		if err := recordOutcome(ctx, tx, l, now, w.outcome, w.wrote); err != nil {
			return err
		}
		return dequeue(ctx, tx, l)
	})
}

// Consult decides on a snapshot and writes nothing, see [memory.FormationStore].
func (s *Store) Consult(ctx context.Context, workspace string, decide memory.Decide) (o memory.Outcome, err error) {
	err = s.readIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) (err error) {
		o, err = decide(ctx, held{q: tx, ws: ws})
		return err
	})
	return o, err
}

func recordOutcome(
	ctx context.Context, tx *sql.Tx, l leased, now time.Time, o memory.Outcome, wrote api.Writes,
) error {
	candidates, err := jsonText(o.Candidates)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE formations SET state = ?, finished_at = ?, error = '',
		extractor_name = ?, extractor_version = ?, candidates = ?,
		wrote_passages = wrote_passages + ?, wrote_entities = wrote_entities + ?,
		wrote_assertions = wrote_assertions + ?, wrote_supersessions = wrote_supersessions + ? WHERE key = ?`,
		api.FormationFinished, micros(now), o.Extractor.Name, o.Extractor.Version, candidates,
		wrote.Passages, wrote.Entities, wrote.Assertions, wrote.Supersessions, l.formation)
	if err != nil {
		return fmt.Errorf("recording an outcome: %w", err)
	}
	return nil
}

// writer writes the outcome of one formation.
type writer struct {
	tx      *sql.Tx
	ws      int64
	handle  string
	outcome memory.Outcome
	wrote   api.Writes
}

func (w *writer) write(ctx context.Context) error {
	if err := w.dropForgotten(ctx); err != nil {
		return err
	}
	steps := []func(context.Context) error{w.passages, w.entities, w.assertions, w.closures, w.unqualify}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (w *writer) exec(ctx context.Context, what, query string, args ...any) (int, error) {
	result, err := w.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// passages writes those that are not held yet.
func (w *writer) passages(ctx context.Context) error {
	texts := make(map[string]string, len(w.outcome.Passages))
	for _, p := range w.outcome.Passages {
		texts[p.ID] = p.Text
	}
	statements := make(map[string][]string)
	for _, a := range w.outcome.Assertions {
		statements[a.Passage] = append(statements[a.Passage], a.Statement)
	}
	for _, p := range w.outcome.Passages {
		key, err := w.insertPassage(ctx, p)
		if err != nil {
			return err
		}
		if key == 0 {
			continue
		}
		prev, err := w.textOf(ctx, texts, p.Prev)
		if err != nil {
			return err
		}
		next, err := w.textOf(ctx, texts, p.Next)
		if err != nil {
			return err
		}
		if err := insertIndex(ctx, w.tx, key, p.Passage, prev, next, statements[p.ID]); err != nil {
			return err
		}
		w.wrote.Passages++
	}
	return nil
}

// insertPassage returns the key of the new row, 0 when the passage is held already.
func (w *writer) insertPassage(ctx context.Context, p memory.NewPassage) (int64, error) {
	there, err := held{q: w.tx, ws: w.ws}.HasPassage(ctx, p.ID)
	if err != nil || there {
		return 0, err
	}
	var sequence int64
	err = w.tx.QueryRowContext(ctx,
		`UPDATE workspaces SET last_passage = last_passage + 1 WHERE id = ? RETURNING last_passage`, w.ws).Scan(&sequence)
	if err != nil {
		return 0, fmt.Errorf("numbering passage %s: %w", p.ID, err)
	}
	flags := sql.NullString{}
	if len(p.Flags) > 0 {
		if flags, err = jsonOrNull(&p.Flags); err != nil {
			return 0, err
		}
	}
	key := passageKey(w.ws, sequence)
	_, err = w.exec(ctx, "writing passage "+p.ID, `INSERT INTO passages
		(key, workspace, id, role, turn, formation, said_at, flags, superseded_by, prev, next, text)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key, w.ws, p.ID, p.Role, p.Turn, p.Formation, micros(p.SaidAt), flags, textOrNull(p.SupersededBy),
		textOrNull(p.Prev), textOrNull(p.Next), p.Text)
	return key, err
}

// textOf returns the text of a neighbour, "" when there is none.
func (w *writer) textOf(ctx context.Context, texts map[string]string, id string) (string, error) {
	if text, ok := texts[id]; ok || id == "" {
		return text, nil
	}
	return passageText(ctx, w.tx, w.ws, id)
}

func passageText(ctx context.Context, q querier, ws int64, id string) (string, error) {
	var text string
	err := q.QueryRowContext(ctx, `SELECT text FROM passages WHERE workspace = ? AND id = ?`, ws, id).Scan(&text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("reading a neighbour: %w", err)
	}
	return text, nil
}

func (w *writer) entities(ctx context.Context) error {
	for _, e := range w.outcome.Entities {
		n, err := w.exec(ctx, "writing entity "+e.ID, `INSERT INTO entities (workspace, id, name, kind)
			VALUES (?, ?, ?, ?) ON CONFLICT (workspace, id) DO NOTHING`, w.ws, e.ID, e.Name, e.Kind)
		if err != nil {
			return err
		}
		w.wrote.Entities += n
	}
	return nil
}

func (w *writer) assertions(ctx context.Context) error {
	for _, a := range w.outcome.Assertions {
		n, err := w.exec(ctx, "writing assertion "+a.ID, `INSERT INTO assertions
			(workspace, id, source, relation, target, statement, reason, valid_at, invalid_at, asserted_at, expired_at, passage)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, id) DO NOTHING`,
			w.ws, a.ID, a.Source, a.Relation, a.Target, a.Statement, a.UnqualifiedReason, microsOrNull(a.ValidAt),
			microsOrNull(a.InvalidAt), micros(a.AssertedAt), microsOrNull(a.ExpiredAt), a.Passage)
		if err != nil {
			return err
		}
		w.wrote.Assertions += n
	}
	return nil
}

// closures ends assertions that are still believed. A known end stays when the new one isn't known.
func (w *writer) closures(ctx context.Context) error {
	for _, c := range w.outcome.Closures {
		n, err := w.exec(ctx, "closing assertion "+c.Assertion, `UPDATE assertions
			SET invalid_at = coalesce(?, invalid_at), expired_at = ?, superseded_by = ?
			WHERE workspace = ? AND id = ? AND expired_at IS NULL`,
			microsOrNull(c.InvalidAt), micros(c.ExpiredAt), textOrNull(c.SupersededBy), w.ws, c.Assertion)
		if err != nil {
			return err
		}
		w.wrote.Supersessions += n
		if n == 0 || c.PassageSupersededBy == "" {
			continue
		}
		_, err = w.exec(ctx, "marking replaced evidence", `UPDATE passages SET superseded_by = ?1
			WHERE workspace = ?2 AND id = (SELECT passage FROM assertions WHERE workspace = ?2 AND id = ?3) AND id <> ?1`,
			c.PassageSupersededBy, w.ws, c.Assertion)
		if err != nil {
			return err
		}
	}
	return nil
}

// unqualify records reasons. The first one stays.
func (w *writer) unqualify(ctx context.Context) error {
	for _, u := range w.outcome.Unqualify {
		_, err := w.exec(ctx, "unqualifying assertion "+u.Assertion,
			`UPDATE assertions SET reason = ? WHERE workspace = ? AND id = ? AND reason = ''`, u.Reason, w.ws, u.Assertion)
		if err != nil {
			return err
		}
	}
	return nil
}
