-- Jobs, as one JSON record each, beside the columns that they are found by.
CREATE TABLE jobs (
  seq         INTEGER PRIMARY KEY,
  ns          INTEGER NOT NULL,
  id          TEXT NOT NULL,
  name        TEXT NOT NULL,
  status      TEXT NOT NULL,
  is_stopping INTEGER NOT NULL,
  ended_at_ms INTEGER,
  record      TEXT NOT NULL,
  UNIQUE (ns, id)
) STRICT;
CREATE INDEX jobs_stopping ON jobs (ns, seq) WHERE is_stopping = 1;
CREATE INDEX jobs_ended ON jobs (ns, ended_at_ms, seq) WHERE ended_at_ms IS NOT NULL;

-- Tasks that belong to no job are in neither.
CREATE INDEX tasks_of_job ON tasks (ns, job_id, seq) WHERE job_id IS NOT NULL;
CREATE INDEX tasks_live_of_job ON tasks (ns, job_id, seq) WHERE job_id IS NOT NULL AND status IN ('pending', 'running');
