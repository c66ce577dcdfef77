package api

import (
	"encoding/json"
	"time"

	"github.com/lukasa-dev/lukasa/formation"
)

// Turn is one utterance of a conversation, see [formation.Turn].
type Turn = formation.Turn

// Workspace is an isolated memory.
type Workspace struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	CreatedAt   time.Time        `json:"created_at"`
	Counts      *WorkspaceCounts `json:"counts,omitempty"`      // only when one workspace is asked for
	Permissions []string         `json:"permissions,omitempty"` // what the caller may do here; only when one is asked for
}

// WorkspaceCounts says how much a workspace holds.
type WorkspaceCounts struct {
	Passages   int `json:"passages"`
	Entities   int `json:"entities"`
	Assertions int `json:"assertions"`
	Formations int `json:"formations"`
}

// CreateWorkspace is the body of a workspace's creation.
type CreateWorkspace struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
}

// Erasure is the receipt of a deletion: what was removed, and when.
type Erasure struct {
	Workspace string          `json:"workspace"`
	Passage   string          `json:"passage,omitempty"` // the passage's id, when one passage was forgotten
	Removed   WorkspaceCounts `json:"removed"`
	ErasedAt  time.Time       `json:"erased_at"`
}

// RecallRequest asks for the passages that match a query.
type RecallRequest struct {
	Query string     `json:"query"`           // at most 4 KiB, not blank
	Limit int        `json:"limit,omitempty"` // 1–50; 0 means 10
	AsOf  *time.Time `json:"as_of,omitempty"` // answer with what held then
}

// Recall is the answer to a [RecallRequest]: passages, most relevant first, and a snapshot of the graph that the query
// does not filter.
type Recall struct {
	Passages []Passage `json:"passages"`
	Graph    Graph     `json:"graph"`
	ReadAt   time.Time `json:"read_at"`
	Notes    []string  `json:"notes,omitempty"`
}

// Passage is remembered text, with who said it and when.
type Passage struct {
	ID           string    `json:"id"`
	Text         string    `json:"text"`
	Role         string    `json:"role"`      // user, assistant or tool
	Turn         int       `json:"turn"`      // index of the turn in its formation
	Formation    string    `json:"formation"` // the handle
	SaidAt       time.Time `json:"said_at"`
	Score        float64   `json:"score,omitempty"` // higher is more relevant; only in a recall, comparable within one
	Flags        []string  `json:"flags,omitempty"` // "addresses_reader"
	SupersededBy string    `json:"superseded_by,omitempty"`
	Truncated    bool      `json:"truncated,omitempty"` // the text was cut to fit a reply
}

// FlagAddressesReader marks a passage that speaks to whoever reads it, as prompt injections do.
const FlagAddressesReader = "addresses_reader"

// PassageDetail is a passage with its provenance.
type PassageDetail struct {
	Passage
	Source     *Source     `json:"source,omitempty"`
	Assertions []Assertion `json:"assertions"` // what was asserted on its evidence
}

// PassagePage is a page of a workspace's passages, in the order in which they were remembered.
type PassagePage struct {
	Passages      []Passage `json:"passages"`
	NextPageToken string    `json:"next_page_token,omitempty"`
}

// Entity is a node of the graph.
type Entity struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Assertion is an edge of the graph: what was said to hold between two entities, and in which window of time.
type Assertion struct {
	ID                string     `json:"id"`
	Source            string     `json:"source"` // entity id
	Relation          string     `json:"relation"`
	Target            string     `json:"target"`    // entity id
	Statement         string     `json:"statement"` // readable by itself
	Qualified         bool       `json:"qualified"` // held now, stated as a present fact at a known time, uncontradicted
	UnqualifiedReason string     `json:"unqualified_reason,omitempty"`
	ValidAt           *time.Time `json:"valid_at,omitempty"`   // since when it held in the world
	InvalidAt         *time.Time `json:"invalid_at,omitempty"` // until when it held in the world
	AssertedAt        time.Time  `json:"asserted_at"`          // since when the store believed it
	ExpiredAt         *time.Time `json:"expired_at,omitempty"` // until when the store believed it
	Passage           string     `json:"passage"`              // id of the evidence
}

