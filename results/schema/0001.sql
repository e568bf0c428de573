-- Version 1. Times are microseconds since 1970 UTC, 0 for none; durations microseconds;
-- moves and scores are inside plies.data (codec.go); JSON is stored as text.
-- Rows that several machines may bring together have a name that is the same
-- everywhere (a UUID or a hash); the integers are of this file alone.

-- What a machine is, without anything that identifies a person.
CREATE TABLE hosts (
    id      INTEGER PRIMARY KEY,
    hash    TEXT NOT NULL UNIQUE,      -- SHA-256 of facts
    machine TEXT NOT NULL,             -- keyed hash of the machine's id
    facts   TEXT NOT NULL,             -- JSON: processor, cores, memory, system, Go
    created INTEGER NOT NULL
) STRICT;

-- Whatever makes games or results: a match, self-play, an import, a tuning run.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    uuid        TEXT NOT NULL UNIQUE,            -- UUIDv7
    kind        TEXT NOT NULL,                   -- match, selfplay, import, tune, spsa
    name        TEXT NOT NULL DEFAULT '',
    config      TEXT NOT NULL,                   -- verbatim TOML
    seed        INTEGER NOT NULL,                -- 64 bits without a sign, stored as they are
    rules       TEXT NOT NULL,
    move_limit  INTEGER NOT NULL,                -- plies without a capture, 0: the rule set's
    book        TEXT NOT NULL,
    book_hash   TEXT NOT NULL,
    pairs       INTEGER NOT NULL,                -- planned, 0: open-ended
    created     INTEGER NOT NULL,
    finished    INTEGER NOT NULL DEFAULT 0,
    version     TEXT NOT NULL,                   -- of xqlab
    host        INTEGER NOT NULL REFERENCES hosts,
    stop_reason TEXT NOT NULL DEFAULT '',        -- '' while unfinished
    summary     TEXT NOT NULL DEFAULT ''         -- JSON: final figures, model, inputs, verdict
) STRICT;
CREATE INDEX runs_name ON runs (name) WHERE name <> '';

CREATE TABLE engines (
    run        INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    idx        INTEGER NOT NULL,       -- from 0
    name       TEXT NOT NULL,
    id_name    TEXT NOT NULL,          -- what the engine calls itself
    cmd        TEXT NOT NULL,          -- '' for the built-in engine
    proto      TEXT NOT NULL,
    config     TEXT NOT NULL,          -- JSON: everything that was set
    sha256     TEXT NOT NULL,          -- of the binary
    net_sha256 TEXT NOT NULL,          -- of the network or weights file
    PRIMARY KEY (run, idx)
) STRICT, WITHOUT ROWID;

-- Who writes a run. A living owner keeps it; see lease.go.
CREATE TABLE leases (
    run     INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    token   TEXT NOT NULL UNIQUE,
    owner   TEXT NOT NULL,             -- JSON: machine, boot, process
    since   INTEGER NOT NULL,
    beat    INTEGER NOT NULL
) STRICT;

-- What another terminal asks of a run's owner.
CREATE TABLE requests (
    id      INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    verb    TEXT NOT NULL,             -- set, pause, continue, stop
    value   TEXT NOT NULL,
    done    INTEGER NOT NULL DEFAULT 0 -- when the owner took it
) STRICT;
CREATE INDEX requests_open ON requests (run) WHERE done = 0;

CREATE TABLE events (
    id      INTEGER PRIMARY KEY,
    run     INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    text    TEXT NOT NULL
) STRICT;
CREATE INDEX events_run ON events (run);

-- Start positions. The writer keeps fen unique; the index is on a hash of it, which is
-- a seventh of the size.
CREATE TABLE openings (
    id      INTEGER PRIMARY KEY,
    key     INTEGER NOT NULL,          -- first 8 bytes of SHA-256 of fen
    fen     TEXT NOT NULL
) STRICT;
CREATE INDEX openings_key ON openings (key);

-- Games of one opening with colours swapped. Train, validation and test are split here.
CREATE TABLE pairs (
    run     INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    pair    INTEGER NOT NULL,          -- from 0
    opening INTEGER NOT NULL REFERENCES openings,
    PRIMARY KEY (run, pair)
) STRICT, WITHOUT ROWID;
CREATE INDEX pairs_opening ON pairs (opening);

