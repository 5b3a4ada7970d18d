-- Jobs and their tasks.

-- name: readJobs
-- 1 ns, 2 ids
SELECT jobs.id, jobs.record FROM unnest($2::text[]) AS asked (id) CROSS JOIN LATERAL (
  SELECT * FROM $s.jobs AS one WHERE one.ns = $1 AND one.id = asked.id LIMIT 1
) AS jobs

-- name: saveJobs
-- 1 ns, 2 seqs, 3 ids, 4 names, 5 statuses, 6 whether they are stopping, 7 ended at, 8 JSON array of records
INSERT INTO $s.jobs (seq, ns, id, name, status, is_stopping, ended_at_ms, record)
SELECT seq, $1, id, name, status, is_stopping, ended_at_ms, record FROM ROWS FROM (
  unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::boolean[]), unnest($7::bigint[]),
  json_array_elements($8::json)
) AS saved (seq, id, name, status, is_stopping, ended_at_ms, record)
ON CONFLICT (ns, id) DO UPDATE SET status = excluded.status, is_stopping = excluded.is_stopping, ended_at_ms = excluded.ended_at_ms,
  record = excluded.record

-- name: listJobs
-- 1 ns, 2 ids or NULL, 3 name or NULL, 4 statuses or NULL, 5 before seq, 6 limit
SELECT record FROM $s.jobs
WHERE ns = $1 AND seq < $5
  AND ($2::text[] IS NULL OR id = ANY ($2::text[]))
  AND ($3::text IS NULL OR name = $3)
  AND ($4::text[] IS NULL OR status = ANY ($4::text[]))
ORDER BY seq DESC LIMIT $6

-- name: stoppingJobs
-- 1 ns, 2 limit
SELECT record FROM $s.jobs WHERE ns = $1 AND is_stopping ORDER BY seq LIMIT $2

-- name: jobsEndedBefore
-- 1 ns, 2 before, 3 limit
SELECT record FROM $s.jobs WHERE ns = $1 AND ended_at_ms IS NOT NULL AND ended_at_ms <= $2 ORDER BY ended_at_ms, seq LIMIT $3

-- name: removeJobs
-- 1 ns, 2 ids
DELETE FROM $s.jobs WHERE ns = $1 AND id = ANY ($2::text[])

-- name: nextOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM $s.tasks AS tasks
WHERE ns = $1 AND job_id = $2 AND status IN ('pending', 'running') AND status = 'pending' ORDER BY seq LIMIT $3

-- name: lastOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM $s.tasks AS tasks
WHERE ns = $1 AND job_id = $2 AND status IN ('pending', 'running') AND status = 'pending' ORDER BY seq DESC LIMIT $3

-- name: runningOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM $s.tasks AS tasks
WHERE ns = $1 AND job_id = $2 AND status IN ('pending', 'running') AND status = 'running' ORDER BY seq LIMIT $3

-- name: stoppableOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM $s.tasks AS tasks
WHERE ns = $1 AND job_id = $2 AND status IN ('pending', 'running') AND (status = 'pending' OR cancel_requested_at_ms IS NULL)
ORDER BY seq LIMIT $3
