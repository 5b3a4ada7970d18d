-- Jobs, as one record each, beside the columns that they are found by. As json, which keeps a task that is to follow as it was given.

CREATE TABLE $s.jobs (
  seq         bigint PRIMARY KEY,
  ns          integer NOT NULL,
  id          text COLLATE "C" NOT NULL,
  name        text COLLATE "C" NOT NULL,
  status      text NOT NULL,
  is_stopping boolean NOT NULL,
  ended_at_ms bigint,
  record      json NOT NULL,
  UNIQUE (ns, id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX jobs_listed ON $s.jobs (ns, seq);
CREATE INDEX jobs_stopping ON $s.jobs (ns, seq) WHERE is_stopping;
CREATE INDEX jobs_ended ON $s.jobs (ns, ended_at_ms, seq) WHERE ended_at_ms IS NOT NULL;
COMMENT ON TABLE $s.jobs IS 'Named groups of tasks. A record counts its tasks by status; every step that changes one changes it.';
COMMENT ON COLUMN $s.jobs.is_stopping IS 'It has ended, and not all of its tasks have been told.';
