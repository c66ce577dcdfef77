-- Times are microseconds since 1970 in UTC. Every index but the queue's leads with the workspace.

CREATE TABLE workspaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice: a key of the index begins with it
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_passage INTEGER NOT NULL DEFAULT 0 -- sequence number of the newest passage, forgotten ones too
) STRICT;

CREATE TABLE formations (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    handle TEXT NOT NULL,
    state TEXT NOT NULL,
    submitted_at INTEGER NOT NULL,
    finished_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    source TEXT, -- JSON
    redactions TEXT NOT NULL, -- JSON
    extractor_name TEXT NOT NULL DEFAULT '',
    extractor_version TEXT NOT NULL DEFAULT '',
    wrote_passages INTEGER NOT NULL DEFAULT 0,
    wrote_entities INTEGER NOT NULL DEFAULT 0,
    wrote_assertions INTEGER NOT NULL DEFAULT 0,
    wrote_supersessions INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    candidates TEXT NOT NULL DEFAULT '[]', -- JSON; last, as it is the longest
    UNIQUE (workspace, handle)
) STRICT;
CREATE INDEX formations_newest ON formations (workspace, submitted_at, key);
CREATE INDEX formations_by_state ON formations (workspace, state, submitted_at, key);

-- What waits or is being worked on. A row leaves when its formation ends, and the turns with it.
CREATE TABLE queue (
    key INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of submission
    formation INTEGER NOT NULL UNIQUE REFERENCES formations (key),
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    submitted_at INTEGER NOT NULL,
    owner TEXT, -- of the lease
    lease_until INTEGER,
    not_before INTEGER,
    observed_at INTEGER,
    observed_offset INTEGER, -- seconds east of UTC
    turns TEXT NOT NULL -- JSON, redacted
) STRICT;
CREATE INDEX queue_leased ON queue (workspace, lease_until);

CREATE TABLE passages (
    key INTEGER PRIMARY KEY, -- workspace << 40 | sequence, the same as in passages_index
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    turn INTEGER NOT NULL,
    formation TEXT NOT NULL, -- handle
    said_at INTEGER NOT NULL,
    flags TEXT, -- JSON
    superseded_by TEXT,
    prev TEXT, -- ids of its neighbours in the conversation
    next TEXT,
    text TEXT NOT NULL,
    UNIQUE (workspace, id)
) STRICT;
CREATE INDEX passages_prev ON passages (workspace, prev) WHERE prev IS NOT NULL;
CREATE INDEX passages_next ON passages (workspace, next) WHERE next IS NOT NULL;
CREATE INDEX passages_superseded ON passages (workspace, superseded_by) WHERE superseded_by IS NOT NULL;

-- Words only, analysed before they come here. Erasing a row takes its words out of the index at once.
CREATE VIRTUAL TABLE passages_index USING fts5 (
    text, context, neighbours, tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO passages_index (passages_index, rank) VALUES ('secure-delete', 1);
INSERT INTO passages_index (passages_index, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.5)');

-- Passages that were forgotten, so that trying their formation again doesn't bring them back.
CREATE TABLE forgotten (
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    formation TEXT NOT NULL, -- handle
    passage TEXT NOT NULL, -- id
    PRIMARY KEY (workspace, formation, passage)
) STRICT, WITHOUT ROWID;

CREATE TABLE entities (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (workspace, id)
) STRICT;
CREATE INDEX entities_oldest ON entities (workspace, key);

CREATE TABLE assertions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (id),
    id TEXT NOT NULL,
    source TEXT NOT NULL, -- ids of entities
    relation TEXT NOT NULL,
    target TEXT NOT NULL,
    statement TEXT NOT NULL,
    reason TEXT NOT NULL, -- why it is unqualified whatever the time; '' when it isn't
    valid_at INTEGER,
    invalid_at INTEGER,
    asserted_at INTEGER NOT NULL,
    expired_at INTEGER,
    passage TEXT NOT NULL, -- id of the evidence
    superseded_by TEXT,
    UNIQUE (workspace, id)
) STRICT;
CREATE INDEX assertions_newest ON assertions (workspace, asserted_at, key);
CREATE INDEX assertions_from ON assertions (workspace, source, relation);
CREATE INDEX assertions_to ON assertions (workspace, target, relation);
CREATE INDEX assertions_evidence ON assertions (workspace, passage);
CREATE INDEX assertions_superseded ON assertions (workspace, superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE keys (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE, -- SHA-256 of the secret
    label TEXT NOT NULL,
    role TEXT NOT NULL,
    permissions TEXT NOT NULL, -- JSON
    selectors TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER
) STRICT;
