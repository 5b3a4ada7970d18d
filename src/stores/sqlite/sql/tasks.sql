-- Reading and writing tasks. `$columns` stands for the columns that rows.ts turns into a record, `$brief` for as much as decides
-- whether a completion counts; `$text(column)` is a text as the driver can read it, whatever stands there.

-- name: loadTasks
-- 1 ns, 2 JSON array of ids
SELECT $columns FROM tasks WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: loadBrief
-- 1 ns, 2 JSON array of ids
SELECT $brief FROM tasks WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: loadByKeys
-- 1 ns, 2 JSON array of idempotency keys
SELECT $columns FROM tasks WHERE ns = ?1 AND idempotency_key IN (SELECT value FROM json_each(?2))

-- name: readHistory
-- 1 ns, 2 id
SELECT version, $text(history) FROM tasks WHERE ns = ?1 AND id = ?2

-- name: readBefore
-- What saveTask needs to know of the rows as they are. 1 JSON array of seqs
SELECT seq, $text(status), $text(history), gates IS 'null' FROM tasks WHERE seq IN (SELECT value FROM json_each(?1))

-- name: insertTasks
-- 1 JSON array of [seq, id, input or null]; the rest is the same for all of them, in the order below. insertGated must say the same
INSERT INTO tasks (
  seq, id, input, lane, ns, type, status, priority, flow, tags, job_id, idempotency_key, input_digest,
  created_at_ms, updated_at_ms, available_at_ms, ready_at_ms, expires_at_ms, expired_at_ms, finished_at_ms,
  max_retries, max_reschedules, max_throttles, timeout_ms, version, history
)
SELECT
  value ->> 0, value ->> 1, value ->> 2, ?23, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
  ?11, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22
FROM json_each(?1)

-- name: insertGated
-- Tasks that pass gates, or are still to be routed. 1 JSON array of [seq, id, input or null, lane, gates, forecast_at_ms]
INSERT INTO tasks (
  seq, id, input, lane, gates, forecast_at_ms, ns, type, status, priority, flow, tags, job_id, idempotency_key, input_digest,
  created_at_ms, updated_at_ms, available_at_ms, ready_at_ms, expires_at_ms, expired_at_ms, finished_at_ms,
  max_retries, max_reschedules, max_throttles, timeout_ms, version, history
)
SELECT
  value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
  ?11, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22
FROM json_each(?1)

-- name: insertPayload
-- 1 seq, 2 input
INSERT INTO payloads (seq, input) VALUES (?1, ?2)

-- name: saveClaimed
-- The transition `claim`, for all tasks of one claim.
-- 1 JSON array of seqs, 2 worker_id, 3 claim_number, 4 lease_expires_at_ms, 5 now, 6 history to append
UPDATE tasks SET
  status = 'running', lane = NULL, worker_id = ?2, claim_number = ?3, lease_expires_at_ms = ?4, started_at_ms = ?5,
  updated_at_ms = ?5, fence = fence + 1, attempt = attempt + 1, version = version + 1, last_outcome = NULL, progress = NULL,
  history = history || ?6
WHERE seq IN (SELECT value FROM json_each(?1))

-- name: saveReserved
-- What a claim was charged, where that was learned.
-- 1 seq, 2 gates
UPDATE tasks SET gates = ?2 WHERE seq = ?1

-- name: completeEach
-- The outcome `completed`, for all tasks of one exchange. completeAlike must say the same.
-- 1 JSON array of [seq, output], 2 now, 3 history to append
UPDATE tasks SET
  status = 'completed', output = done.value ->> 1,
  worker_id = NULL, claim_number = NULL, lease_expires_at_ms = NULL, crash_count = 0, completed_at_ms = ?2, updated_at_ms = ?2,
  finished_at_ms = ?2, version = version + 1, last_error = NULL, last_outcome = 'completed', history = history || ?3
FROM json_each(?1) AS done
WHERE tasks.seq = done.value ->> 0

-- name: completeAlike
-- 1 JSON array of seqs, 2 now, 3 history to append, 4 the output of all of them
UPDATE tasks SET
  status = 'completed', output = ?4,
  worker_id = NULL, claim_number = NULL, lease_expires_at_ms = NULL, crash_count = 0, completed_at_ms = ?2, updated_at_ms = ?2,
  finished_at_ms = ?2, version = version + 1, last_error = NULL, last_outcome = 'completed', history = history || ?3
WHERE seq IN (SELECT value FROM json_each(?1))

-- name: saveTask
-- Everything that a transition can change; the parameters in the order below, history replaced
UPDATE tasks SET
  status = ?2, lane = ?3, output = ?4, progress = ?5, updated_at_ms = ?6, available_at_ms = ?7, ready_at_ms = ?8, expires_at_ms = ?9,
  expired_at_ms = ?10, started_at_ms = ?11, completed_at_ms = ?12, cancel_requested_at_ms = ?13, finished_at_ms = ?14, retry_count = ?15,
  reschedule_count = ?16, throttle_count = ?17, crash_count = ?18, attempt = ?19, fence = ?20, version = ?21, worker_id = ?22,
  claim_number = ?23, lease_expires_at_ms = ?24, last_error = ?25, last_outcome = ?26, history = ?27
WHERE seq = ?1

-- name: routeTask
-- What a route adds. 1 seq, 2 flow, 3 gates, 4 forecast_at_ms
UPDATE tasks SET flow = ?2, gates = ?3, forecast_at_ms = ?4 WHERE seq = ?1

-- name: keepTasks
-- 1 JSON array of [seq, lease_expires_at_ms, progress]
UPDATE tasks SET lease_expires_at_ms = kept.value ->> 1, progress = kept.value ->> 2
FROM json_each(?1) AS kept
WHERE tasks.seq = kept.value ->> 0

-- name: removeTasks
-- 1 JSON array of seqs
DELETE FROM tasks WHERE seq IN (SELECT value FROM json_each(?1))

-- name: removePayloads
-- 1 JSON array of seqs
DELETE FROM payloads WHERE seq IN (SELECT value FROM json_each(?1))

-- name: addToTally
-- 1 ns, 2 type, 3 status, 4 how many more
INSERT INTO tallies (ns, type, status, count) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET count = count + ?4
