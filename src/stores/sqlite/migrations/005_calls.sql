-- Calls outside the queue: whoever passes a gate without being a task.

-- `granted_at_ms` is NULL while it waits, in line by `seq`. Whether it waits or holds, it is over at `until_ms` unless it is renewed.
CREATE TABLE calls (
  ns            INTEGER NOT NULL,
  id            TEXT NOT NULL,
  owner         TEXT NOT NULL,
  limit_name    TEXT NOT NULL,
  key           TEXT NOT NULL,
  gate          INTEGER NOT NULL,
  cost          INTEGER NOT NULL,
  is_further    INTEGER NOT NULL,
  seq           INTEGER NOT NULL,
  lease_ms      INTEGER NOT NULL,
  granted_at_ms INTEGER,
  until_ms      INTEGER NOT NULL,
  PRIMARY KEY (ns, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_waiting ON calls (gate, seq) WHERE granted_at_ms IS NULL;
CREATE INDEX calls_granted ON calls (ns, owner, granted_at_ms) WHERE granted_at_ms IS NOT NULL;
CREATE INDEX calls_ending ON calls (ns, until_ms);

-- One row for each gate that calls wait at: whose call is first, and when it may pass.
CREATE TABLE call_lines (
  gate  INTEGER PRIMARY KEY,
  ns    INTEGER NOT NULL,
  owner TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX call_lines_by_owner ON call_lines (ns, owner, at_ms);

-- The processes that make calls, with the number of their latest hold.
CREATE TABLE call_owners (
  ns          INTEGER NOT NULL,
  owner       TEXT NOT NULL,
  number      INTEGER NOT NULL,
  seen_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (ns, owner)
) STRICT, WITHOUT ROWID;
