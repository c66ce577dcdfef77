package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// Forget erases a passage and everything that was made of it, see [memory.PassageStore].
func (s *Store) Forget(ctx context.Context, workspace, id string, now time.Time) (api.Erasure, error) {
	receipt := api.Erasure{Workspace: workspace, Passage: id, ErasedAt: timeOf(micros(now))}
	err := s.writeIn(ctx, workspace, func(ctx context.Context, tx *sql.Tx, ws int64) error {
		found, err := passageByID(ctx, tx, ws, id)
		if err != nil {
			return err
		}
		e := eraser{tx: tx, ws: ws}
		if err := e.passage(ctx, found); err != nil {
			return err
		}
		receipt.Removed = e.removed
		return audit(ctx, tx, now, entry{action: memory.ActionPassageForgotten, target: id, workspace: workspace})
	})
	if err != nil {
		return api.Erasure{}, err
	}
	s.wipe(ctx)
	return receipt, nil
}

// wipeTime is how long wipe waits for readers.
const wipeTime = 2 * time.Second

// wipe moves the log into the file and empties it, so that pages from before an erasure are not left in it. While
// somebody reads an older snapshot it can't; the next checkpoint does it then.
func (s *Store) wipe(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wipeTime)
	defer cancel()
	var busy, logged, moved int
	// An error changes nothing: the erasure itself is committed, and checkpoints follow by themselves.
	_ = s.writer.QueryRowContext(ctx, `PRAGMA wal_checkpoint(truncate)`).Scan(&busy, &logged, &moved)
}

// eraser erases one passage and counts what left.
type eraser struct {
	tx      *sql.Tx
	ws      int64
	removed api.WorkspaceCounts
}

func (e *eraser) passage(ctx context.Context, p keyed[api.Passage]) error {
	id := p.value.ID
	assertions, err := e.assertions(ctx, id)
	if err != nil {
		return err
	}
	err = e.exec(ctx, "dropping references", `UPDATE passages SET superseded_by = NULL
		WHERE workspace = ? AND superseded_by = ?`, e.ws, id)
	if err != nil {
		return err
	}
	if err := e.exec(ctx, "erasing a passage", `DELETE FROM passages WHERE key = ?`, p.key); err != nil {
		return err
	}
	if err := deleteIndex(ctx, e.tx, p.key); err != nil {
		return err
	}
	if err := e.neighbours(ctx, id); err != nil {
		return err
	}
	err = e.exec(ctx, "noting a forgotten passage", `INSERT OR IGNORE INTO forgotten (workspace, formation, passage)
		VALUES (?, ?, ?)`, e.ws, p.value.Formation, id)
	if err != nil {
		return err
	}
	e.removed.Passages++
	return e.outcomes(ctx, id, assertions)
}

