-- Tasks, and what waiting tasks are found by. Every table leads with the namespace; namespaces share the schema and nothing else.
-- Times are milliseconds since 1970 by the store's clock.

CREATE TABLE $s.namespaces (
  ns           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text COLLATE "C" NOT NULL UNIQUE,
  virtual_time bigint NOT NULL DEFAULT 0,
  -- The store's clock: the last time given out, and what the server's clock showed then while it was behind.
  clock_ms     bigint NOT NULL DEFAULT 0,
  behind_at_ms bigint,
  -- Grows whenever there is news for somebody who waits; commits without news wake nobody.
  news         bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE $s.namespaces IS 'One row a namespace. Whoever changes what limits hold for takes its lock first, so that such steps come one after the other.';

-- A step takes as many numbers at once as it may need; most are never used.
CREATE SEQUENCE $s.task_numbers INCREMENT BY 1024;
CREATE SEQUENCE $s.row_numbers INCREMENT BY 1024;

CREATE TABLE $s.tasks (
  seq                    bigint PRIMARY KEY,
  ns                     integer NOT NULL,
  id                     text COLLATE "C" NOT NULL,
  type                   text COLLATE "C" NOT NULL,
  status                 text COLLATE "C" NOT NULL,
  priority               bigint NOT NULL,
  -- The lane it waits in: only while pending and due.
  lane                   bigint,
  -- NULL: the same as the type.
  flow                   text COLLATE "C",
  -- NULL: none; JSON's null while nobody has routed the task.
  gates                  jsonb,
  tags                   text[] COLLATE "C",
  input                  text NOT NULL,
  output                 text,
  progress               text,
  job_id                 text COLLATE "C",
  idempotency_key        text COLLATE "C",
  input_digest           text,
  created_at_ms          bigint NOT NULL,
  updated_at_ms          bigint NOT NULL,
  available_at_ms        bigint NOT NULL,
  ready_at_ms            bigint NOT NULL,
  expires_at_ms          bigint,
  expired_at_ms          bigint,
  started_at_ms          bigint,
  completed_at_ms        bigint,
  cancel_requested_at_ms bigint,
  -- When retention starts to count: finished and not archived.
  finished_at_ms         bigint,
  forecast_at_ms         bigint,
  retry_count            bigint NOT NULL DEFAULT 0,
  max_retries            bigint NOT NULL,
  reschedule_count       bigint NOT NULL DEFAULT 0,
  max_reschedules        bigint,
  throttle_count         bigint NOT NULL DEFAULT 0,
  max_throttles          bigint,
  crash_count            bigint NOT NULL DEFAULT 0,
  attempt                bigint NOT NULL DEFAULT 0,
  fence                  bigint NOT NULL DEFAULT 0,
  version                bigint NOT NULL,
  worker_id              text COLLATE "C",
  claim_number           bigint,
  lease_expires_at_ms    bigint,
  timeout_ms             bigint NOT NULL,
  last_error             text,
  last_outcome           text COLLATE "C",
  -- JSON objects, one a version, without the brackets around them: a version is appended. The view `history` has them as rows.
  history                text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Every row that is written is written to all of these that it is in: there is none that another could stand in for. And none but this begins with
-- the namespace alone, so that nothing looks for ids in another way, however little is known of the table.
CREATE UNIQUE INDEX tasks_id ON $s.tasks (ns, id);
CREATE UNIQUE INDEX tasks_key ON $s.tasks (ns, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- A task stands in one of these at a time: waiting, scheduled, leased, finished.
CREATE INDEX tasks_waiting ON $s.tasks (lane, priority DESC, ready_at_ms, seq) WHERE lane IS NOT NULL;
CREATE INDEX tasks_scheduled ON $s.tasks (ns, type, available_at_ms, seq)
  WHERE status = 'pending' AND lane IS NULL AND gates IS DISTINCT FROM 'null';
CREATE INDEX tasks_unrouted ON $s.tasks (ns, type, seq) WHERE status = 'pending' AND gates = 'null';
CREATE INDEX tasks_leased ON $s.tasks (ns, lease_expires_at_ms, seq) WHERE lease_expires_at_ms IS NOT NULL;
CREATE INDEX tasks_finished ON $s.tasks (ns, finished_at_ms, seq) WHERE finished_at_ms IS NOT NULL;
-- These are mostly empty.
CREATE INDEX tasks_expiring ON $s.tasks (ns, expires_at_ms, seq) WHERE expires_at_ms IS NOT NULL AND status = 'pending';
CREATE INDEX tasks_stopping ON $s.tasks (ns, worker_id) WHERE cancel_requested_at_ms IS NOT NULL AND status = 'running';
CREATE INDEX tasks_of_job ON $s.tasks (ns, job_id, seq) WHERE job_id IS NOT NULL;
CREATE INDEX tasks_live_of_job ON $s.tasks (ns, job_id, seq) WHERE job_id IS NOT NULL AND status IN ('pending', 'running');

-- A lane with its head, a flow with its best head: written by the step that changes them, so that a claim reads the best alone. Of a
-- plain lane, whose tasks pass no gate and have the flow of their type, the head is not kept: tasks come and go there without a lock.
CREATE TABLE $s.lanes (
  lane             bigint PRIMARY KEY,
  ns               integer NOT NULL,
  type             text COLLATE "C" NOT NULL,
  flow             text COLLATE "C" NOT NULL,
  gates            text COLLATE "C" NOT NULL,
  is_plain         boolean NOT NULL,
  -- 0: it is ready.
  gate             bigint NOT NULL DEFAULT 0,
  head_priority    bigint,
  head_ready_at_ms bigint,
  head_seq         bigint
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
-- The texts together may be longer than a row of an index.
CREATE UNIQUE INDEX lanes_name ON $s.lanes (ns, md5(type || chr(31) || flow || chr(31) || gates));
CREATE INDEX lanes_standing ON $s.lanes (ns, type, gate, flow, head_priority DESC, head_ready_at_ms, head_seq) WHERE head_seq IS NOT NULL;
CREATE INDEX lanes_empty ON $s.lanes (ns) WHERE head_seq IS NULL AND NOT is_plain;

-- A flow stands once for being ready, and once for each gate that lanes of it wait at. Its virtual time is that of gate 0; at
-- other gates it is the one that the flow was placed by there, and may lag behind.
CREATE TABLE $s.flows (
  ns               integer NOT NULL,
  type             text COLLATE "C" NOT NULL,
  flow             text COLLATE "C" NOT NULL,
  gate             bigint NOT NULL,
  virtual_time     bigint NOT NULL,
  head_priority    bigint,
  head_ready_at_ms bigint,
  head_seq         bigint,
  PRIMARY KEY (ns, type, flow, gate)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX flows_standing ON $s.flows (ns, type, gate, head_priority DESC, virtual_time, head_ready_at_ms, head_seq)
  WHERE head_seq IS NOT NULL;

CREATE TABLE $s.workers (
  ns           integer NOT NULL,
  worker_id    text COLLATE "C" NOT NULL,
  claim_number bigint NOT NULL,
  seen_at_ms   bigint NOT NULL,
  types        text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (ns, worker_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- How many tasks there are, by type and status: the sum of the rows. Each step adds rows of its own, so that none waits for another;
-- the sweep adds them up.
CREATE TABLE $s.tallies (
  number bigint GENERATED ALWAYS AS IDENTITY,
  ns     integer NOT NULL,
  type   text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  count  bigint NOT NULL,
  -- The store's clock at that step: it never goes back behind the latest.
  at_ms  bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX tallies_latest ON $s.tallies (ns, at_ms);

-- For people and dashboards.
CREATE VIEW $s.history AS
SELECT tasks.ns, tasks.id, tasks.seq, tasks.version - count(*) OVER (PARTITION BY tasks.seq) + entry.place AS version, entry.value AS entry
FROM $s.tasks, json_array_elements(('[' || tasks.history || ']')::json) WITH ORDINALITY AS entry (value, place);
COMMENT ON VIEW $s.history IS 'What happened to each task, one row a version.';
