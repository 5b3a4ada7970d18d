-- Schedules: tasks that are submitted again and again.

CREATE TABLE schedules (
  schedule   INTEGER PRIMARY KEY,
  ns         INTEGER NOT NULL,
  name       TEXT NOT NULL,
  -- JSON, without the instant that it stands at.
  record     TEXT NOT NULL,
  -- NULL: paused, or none comes any more.
  next_at_ms INTEGER,
  UNIQUE (ns, name)
) STRICT;
CREATE INDEX schedules_standing ON schedules (ns, next_at_ms, name) WHERE next_at_ms IS NOT NULL;