-- What standings, lists and filters read. The moves lie apart so that this stays small.
CREATE TABLE games (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL,
    pair     INTEGER NOT NULL,
    leg      INTEGER NOT NULL CHECK (leg IN (0, 1)),
    attempt  INTEGER NOT NULL CHECK (attempt >= 0),
    red      INTEGER NOT NULL,         -- engines.idx, -1 for none
    black    INTEGER NOT NULL,
    result   INTEGER NOT NULL CHECK (result BETWEEN 0 AND 4), -- unfinished, red, black, draw, not played
    reason   TEXT NOT NULL,
    detail   TEXT NOT NULL,
    book     INTEGER NOT NULL,         -- plies the opening gave
    plies    INTEGER NOT NULL,
    started  INTEGER NOT NULL,
    ended    INTEGER NOT NULL,
    disagree INTEGER NOT NULL,         -- 1: red's last score says the opposite, 2: black's
    hash     INTEGER NOT NULL,         -- of the start and the moves: the same game twice
    red_moves   INTEGER NOT NULL, black_moves   INTEGER NOT NULL, -- after the book
    red_depth   INTEGER NOT NULL, black_depth   INTEGER NOT NULL, -- sum over …
    red_depths  INTEGER NOT NULL, black_depths  INTEGER NOT NULL, -- … moves with a depth
    red_nodes   INTEGER NOT NULL, black_nodes   INTEGER NOT NULL,
    red_wall    INTEGER NOT NULL, black_wall    INTEGER NOT NULL,
    red_cpu     INTEGER NOT NULL, black_cpu     INTEGER NOT NULL,
    red_delay   INTEGER NOT NULL, black_delay   INTEGER NOT NULL,
    red_late    INTEGER NOT NULL, black_late    INTEGER NOT NULL,
    UNIQUE (run, pair, leg, attempt),
    FOREIGN KEY (run, pair) REFERENCES pairs (run, pair) ON DELETE CASCADE
) STRICT;
CREATE INDEX games_hash ON games (hash);

CREATE TABLE plies (
    game    INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    data    BLOB NOT NULL              -- codec.go
) STRICT;

-- For a bad game: the engine's last lines, stderr, exit code.
CREATE TABLE evidence (
    game    INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    data    TEXT NOT NULL              -- JSON
) STRICT;

-- What an imported game said of itself: players, event, date.
CREATE TABLE tags (
    game    INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
    data    TEXT NOT NULL              -- JSON: name to value
) STRICT;

-- Evaluation weights. A tuned one names its parent and the fit; an accepted one the
-- match that accepted it.
CREATE TABLE weights (
    id       INTEGER PRIMARY KEY,
    sha256   TEXT NOT NULL UNIQUE,     -- of data
    name     TEXT NOT NULL,
    parent   INTEGER REFERENCES weights,
    fit      INTEGER REFERENCES fits ON DELETE SET NULL,
    created  INTEGER NOT NULL,
    data     BLOB NOT NULL             -- the file
) STRICT;
CREATE INDEX weights_parent ON weights (parent);
CREATE INDEX weights_fit ON weights (fit);

