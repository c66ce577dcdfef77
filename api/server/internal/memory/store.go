package memory

import (
	"context"
	"errors"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/search"
)

// What a [Store] answers when it can't do as asked. They are compared with [errors.Is].
var (
	ErrNotFound  = errors.New("not found")
	ErrExists    = errors.New("already exists")
	ErrNoJob     = errors.New("no formation is waiting")
	ErrLeaseLost = errors.New("the lease on the formation is lost")
	ErrBadCursor = errors.New("not a cursor of this list")
)

// Page asks for a part of a list: at most Size entries after the cursor After ("" is the start). A cursor is what the
// same list returned as next; "" there means that the list has ended.
type Page struct {
	Size  int
	After string
}

// Store holds workspaces and everything in them, the API keys, the team, and its sign-ins. Every method is safe for
// concurrent use, by several processes too, and returns an error that wraps [ErrNotFound] when the workspace or what is
// named in it isn't there. Times are UTC and are kept to the microsecond.
//
// Whatever changes access, or erases, writes an entry into the audit log in the same transaction: the action, and the
// context's [Actor].
type Store interface {
	WorkspaceStore
	FormationStore
	PassageStore
	GraphStore
	KeyStore
	TeamStore
	SignInStore

	// Export passes every record of a workspace to yield, one consistent snapshot in constant memory: the workspace,
	// then formations, passages, entities, assertions, each oldest first. It stops at yield's first error.
	Export(ctx context.Context, workspace string, yield func(api.ExportRecord) error) error
	// Ping reports whether the store can be read.
	Ping(ctx context.Context) error
	Close() error
}

// WorkspaceStore keeps workspaces.
type WorkspaceStore interface {
	// CreateWorkspace returns an error that wraps [ErrExists] when the name is taken.
	CreateWorkspace(ctx context.Context, name, title string, now time.Time) (api.Workspace, error)
	// Workspace returns a workspace with its counts.
	Workspace(ctx context.Context, name string) (api.Workspace, error)
	// FindWorkspace is Workspace without the counts, which take longer the more there is.
	FindWorkspace(ctx context.Context, name string) (api.Workspace, error)
	// Workspaces lists by name those that reach says yes to, without counts. Pages are full while there are more.
	Workspaces(ctx context.Context, reach func(name string) bool, page Page) (list []api.Workspace, next string, err error)
	// DeleteWorkspace erases a workspace: passages, index, graph, formations and queue, in one transaction.
	DeleteWorkspace(ctx context.Context, name string, now time.Time) (api.Erasure, error)
}

// Submission is a conversation to be formed. Turns are redacted already; the handle is of the turns as they came.
type Submission struct {
	Handle      string
	Turns       []api.Turn
	Redactions  []api.Redaction
	ObservedAt  *time.Time // keeps its own UTC offset
	SubmittedAt time.Time
	Source      *api.Source
}

// Job is a formation that a worker holds the lease of.
type Job struct {
	Submission
	Workspace string
	Owner     string
	Attempt   int // 1 for the first
}

// FormationStore is the durable queue of formations and their outcomes.
type FormationStore interface {
	// Submit makes a formation durable before it returns. accepted is false when the handle is there already, in any
	// state but failed; a failed one is queued again with the turns given, keeping what was written of it.
	Submit(ctx context.Context, workspace string, s Submission) (f api.Formation, accepted bool, err error)
	Formation(ctx context.Context, workspace, handle string) (api.Formation, error)
	// Formations lists newest first; state "" means any.
	Formations(ctx context.Context, workspace string, state api.FormationState, page Page) (list []api.Formation, next string, err error)

	// Lease takes the oldest formation that waits (or whose lease has run out) in a workspace where no other is
	// leased, so that a workspace's conversations form in the order of their submission. It returns [ErrNoJob] when
	// there is none.
	Lease(ctx context.Context, owner string, now, until time.Time) (*Job, error)
	// Renew extends a lease, or returns [ErrLeaseLost].
	Renew(ctx context.Context, job *Job, until time.Time) error
	// Release hands back every lease of owner, so that another worker need not wait for them to run out.
	Release(ctx context.Context, owner string) error
	// Form calls decide within a transaction that no other formation of the workspace runs beside, writes what it
	// returns, records the outcome as finished, drops the queued turns, and commits all of it at once. It returns
	// [ErrLeaseLost], and writes nothing, when the job is not this owner's any more or has ended.
	Form(ctx context.Context, job *Job, now time.Time, decide Decide) error
	// Postpone puts a job back with a reason, not to be leased before at.
	Postpone(ctx context.Context, job *Job, reason string, at time.Time) error
	// Fail ends a job for good with its reason and drops its turns.
	Fail(ctx context.Context, job *Job, reason string, now time.Time) error
	// Consult calls decide like Form does, on a consistent snapshot, and writes nothing.
	Consult(ctx context.Context, workspace string, decide Decide) (Outcome, error)
	// QueueDepth counts the formations that have not ended, and says when the oldest of them was submitted.
	QueueDepth(ctx context.Context) (depth int, oldest time.Time, err error)
}

