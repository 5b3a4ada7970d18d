-- Schedules: tasks that are submitted again and again.

CREATE TABLE $s.schedules (
  ns         integer NOT NULL,
  name       text COLLATE "C" NOT NULL,
  -- As json, which keeps the order of fields: by that it is told whether a deploy says the same again.
  record     json NOT NULL,
  next_at_ms bigint,
  PRIMARY KEY (ns, name)
) WITH (fillfactor = 70);
CREATE INDEX schedules_standing ON $s.schedules (ns, next_at_ms, name) WHERE next_at_ms IS NOT NULL;
COMMENT ON TABLE $s.schedules IS 'Tasks that are submitted again and again; the record is without the instant that it stands at.';
COMMENT ON COLUMN $s.schedules.next_at_ms IS 'NULL: paused, or none comes any more.';