// The reasons for which an assertion is not qualified.
const (
	UnqualifiedHedged          = "hedged"
	UnqualifiedSaidByAssistant = "said_by_assistant"
	UnqualifiedSecondHand      = "second_hand"
	UnqualifiedNoKnownTime     = "no_known_time"
	UnqualifiedContradicted    = "contradicted"
	UnqualifiedPlanned         = "planned"
	UnqualifiedExpired         = "expired"
)

// AssertionDetail is an assertion with both its ends, its evidence and its history.
type AssertionDetail struct {
	Assertion
	Entities     []Entity    `json:"entities"`                // source and target
	Evidence     *Passage    `json:"evidence,omitempty"`      // absent once it was forgotten
	SubmittedBy  *Source     `json:"submitted_by,omitempty"`  // what submitted the turn
	SupersededBy string      `json:"superseded_by,omitempty"` // id of the assertion that replaced it
	History      []Assertion `json:"history"`                 // same source and relation, oldest first
}

// Graph is a bounded snapshot of a workspace's entities and assertions.
type Graph struct {
	Nodes     []Entity    `json:"nodes"`
	Edges     []Assertion `json:"edges"`
	Truncated bool        `json:"truncated"`
}

// GraphPage is a page of a workspace's graph: assertions, newest first, with the entities at their ends.
type GraphPage struct {
	Entities      []Entity    `json:"entities"`
	Assertions    []Assertion `json:"assertions"`
	NextPageToken string      `json:"next_page_token,omitempty"`
}

// Source says through what a conversation was submitted.
type Source struct {
	Via    string        `json:"via"` // mcp, cli, sdk or import
	Client *SourceClient `json:"client,omitempty"`
}

// SourceClient is the program that submitted a conversation, as it calls itself.
type SourceClient struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// SubmitFormation is the body of a formation's submission, and of a plan.
type SubmitFormation struct {
	Turns []Turn `json:"turns"`
	// ObservedAt is when the conversation took place; its UTC offset is where the speakers' "yesterday" is counted from.
	// It may lie at most 24 hours ahead of the server's clock.
	ObservedAt *time.Time `json:"observed_at,omitempty"`
	Source     *Source    `json:"source,omitempty"`
}

// FormationState is how far a formation has come on the server.
type FormationState string

// The states of a formation on the server; the last two are final.
const (
	FormationQueued   FormationState = "queued"
	FormationRunning  FormationState = "running"
	FormationFinished FormationState = "finished"
	FormationFailed   FormationState = "failed"
)

// Ended reports whether the formation has an outcome.
func (s FormationState) Ended() bool { return s == FormationFinished || s == FormationFailed }

// Formation is the making of memories out of one conversation.
type Formation struct {
	Handle      string         `json:"handle"`
	Workspace   string         `json:"workspace"`
	State       FormationState `json:"state"`
	SubmittedAt time.Time      `json:"submitted_at"`
	FinishedAt  *time.Time     `json:"finished_at,omitempty"`
	Attempts    int            `json:"attempts"`
	Extractor   Extractor      `json:"extractor"`
	Candidates  []Candidate    `json:"candidates"`
	Decisions   Decisions      `json:"decisions"`
	Writes      Writes         `json:"writes"`
	Redactions  []Redaction    `json:"redactions"`
	Source      *Source        `json:"source,omitempty"`
	Error       string         `json:"error,omitempty"`
}

// Extractor names what found the candidates.
type Extractor struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// FormationPage is a page of a workspace's formations, newest first.
type FormationPage struct {
	Formations    []Formation `json:"formations"`
	NextPageToken string      `json:"next_page_token,omitempty"`
}

// Plan is what a formation would decide, without writing anything.
type Plan struct {
	Handle     string      `json:"handle"`
	Extractor  Extractor   `json:"extractor"`
	Candidates []Candidate `json:"candidates"`
	Decisions  Decisions   `json:"decisions"`
	Writes     Writes      `json:"writes"`
	Redactions []Redaction `json:"redactions"`
}

// Decision is what a formation did with a candidate.
type Decision string

// The four decisions.
const (
	DecisionNew          Decision = "new"
	DecisionRevised      Decision = "revised"
	DecisionAlreadyKnown Decision = "already_known"
	DecisionRejected     Decision = "rejected"
)