func (e *eraser) exec(ctx context.Context, what, query string, args ...any) error {
	if _, err := e.tx.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// assertions erases those that have the passage as their evidence, with entities that nothing is left of, and returns
// their ids.
func (e *eraser) assertions(ctx context.Context, passage string) ([]string, error) {
	list, err := assertionsWhere(ctx, e.tx, `a.workspace = ? AND a.passage = ?`, e.ws, passage)
	if err != nil {
		return nil, err
	}
	err = e.exec(ctx, "erasing assertions", `DELETE FROM assertions WHERE workspace = ? AND passage = ?`, e.ws, passage)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, a := range list {
		ids = append(ids, a.ID)
		err := e.exec(ctx, "dropping references", `UPDATE assertions SET superseded_by = NULL
			WHERE workspace = ? AND superseded_by = ?`, e.ws, a.ID)
		if err != nil {
			return nil, err
		}
		for _, end := range []string{a.Source, a.Target} {
			if err := e.entity(ctx, end); err != nil {
				return nil, err
			}
		}
	}
	e.removed.Assertions += len(ids)
	return ids, nil
}

// entity erases an entity that nothing is asserted of any more.
func (e *eraser) entity(ctx context.Context, id string) error {
	result, err := e.tx.ExecContext(ctx, `DELETE FROM entities WHERE workspace = ?1 AND id = ?2
		AND NOT EXISTS (SELECT 1 FROM assertions WHERE workspace = ?1 AND source = ?2)
		AND NOT EXISTS (SELECT 1 FROM assertions WHERE workspace = ?1 AND target = ?2)`, e.ws, id)
	if err != nil {
		return fmt.Errorf("erasing an entity: %w", err)
	}
	n, err := result.RowsAffected()
	e.removed.Entities += int(n)
	return err
}

// neighbour is a passage that was indexed with the words of the one that is erased.
type neighbour struct {
	keyed[api.Passage]
	prev, next sql.NullString
}

// neighbours indexes the passages before and after again, without the erased one.
func (e *eraser) neighbours(ctx context.Context, id string) error {
	rows, err := e.tx.QueryContext(ctx, `SELECT `+passageColumns+`, p.prev, p.next FROM passages p
		WHERE p.workspace = ?1 AND p.prev = ?2
		UNION SELECT `+passageColumns+`, p.prev, p.next FROM passages p
		WHERE p.workspace = ?1 AND p.next = ?2`, e.ws, id)
	if err != nil {
		return fmt.Errorf("looking for neighbours: %w", err)
	}
	list, err := collect(rows, func(row scanner) (n neighbour, err error) {
		n.keyed, err = scanPassageAnd(row, &n.prev, &n.next)
		return n, err
	})
	if err != nil {
		return err
	}
	for _, n := range list {
		if err := e.reindex(ctx, n, id); err != nil {
			return err
		}
	}
	return nil
}

func (e *eraser) reindex(ctx context.Context, n neighbour, gone string) error {
	texts := [2]string{}
	for i, side := range []*sql.NullString{&n.prev, &n.next} {
		if side.String == gone {
			*side = sql.NullString{}
		}
		var err error
		if texts[i], err = passageText(ctx, e.tx, e.ws, side.String); err != nil {
			return err
		}
	}
	err := e.exec(ctx, "parting neighbours", `UPDATE passages SET prev = ?, next = ? WHERE key = ?`, n.prev, n.next, n.key)
	if err != nil {
		return err
	}
	if err := deleteIndex(ctx, e.tx, n.key); err != nil {
		return err
	}
	statements, err := e.statements(ctx, n.value.ID)
	if err != nil {
		return err
	}
	return insertIndex(ctx, e.tx, n.key, n.value, texts[0], texts[1], statements)
}

// statements returns what is asserted on the evidence of a passage.
func (e *eraser) statements(ctx context.Context, passage string) ([]string, error) {
	rows, err := e.tx.QueryContext(ctx, `SELECT statement FROM assertions WHERE workspace = ? AND passage = ? ORDER BY key`,
		e.ws, passage)
	if err != nil {
		return nil, fmt.Errorf("reading what is asserted: %w", err)
	}
	return collect(rows, func(row scanner) (statement string, err error) {
		err = row.Scan(&statement)
		return statement, err
	})
}

// outcomes takes the words of the passage out of what formations recorded.
func (e *eraser) outcomes(ctx context.Context, passage string, assertions []string) error {
	ids, err := jsonText(append([]string{passage}, assertions...))
	if err != nil {
		return err
	}
	rows, err := e.tx.QueryContext(ctx, `SELECT f.key, f.candidates FROM formations f WHERE f.workspace = ?
		AND EXISTS (SELECT 1 FROM json_each(?) j WHERE instr(f.candidates, j.value) > 0)`, e.ws, ids)
	if err != nil {
		return fmt.Errorf("looking for outcomes: %w", err)
	}
	outcomes, err := collect(rows, scanCandidates)
	if err != nil {
		return err
	}
	r := redaction{passages: setOf(passage), assertions: setOf(assertions...)}
	r.isHeld = func(id string) (bool, error) { return held{q: e.tx, ws: e.ws}.hasAssertion(ctx, id) }
	for _, o := range outcomes {
		if err := r.apply(o.value, nil); err != nil {
			return err
		}
		text, err := jsonText(o.value)
		if err != nil {
			return err
		}
		err = e.exec(ctx, "redacting an outcome", `UPDATE formations SET candidates = ? WHERE key = ?`, text, o.key)
		if err != nil {
			return err
		}
	}
	return nil
}

func scanCandidates(row scanner) (keyed[[]api.Candidate], error) {
	var k keyed[[]api.Candidate]
	var text string
	if err := row.Scan(&k.key, &text); err != nil {
		return k, fmt.Errorf("reading an outcome: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &k.value); err != nil {
		return k, fmt.Errorf("decoding an outcome: %w", err)
	}
	return k, nil
}
