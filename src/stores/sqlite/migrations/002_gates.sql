-- Limits and gates, and lanes that wait at one. A lane stands at gate 0 while it is ready.

-- The forecast at submission, of tasks that pass gates. `gates` is 'null' (JSON) while nobody has routed the task.
ALTER TABLE tasks ADD COLUMN forecast_at_ms INTEGER;
DROP INDEX tasks_scheduled;
CREATE INDEX tasks_scheduled ON tasks (ns, type, available_at_ms, seq) WHERE status = 'pending' AND lane IS NULL AND gates IS NOT 'null';
CREATE INDEX tasks_unrouted ON tasks (ns, type, seq) WHERE status = 'pending' AND gates IS 'null';

ALTER TABLE lanes ADD COLUMN gate INTEGER NOT NULL DEFAULT 0;
DROP INDEX lanes_ready;
CREATE INDEX lanes_standing ON lanes (ns, type, gate, flow, head_priority DESC, head_ready_at_ms, head_seq) WHERE head_seq IS NOT NULL;

-- A flow stands once for being ready, and once for each gate that lanes of it wait at. Its virtual time is that of gate 0; at
-- other gates it is the one that the flow was placed by there, and may lag behind.
CREATE TABLE standings (
  ns               INTEGER NOT NULL,
  type             TEXT NOT NULL,
  flow             TEXT NOT NULL,
  gate             INTEGER NOT NULL,
  virtual_time     INTEGER NOT NULL,
  head_priority    INTEGER,
  head_ready_at_ms INTEGER,
  head_seq         INTEGER,
  PRIMARY KEY (ns, type, flow, gate)
) STRICT, WITHOUT ROWID;
INSERT INTO standings
SELECT ns, type, flow, 0, virtual_time, head_priority, (SELECT ready_at_ms FROM tasks WHERE seq = head_seq), head_seq FROM flows;
DROP TABLE flows;
ALTER TABLE standings RENAME TO flows;
CREATE INDEX flows_standing ON flows (ns, type, gate, head_priority DESC, virtual_time, head_ready_at_ms, head_seq) WHERE head_seq IS NOT NULL;

-- What processes declare and people set, as one JSON record a limit.
CREATE TABLE limits (
  ns     INTEGER NOT NULL,
  name   TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (ns, name)
) STRICT, WITHOUT ROWID;

-- The limits that tasks of a type may pass, as a JSON array.
CREATE TABLE types (
  ns     INTEGER NOT NULL,
  type   TEXT NOT NULL,
  limits TEXT NOT NULL,
  PRIMARY KEY (ns, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE limit_changes (
  number     INTEGER PRIMARY KEY,
  ns         INTEGER NOT NULL,
  at_ms      INTEGER NOT NULL,
  limit_name TEXT NOT NULL,
  key        TEXT NOT NULL,
  change     TEXT NOT NULL,
  changed_by TEXT NOT NULL
) STRICT;

CREATE TABLE gates (
  gate          INTEGER PRIMARY KEY,
  ns            INTEGER NOT NULL,
  limit_name    TEXT NOT NULL,
  key           TEXT NOT NULL,
  state         TEXT NOT NULL,
  touched_at_ms INTEGER NOT NULL,
  UNIQUE (ns, limit_name, key)
) STRICT;
CREATE INDEX gates_touched ON gates (ns, touched_at_ms, gate);

-- When the first of a type who waits at a gate may pass it: one row while somebody waits.
CREATE TABLE dues (
  gate  INTEGER NOT NULL,
  type  TEXT NOT NULL,
  ns    INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (gate, type)
) STRICT, WITHOUT ROWID;
CREATE INDEX dues_by_time ON dues (ns, type, at_ms, gate);

-- What stands in lanes that pass a gate, ready or not. Changed in the step that changes membership.
CREATE TABLE demand (
  gate     INTEGER NOT NULL,
  type     TEXT NOT NULL,
  flow     TEXT NOT NULL,
  priority INTEGER NOT NULL,
  tasks    INTEGER NOT NULL,
  cost     INTEGER NOT NULL,
  PRIMARY KEY (gate, type, flow, priority)
) STRICT, WITHOUT ROWID;

-- How far forecasts at submission were from the true start: bucket b counts errors below 2^b ms.
CREATE TABLE forecast_errors (
  ns     INTEGER NOT NULL,
  type   TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  count  INTEGER NOT NULL,
  PRIMARY KEY (ns, type, bucket)
) STRICT, WITHOUT ROWID;