// CandidateKind tells passages from assertions.
type CandidateKind string

// The kinds of candidate.
const (
	KindFact         CandidateKind = "fact"         // becomes a passage
	KindRelationship CandidateKind = "relationship" // becomes an assertion and its entities
)

// Candidate is something that a formation considered, with what it decided.
type Candidate struct {
	ID       string        `json:"id"` // of the passage or assertion that it is, became or would have become
	Kind     CandidateKind `json:"kind"`
	Text     string        `json:"text"`
	Source   string        `json:"source,omitempty"` // name of the entity
	Relation string        `json:"relation,omitempty"`
	Target   string        `json:"target,omitempty"` // name of the entity
	Decision Decision      `json:"decision"`
	Matched  string        `json:"matched,omitempty"` // id of what it is known as, or replaced
	Reason   string        `json:"reason,omitempty"`
	Turns    []int         `json:"turns"`
}

// Decisions counts a formation's candidates by decision.
type Decisions struct {
	New          int `json:"new"`
	Revised      int `json:"revised"`
	AlreadyKnown int `json:"already_known"`
	Rejected     int `json:"rejected"`
}

// CountDecisions counts candidates by decision.
func CountDecisions(candidates []Candidate) Decisions {
	var d Decisions
	for _, c := range candidates {
		switch c.Decision {
		case DecisionNew:
			d.New++
		case DecisionRevised:
			d.Revised++
		case DecisionAlreadyKnown:
			d.AlreadyKnown++
		case DecisionRejected:
			d.Rejected++
		}
	}
	return d
}

// Writes counts what a formation wrote. A supersession is an assertion that it closed.
type Writes struct {
	Passages      int `json:"passages"`
	Entities      int `json:"entities"`
	Assertions    int `json:"assertions"`
	Supersessions int `json:"supersessions"`
}

// Total is the sum of all counts.
func (w Writes) Total() int { return w.Passages + w.Entities + w.Assertions + w.Supersessions }

// Redaction says that values of one kind were removed from a turn before anything was made of it.
type Redaction struct {
	Turn  int    `json:"turn"`
	Kind  string `json:"kind"` // such as "aws_access_key"
	Count int    `json:"count"`
}

// Identity is who a credential is.
type Identity struct {
	Kind        string     `json:"kind"`            // "key", "user" or "local"
	User        string     `json:"user,omitempty"`  // e-mail address of the member
	Key         string     `json:"key,omitempty"`   // the key's id
	Label       string     `json:"label,omitempty"` // the key's label
	Role        string     `json:"role,omitempty"`
	Permissions []string   `json:"permissions"`
	Selectors   []string   `json:"selectors"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
}

// Key is an API key, without its secret.
type Key struct {
	ID          string     `json:"id"`
	Label       string     `json:"label"`
	Role        string     `json:"role,omitempty"` // the built-in role whose permissions it was made with
	Permissions []string   `json:"permissions"`
	Selectors   []string   `json:"selectors"`
	CreatedAt   time.Time  `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	LastUsedAt  *time.Time `json:"last_used_at,omitempty"`
	RevokedAt   *time.Time `json:"revoked_at,omitempty"`
}

// CreateKey is the body of a key's creation: a role or permissions, and the workspaces that it reaches.
type CreateKey struct {
	Label       string     `json:"label"`
	Role        string     `json:"role,omitempty"`
	Permissions []string   `json:"permissions,omitempty"`
	Selectors   []string   `json:"selectors"` // exact name, "prefix.*" or "*"; none reaches nothing
	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
}

// NewKey is a key that was just created. Its secret is shown this once.
type NewKey struct {
	Key
	Secret string `json:"secret"`
}

// KeyPage is a page of API keys, newest first.
type KeyPage struct {
	Keys          []Key  `json:"keys"`
	NextPageToken string `json:"next_page_token,omitempty"`
}

// WorkspacePage is a page of workspaces, by name.
type WorkspacePage struct {
	Workspaces    []Workspace `json:"workspaces"`
	NextPageToken string      `json:"next_page_token,omitempty"`
}

// PermissionList is the fixed catalogue of permissions.
type PermissionList struct {
	Permissions []string `json:"permissions"`
}

