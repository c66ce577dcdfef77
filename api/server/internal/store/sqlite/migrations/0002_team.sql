-- The team and its sign-ins. Secrets are here by their SHA-256 alone, passwords as argon2id.

CREATE TABLE users (
    key INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of joining
    id TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE, -- case folded
    name TEXT NOT NULL,
    provider TEXT NOT NULL DEFAULT 'local', -- who says that they are who they are
    password TEXT NOT NULL, -- '' when there is none
    role TEXT NOT NULL,
    selectors TEXT NOT NULL, -- JSON
    joined_at INTEGER NOT NULL,
    last_sign_in_at INTEGER
) STRICT;
CREATE UNIQUE INDEX users_root ON users (role) WHERE role = 'root'; -- one at most
CREATE INDEX users_by_role ON users (role);

CREATE TABLE roles (
    name TEXT PRIMARY KEY,
    permissions TEXT NOT NULL, -- JSON
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE invitations (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE,
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    selectors TEXT NOT NULL, -- JSON
    member TEXT NOT NULL DEFAULT '', -- id of who is to choose a new password; '' for somebody who is to join
    invited_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    accepted_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_role ON invitations (role);

-- Browsers that are signed in.
CREATE TABLE logins (
    hash BLOB PRIMARY KEY,
    user INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX logins_by_user ON logins (user);

-- One sign-in of a client each: the family of all tokens that come of it.
CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    user INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    client TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX sessions_by_user ON sessions (user);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE tokens (
    hash BLOB PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    refresh INTEGER NOT NULL, -- 1 for a refresh token, 0 for an access token
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER, -- when a refresh token was replaced
    sealed BLOB -- what replaced it, for as long as a replay may be answered with that
) STRICT;
CREATE INDEX tokens_by_session ON tokens (session);
CREATE INDEX tokens_expiry ON tokens (expires_at);
CREATE INDEX tokens_sealed ON tokens (used_at) WHERE sealed IS NOT NULL;

CREATE TABLE codes (
    hash BLOB PRIMARY KEY,
    client TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    user INTEGER NOT NULL REFERENCES users (key) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    session INTEGER REFERENCES sessions (key) ON DELETE CASCADE -- what came of it
) STRICT;
CREATE INDEX codes_by_user ON codes (user);
CREATE INDEX codes_by_session ON codes (session);
CREATE INDEX codes_expiry ON codes (expires_at);

CREATE TABLE devices (
    hash BLOB PRIMARY KEY,
    user_code BLOB NOT NULL UNIQUE,
    client TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    poll_interval INTEGER NOT NULL, -- microseconds
    polled_at INTEGER,
    decided_at INTEGER,
    user INTEGER REFERENCES users (key) ON DELETE CASCADE -- who allowed it; NULL and decided is denied
) STRICT;
CREATE INDEX devices_by_user ON devices (user);
CREATE INDEX devices_expiry ON devices (expires_at);

-- Tries at what can be guessed.
CREATE TABLE attempts (
    what TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;

-- Every change of access and every erasure. It refers to nothing, so that it outlives what it is about.
CREATE TABLE audit (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    actor_name TEXT NOT NULL,
    target TEXT NOT NULL,
    workspace TEXT NOT NULL,
    detail TEXT NOT NULL,
    request_id TEXT NOT NULL
) STRICT;