-- Candidate against base in a match, and what came of it.
CREATE TABLE trials (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL UNIQUE REFERENCES runs ON DELETE CASCADE,
    candidate INTEGER NOT NULL REFERENCES weights,
    base      INTEGER NOT NULL REFERENCES weights,
    verdict   TEXT NOT NULL DEFAULT '', -- accepted, rejected, '' while open
    decided   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX trials_candidate ON trials (candidate);
CREATE INDEX trials_base ON trials (base);

-- Positions drawn from stored games: a file beside the database, named by its hash.
CREATE TABLE datasets (
    id        INTEGER PRIMARY KEY,
    hash      TEXT NOT NULL UNIQUE,    -- of everything that went in
    inputs    TEXT NOT NULL,           -- JSON: runs, games of each, filter, split, features
    games     INTEGER NOT NULL,
    pairs     INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    created   INTEGER NOT NULL
) STRICT;

CREATE TABLE fits (
    id              INTEGER PRIMARY KEY,
    run             INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    round           INTEGER NOT NULL,  -- of a loop, from 0
    dataset         INTEGER NOT NULL REFERENCES datasets,
    base            INTEGER REFERENCES weights,
    config          TEXT NOT NULL,     -- JSON: loss, blend, optimiser, prior, frozen
    k               REAL,
    loss_train      REAL,
    loss_validation REAL,
    loss_test       REAL,
    loss_rounded    REAL,
    condition       REAL,
    steps           INTEGER NOT NULL DEFAULT 0,
    created         INTEGER NOT NULL,
    finished        INTEGER NOT NULL DEFAULT 0,
    checkpoint      BLOB,              -- NULL before the first and after the end
    UNIQUE (run, round)
) STRICT;
CREATE INDEX fits_dataset ON fits (dataset);
CREATE INDEX fits_base ON fits (base);

CREATE TABLE fit_steps (
    fit             INTEGER NOT NULL REFERENCES fits ON DELETE CASCADE,
    step            INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    loss_train      REAL NOT NULL,
    loss_validation REAL,
    gradient        REAL,              -- norm
    PRIMARY KEY (fit, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE fit_weights (
    fit      INTEGER NOT NULL REFERENCES fits ON DELETE CASCADE,
    name     TEXT NOT NULL,            -- path of the weight, as in the weights file
    phase    INTEGER NOT NULL,         -- 0 middlegame, 1 endgame
    start    REAL NOT NULL,
    value    REAL NOT NULL,
    error    REAL,                     -- standard error, clustered by game
    count    INTEGER NOT NULL,         -- positions with the feature
    prior    REAL,                     -- share of the prior in the answer, 0 to 1
    PRIMARY KEY (fit, name, phase)
) STRICT, WITHOUT ROWID;

-- The path of a search for parameters by SPSA; its games are the run's.
CREATE TABLE spsa_steps (
    run      INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    step     INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    params   TEXT NOT NULL,            -- JSON: values after the step
    score    REAL NOT NULL,            -- of plus against minus, pairs of the step summed
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE benches (
    id        INTEGER PRIMARY KEY,
    uuid      TEXT NOT NULL UNIQUE,
    suite     TEXT NOT NULL,           -- bench-1, perft-1, selfplay-1
    signature TEXT NOT NULL,
    host      INTEGER NOT NULL REFERENCES hosts,
    label     TEXT NOT NULL,
    version   TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    engine    TEXT NOT NULL,           -- '' for the built-in one
    sha256    TEXT NOT NULL,           -- of the binary
    settings  TEXT NOT NULL,           -- JSON: threads, processes, hash, pinning, PGO
    state     TEXT NOT NULL,           -- JSON: clocks, governor, power, load at start and end
    created   INTEGER NOT NULL,
    nodes     INTEGER NOT NULL,
    samples   TEXT NOT NULL,           -- JSON: seconds of each repetition
    median    REAL NOT NULL,           -- units a second
    low       REAL NOT NULL,
    high      REAL NOT NULL
) STRICT;
CREATE INDEX benches_suite ON benches (suite, created);
CREATE INDEX benches_host ON benches (host);

-- Runs that wait their turn.
CREATE TABLE queue (
    id       INTEGER PRIMARY KEY,
    uuid     TEXT NOT NULL UNIQUE,
    name     TEXT NOT NULL,
    kind     TEXT NOT NULL,
    priority INTEGER NOT NULL,         -- the highest first
    config   TEXT NOT NULL,            -- verbatim TOML
    budget   INTEGER NOT NULL,         -- microseconds, 0: none
    used     INTEGER NOT NULL DEFAULT 0,
    rules    TEXT NOT NULL,            -- JSON: when to stop
    state    TEXT NOT NULL,            -- waiting, running, done, failed, removed
    run      INTEGER REFERENCES runs ON DELETE SET NULL,
    added    INTEGER NOT NULL,
    started  INTEGER NOT NULL DEFAULT 0,
    ended    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX queue_run ON queue (run);
