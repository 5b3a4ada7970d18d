-- Reading and writing tasks. `$columns` stands for the columns that rows.ts turns into a record, `$brief` for as much as decides
-- whether a completion counts. A step that changes tasks locks those that it reads. What is looked for by a list is looked for one by one
-- (LATERAL with LIMIT): while a table is empty, the server takes it for cheaper to read all of it, and remembers that.

-- name: loadTasks
-- 1 ns, 2 ids
SELECT $columns FROM unnest($2::text[]) AS asked (id) CROSS JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE ns = $1 AND tasks.id = asked.id LIMIT 1
) AS tasks

-- name: lockTasks
-- In the order of their ids. 1 ns, 2 ids
SELECT $columns FROM (SELECT id FROM unnest($2::text[]) AS asked (id) ORDER BY id) AS asked CROSS JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE ns = $1 AND tasks.id = asked.id LIMIT 1 FOR UPDATE
) AS tasks

-- name: lockBrief
-- The same. 1 ns, 2 ids
SELECT $brief FROM (SELECT id FROM unnest($2::text[]) AS asked (id) ORDER BY id) AS asked CROSS JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE ns = $1 AND tasks.id = asked.id LIMIT 1 FOR UPDATE
) AS tasks

-- name: loadByKeys
-- 1 ns, 2 idempotency keys
SELECT $columns FROM unnest($2::text[]) AS asked (key) CROSS JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE ns = $1 AND tasks.idempotency_key = asked.key LIMIT 1
) AS tasks

-- name: readHistory
-- 1 ns, 2 id
SELECT version, history FROM $s.tasks WHERE ns = $1 AND id = $2

-- name: readHistories
-- Of those whose history has to be trimmed. 1 seqs
SELECT seq, history FROM $s.tasks WHERE seq = ANY($1::bigint[])

-- name: insertTasks
-- 1 seqs, 2 ids, 3 inputs, 4 lanes, 5 gates, one a line, 6 forecasts, 7 keys, 8 digests, 9 flows, 10 priorities, 11 tags as JSON; the rest
-- is the same for all of them: 12 ns, 13 type, 14 status, 15 job_id, 16 created, 17 available, 18 ready, 19 expires, 20 expired, 21 finished,
-- 22 max_retries, 23 max_reschedules, 24 max_throttles, 25 timeout, 26 version, 27 history
INSERT INTO $s.tasks (
  seq, id, input, lane, gates, forecast_at_ms, idempotency_key, input_digest, flow, priority, tags,
  ns, type, status, job_id, created_at_ms, updated_at_ms, available_at_ms, ready_at_ms, expires_at_ms, expired_at_ms, finished_at_ms,
  max_retries, max_reschedules, max_throttles, timeout_ms, version, history
)
SELECT one.seq, one.id, one.input, one.lane, one.gates::jsonb, one.forecast, one.key, one.digest, one.flow, one.priority,
  CASE WHEN one.tags IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(one.tags::jsonb)) END,
  $12, $13, $14, $15, $16, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], string_to_array($5, chr(10), ''), $6::bigint[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::text[])
  AS one (seq, id, input, lane, gates, forecast, key, digest, flow, priority, tags)

-- name: saveClaimed
-- The transition `claim`, for all tasks of one claim.
-- 1 seqs, 2 worker_id, 3 claim_number, 4 lease_expires_at_ms, 5 now, 6 history to append
UPDATE $s.tasks SET
  status = 'running', lane = NULL, worker_id = $2, claim_number = $3, lease_expires_at_ms = $4, started_at_ms = $5,
  updated_at_ms = $5, fence = fence + 1, attempt = attempt + 1, version = version + 1, last_outcome = NULL, progress = NULL,
  history = history || $6
WHERE seq = ANY($1::bigint[])

-- name: saveReserved
-- What claims were charged, where that was learned. 1 seqs, 2 gates
UPDATE $s.tasks SET gates = one.gates::jsonb FROM unnest($1::bigint[], $2::text[]) AS one (seq, gates) WHERE tasks.seq = one.seq

-- name: complete
-- The outcome `completed`, for all tasks of one exchange. 1 seqs, 2 outputs, 3 now, 4 history to append
UPDATE $s.tasks SET
  status = 'completed', output = done.output,
  worker_id = NULL, claim_number = NULL, lease_expires_at_ms = NULL, crash_count = 0, completed_at_ms = $3, updated_at_ms = $3,
  finished_at_ms = $3, version = version + 1, last_error = NULL, last_outcome = 'completed', history = history || $4
FROM unnest($1::bigint[], $2::text[]) AS done (seq, output)
WHERE tasks.seq = done.seq

-- name: saveTasks
-- Everything that a transition can change. 1 JSON array of objects, named as the columns; `appended` goes behind the history, unless
-- there is a whole new one
UPDATE $s.tasks SET
  status = one.status, lane = one.lane, output = one.output, progress = one.progress, updated_at_ms = one.updated_at_ms,
  available_at_ms = one.available_at_ms, ready_at_ms = one.ready_at_ms, expires_at_ms = one.expires_at_ms,
  expired_at_ms = one.expired_at_ms, started_at_ms = one.started_at_ms, completed_at_ms = one.completed_at_ms,
  cancel_requested_at_ms = one.cancel_requested_at_ms, finished_at_ms = one.finished_at_ms, retry_count = one.retry_count,
  reschedule_count = one.reschedule_count, throttle_count = one.throttle_count, crash_count = one.crash_count, attempt = one.attempt,
  fence = one.fence, version = one.version, worker_id = one.worker_id, claim_number = one.claim_number,
  lease_expires_at_ms = one.lease_expires_at_ms, last_error = one.last_error, last_outcome = one.last_outcome,
  history = coalesce(one.history, tasks.history || one.appended)
FROM json_to_recordset($1::json) AS one (
  seq bigint, status text, lane bigint, output text, progress text, updated_at_ms bigint, available_at_ms bigint, ready_at_ms bigint,
  expires_at_ms bigint, expired_at_ms bigint, started_at_ms bigint, completed_at_ms bigint, cancel_requested_at_ms bigint,
  finished_at_ms bigint, retry_count bigint, reschedule_count bigint, throttle_count bigint, crash_count bigint, attempt bigint,
  fence bigint, version bigint, worker_id text, claim_number bigint, lease_expires_at_ms bigint, last_error text, last_outcome text,
  history text, appended text
)
WHERE tasks.seq = one.seq

-- name: routeTasks
-- What a route adds. 1 seqs, 2 flows, 3 gates, 4 forecasts
UPDATE $s.tasks SET flow = one.flow, gates = one.gates::jsonb, forecast_at_ms = one.forecast
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS one (seq, flow, gates, forecast)
WHERE tasks.seq = one.seq

-- name: keepTasks
-- 1 seqs, 2 leases, 3 progress
UPDATE $s.tasks SET lease_expires_at_ms = kept.lease, progress = kept.progress
FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS kept (seq, lease, progress)
WHERE tasks.seq = kept.seq

-- name: removeTasks
-- 1 seqs
DELETE FROM $s.tasks WHERE seq = ANY($1::bigint[])

-- name: addTallies
-- 1 ns, 2 types, 3 statuses, 4 how many more, 5 now
INSERT INTO $s.tallies (ns, type, status, count, at_ms)
SELECT $1, one.type, one.status, one.more, $5 FROM unnest($2::text[], $3::text[], $4::bigint[]) AS one (type, status, more)