// Decide looks at what a workspace holds and says what to write.
type Decide func(ctx context.Context, held Held) (Outcome, error)

// Held is what a workspace holds, as a formation sees it from within its transaction.
type Held interface {
	// Passage returns the passage of that id, or nil: it tells when and by whom the evidence of an assertion was said.
	Passage(ctx context.Context, id string) (*api.Passage, error)
	// HasPassage reports whether a passage of that id is held.
	HasPassage(ctx context.Context, id string) (bool, error)
	// Entity returns the entity of that id, or nil.
	Entity(ctx context.Context, id string) (*api.Entity, error)
	// AssertionsFrom returns all assertions, closed ones too, that go out from an entity, oldest first; relation ""
	// means any.
	AssertionsFrom(ctx context.Context, source, relation string) ([]api.Assertion, error)
	// AssertionsTo is the same by target.
	AssertionsTo(ctx context.Context, target, relation string) ([]api.Assertion, error)
}

// NewPassage is a passage to write, with the ids of the passages before and after it in its conversation ("" at the
// ends), whose words it is indexed with.
type NewPassage struct {
	api.Passage
	Prev, Next string
}

// Closure ends a held assertion: it held until InvalidAt (nil: unknown) and was believed until ExpiredAt.
type Closure struct {
	Assertion    string // id
	InvalidAt    *time.Time
	ExpiredAt    time.Time
	SupersededBy string // id of the assertion that replaces it; "" for a plain end
	// PassageSupersededBy is the id of the passage that replaces the evidence; "" leaves the evidence as it is.
	PassageSupersededBy string
}

// Outcome is what a formation decided. Writes holds only what Form really wrote; a plan's is what it would write.
type Outcome struct {
	Extractor  api.Extractor
	Candidates []api.Candidate
	Passages   []NewPassage
	Entities   []api.Entity
	// Assertions carry the reason for which they are not qualified for good; [Qualify] adds what depends on the time.
	Assertions []api.Assertion
	Closures   []Closure
	Unqualify  []Unqualify
}

// Unqualify gives a held assertion a reason to be no longer qualified, such as "contradicted".
type Unqualify struct {
	Assertion string
	Reason    string
}

// Writes counts what o writes.
func (o Outcome) Writes() api.Writes {
	return api.Writes{
		Passages: len(o.Passages), Entities: len(o.Entities),
		Assertions: len(o.Assertions), Supersessions: len(o.Closures),
	}
}

// PassageStore keeps passages and their index.
type PassageStore interface {
	// Passages lists in the order in which they were remembered.
	Passages(ctx context.Context, workspace string, page Page) (list []api.Passage, next string, err error)
	Passage(ctx context.Context, workspace, id string) (api.PassageDetail, error)
	// Forget erases a passage, its index, every assertion that has it as its evidence, entities that nothing is
	// asserted of any more, its words in the index of its neighbours, and its text in the outcomes of formations, in
	// one transaction.
	Forget(ctx context.Context, workspace, id string, now time.Time) (api.Erasure, error)
	// Search returns at most limit passages that share a word with q, best first, with Score set; asOf leaves out
	// what was said later.
	Search(ctx context.Context, workspace string, q search.Query, limit int, asOf *time.Time) ([]api.Passage, error)
}

// GraphStore reads the graph. Assertions it returns have gone through [Qualify].
type GraphStore interface {
	// Graph lists assertions newest first, closed ones too, each page with the entities at their ends.
	Graph(ctx context.Context, workspace string, now time.Time, page Page) (g api.GraphPage, err error)
	// Snapshot returns the newest assertions that were open at a time, at most limit, with both their ends; truncated
	// when there are more.
	Snapshot(ctx context.Context, workspace string, at time.Time, limit int) (api.Graph, error)
	Assertion(ctx context.Context, workspace, id string, now time.Time) (api.AssertionDetail, error)
}

// Key is an API key as it is stored: never the secret, only its SHA-256.
type Key struct {
	api.Key
	Hash [32]byte
}

// KeyStore keeps API keys.
type KeyStore interface {
	CreateKey(ctx context.Context, k Key) error
	// KeyByHash returns the key with this digest, revoked and expired ones too: the caller decides.
	KeyByHash(ctx context.Context, hash [32]byte) (Key, error)
	// Keys lists newest first.
	Keys(ctx context.Context, page Page) (list []api.Key, next string, err error)
	// RevokeKey returns the key as it is afterwards; revoking twice keeps the first time.
	RevokeKey(ctx context.Context, id string, now time.Time) (api.Key, error)
	// TouchKey records when a key was last used.
	TouchKey(ctx context.Context, id string, now time.Time) error
}
