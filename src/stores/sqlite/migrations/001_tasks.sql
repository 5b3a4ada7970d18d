-- Tasks, and what waiting tasks are found by. Every table leads with the namespace; namespaces share the file and nothing else.

CREATE TABLE namespaces (
  ns           INTEGER PRIMARY KEY,
  name         TEXT NOT NULL UNIQUE,
  virtual_time INTEGER NOT NULL DEFAULT 0,
  -- Grows whenever there is news for somebody who waits; commits without news wake nobody.
  news         INTEGER NOT NULL DEFAULT 0,
  -- The store's clock: the last time given out, and what the machine showed then while it was behind.
  clock_ms     INTEGER NOT NULL DEFAULT 0,
  behind_at_ms INTEGER
) STRICT;

-- One row: sequence numbers are unique in the file, so that they can be the rows' own numbers.
CREATE TABLE sequence (last INTEGER NOT NULL) STRICT;
INSERT INTO sequence VALUES (0);

CREATE TABLE tasks (
  seq                    INTEGER PRIMARY KEY,
  ns                     INTEGER NOT NULL,
  id                     TEXT NOT NULL,
  type                   TEXT NOT NULL,
  status                 TEXT NOT NULL,
  priority               INTEGER NOT NULL,
  -- The lane it waits in: only while pending and due.
  lane                   INTEGER,
  -- NULL: the same as the type.
  flow                   TEXT,
  -- JSON, NULL: none.
  gates                  TEXT,
  tags                   TEXT,
  -- NULL: in payloads, so that a claim or a heartbeat does not rewrite it.
  input                  TEXT,
  output                 TEXT,
  progress               TEXT,
  job_id                 TEXT,
  idempotency_key        TEXT,
  input_digest           TEXT,
  created_at_ms          INTEGER NOT NULL,
  updated_at_ms          INTEGER NOT NULL,
  available_at_ms        INTEGER NOT NULL,
  ready_at_ms            INTEGER NOT NULL,
  expires_at_ms          INTEGER,
  expired_at_ms          INTEGER,
  started_at_ms          INTEGER,
  completed_at_ms        INTEGER,
  cancel_requested_at_ms INTEGER,
  -- When retention starts to count: finished and not archived.
  finished_at_ms         INTEGER,
  retry_count            INTEGER NOT NULL DEFAULT 0,
  max_retries            INTEGER NOT NULL,
  reschedule_count       INTEGER NOT NULL DEFAULT 0,
  max_reschedules        INTEGER,
  throttle_count         INTEGER NOT NULL DEFAULT 0,
  max_throttles          INTEGER,
  crash_count            INTEGER NOT NULL DEFAULT 0,
  attempt                INTEGER NOT NULL DEFAULT 0,
  fence                  INTEGER NOT NULL DEFAULT 0,
  version                INTEGER NOT NULL,
  worker_id              TEXT,
  claim_number           INTEGER,
  lease_expires_at_ms    INTEGER,
  timeout_ms             INTEGER NOT NULL,
  last_error             TEXT,
  last_outcome           TEXT,
  -- JSON objects, one a version, without the brackets around them: a version is appended, not rewritten.
  history                TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX tasks_id ON tasks (ns, id);
CREATE UNIQUE INDEX tasks_key ON tasks (ns, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- A task stands in one of these at a time: waiting, scheduled, leased, finished.
CREATE INDEX tasks_waiting ON tasks (lane, priority DESC, ready_at_ms, seq) WHERE lane IS NOT NULL;
CREATE INDEX tasks_scheduled ON tasks (ns, type, available_at_ms, seq) WHERE status = 'pending' AND lane IS NULL;
CREATE INDEX tasks_leased ON tasks (ns, lease_expires_at_ms, seq) WHERE lease_expires_at_ms IS NOT NULL;
CREATE INDEX tasks_finished ON tasks (ns, finished_at_ms, seq) WHERE finished_at_ms IS NOT NULL;
-- These two are mostly empty.
CREATE INDEX tasks_expiring ON tasks (ns, expires_at_ms, seq) WHERE expires_at_ms IS NOT NULL AND status = 'pending';
CREATE INDEX tasks_stopping ON tasks (ns, worker_id) WHERE cancel_requested_at_ms IS NOT NULL AND status = 'running';

CREATE TABLE payloads (
  seq   INTEGER PRIMARY KEY,
  input TEXT NOT NULL
) STRICT;

-- A lane with its head, a flow with its best head: written by the step that changes them, so that a claim reads the best alone.
CREATE TABLE lanes (
  lane             INTEGER PRIMARY KEY,
  ns               INTEGER NOT NULL,
  type             TEXT NOT NULL,
  flow             TEXT NOT NULL,
  gates            TEXT NOT NULL,
  head_priority    INTEGER,
  head_ready_at_ms INTEGER,
  head_seq         INTEGER,
  UNIQUE (ns, type, flow, gates)
) STRICT;
CREATE INDEX lanes_ready ON lanes (ns, type, flow, head_priority DESC, head_ready_at_ms, head_seq) WHERE head_seq IS NOT NULL;

CREATE TABLE flows (
  ns            INTEGER NOT NULL,
  type          TEXT NOT NULL,
  flow          TEXT NOT NULL,
  virtual_time  INTEGER NOT NULL,
  head_priority INTEGER,
  head_seq      INTEGER,
  PRIMARY KEY (ns, type, flow)
) STRICT, WITHOUT ROWID;
CREATE INDEX flows_ready ON flows (ns, type, head_priority DESC, virtual_time, head_seq) WHERE head_seq IS NOT NULL;

CREATE TABLE workers (
  ns           INTEGER NOT NULL,
  worker_id    TEXT NOT NULL,
  claim_number INTEGER NOT NULL,
  seen_at_ms   INTEGER NOT NULL,
  types        TEXT NOT NULL,
  PRIMARY KEY (ns, worker_id)
) STRICT, WITHOUT ROWID;

-- How many tasks there are, by type and status. Changed in the step that changes a status.
CREATE TABLE tallies (
  ns     INTEGER NOT NULL,
  type   TEXT NOT NULL,
  status TEXT NOT NULL,
  count  INTEGER NOT NULL,
  PRIMARY KEY (ns, type, status)
) STRICT, WITHOUT ROWID;
