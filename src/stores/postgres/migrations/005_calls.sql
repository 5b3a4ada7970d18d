-- Calls outside the queue: whoever passes a gate without being a task.

CREATE TABLE $s.calls (
  ns            integer NOT NULL,
  id            text COLLATE "C" NOT NULL,
  owner         text COLLATE "C" NOT NULL,
  limit_name    text COLLATE "C" NOT NULL,
  key           text COLLATE "C" NOT NULL,
  gate          bigint NOT NULL,
  cost          bigint NOT NULL,
  is_further    boolean NOT NULL,
  seq           bigint NOT NULL,
  lease_ms      bigint NOT NULL,
  granted_at_ms bigint,
  until_ms      bigint NOT NULL,
  PRIMARY KEY (ns, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX calls_waiting ON $s.calls (gate, seq) WHERE granted_at_ms IS NULL;
CREATE INDEX calls_granted ON $s.calls (ns, owner, granted_at_ms) WHERE granted_at_ms IS NOT NULL;
CREATE INDEX calls_ending ON $s.calls (ns, until_ms, id);
COMMENT ON TABLE $s.calls IS 'Who waits at a gate, or holds it, without being a task. Whichever it does, it is over at until_ms unless it is renewed.';
COMMENT ON COLUMN $s.calls.gate IS '0 where it was granted before there was one.';
COMMENT ON COLUMN $s.calls.seq IS 'Its place in line; 0 where it never stood in one.';
COMMENT ON COLUMN $s.calls.is_further IS 'Charged, and takes no slot.';
COMMENT ON COLUMN $s.calls.granted_at_ms IS 'NULL while it waits.';

CREATE TABLE $s.call_lines (
  gate  bigint PRIMARY KEY,
  ns    integer NOT NULL,
  owner text COLLATE "C" NOT NULL,
  at_ms bigint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX call_lines_by_owner ON $s.call_lines (ns, owner, at_ms, gate);
COMMENT ON TABLE $s.call_lines IS 'One row for each gate that calls wait at: whose call is first, and when it may pass.';

CREATE TABLE $s.call_owners (
  ns         integer NOT NULL,
  owner      text COLLATE "C" NOT NULL,
  number     bigint NOT NULL,
  seen_at_ms bigint NOT NULL,
  PRIMARY KEY (ns, owner)
) WITH (fillfactor = 70);
COMMENT ON TABLE $s.call_owners IS 'The processes that make calls, with the number of their latest hold.';