// ExportRecord is one line of an export. Type says what Data is: "workspace", "passage", "entity", "assertion" or
// "formation".
type ExportRecord struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// Health is the answer of the operations routes.
type Health struct {
	Status string `json:"status"` // "ok" or "unavailable"
}

// Member is a person of the team: someone who can sign in.
type Member struct {
	ID           string     `json:"id"`
	Email        string     `json:"email"`
	Name         string     `json:"name"`
	Role         string     `json:"role"` // a built-in role, or a custom one
	Selectors    []string   `json:"selectors"`
	JoinedAt     time.Time  `json:"joined_at"`
	LastSignInAt *time.Time `json:"last_sign_in_at,omitempty"`
}

// ChangeMember is the body of a member's change: what they are from then on.
type ChangeMember struct {
	Role      string   `json:"role"`      // "root" passes root on to them: the caller, who must be root, is an admin then
	Selectors []string `json:"selectors"` // exact name, "prefix.*" or "*"; none reaches nothing
}

// MemberPage is a page of members, in the order in which they joined.
type MemberPage struct {
	Members       []Member `json:"members"`
	NextPageToken string   `json:"next_page_token,omitempty"`
}

// Role is a named set of permissions.
type Role struct {
	Name        string     `json:"name"`
	BuiltIn     bool       `json:"built_in"`
	Permissions []string   `json:"permissions"`
	CreatedAt   *time.Time `json:"created_at,omitempty"` // of a custom role
}

// CreateRole is the body of a custom role's creation.
type CreateRole struct {
	Name        string   `json:"name"` // 1–64 of a–z, 0–9, dash and underscore, beginning with a letter
	Permissions []string `json:"permissions"`
}

// ChangeRole is the body of a custom role's change: what it permits from then on, to everyone who has it.
type ChangeRole struct {
	Permissions []string `json:"permissions"`
}

// RolePage is a page of roles: the built-in ones, then the custom ones by name.
type RolePage struct {
	Roles         []Role `json:"roles"`
	NextPageToken string `json:"next_page_token,omitempty"`
}

// Invitation asks somebody to join the team, without the secret of its link.
type Invitation struct {
	ID         string     `json:"id"`
	Email      string     `json:"email"`
	Role       string     `json:"role"`
	Selectors  []string   `json:"selectors"`
	Reset      bool       `json:"reset,omitempty"`      // to a member, who chooses a new password
	InvitedBy  string     `json:"invited_by,omitempty"` // e-mail address of the member, or label of the key
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  time.Time  `json:"expires_at"`
	AcceptedAt *time.Time `json:"accepted_at,omitempty"`
	RevokedAt  *time.Time `json:"revoked_at,omitempty"`
}

// CreateInvitation is the body of an invitation's creation.
type CreateInvitation struct {
	Email     string     `json:"email"`
	Role      string     `json:"role"` // any but root
	Selectors []string   `json:"selectors"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // at most 30 days ahead; 7 days by default
}

// NewInvitation is an invitation that was just created. Its link is shown this once, and is for one use.
type NewInvitation struct {
	Invitation
	Link string `json:"link"`
}

// InvitationPage is a page of invitations, newest first.
type InvitationPage struct {
	Invitations   []Invitation `json:"invitations"`
	NextPageToken string       `json:"next_page_token,omitempty"`
}

// AuditEntry is one change of access, or one erasure.
type AuditEntry struct {
	ID        string     `json:"id"`
	At        time.Time  `json:"at"`
	Action    string     `json:"action"` // such as "member.changed"
	Actor     AuditActor `json:"actor"`
	Target    string     `json:"target"` // id or name of what was changed or erased
	Workspace string     `json:"workspace,omitempty"`
	Detail    string     `json:"detail,omitempty"` // such as the role that was given
	RequestID string     `json:"request_id,omitempty"`
}

// AuditActor is who made a change.
type AuditActor struct {
	Kind string `json:"kind"` // "user", "key", "local", or "system" when nobody is known
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"` // e-mail address of the member, or label of the key
}

// AuditPage is a page of the audit log, newest first.
type AuditPage struct {
	Entries       []AuditEntry `json:"entries"`
	NextPageToken string       `json:"next_page_token,omitempty"`
}
