-- Jobs and their tasks.

-- name: readJob
-- 1 ns, 2 id
SELECT $text(record) FROM jobs WHERE ns = ?1 AND id = ?2

-- name: saveJob
-- 1 seq, 2 ns, 3 id, 4 name, 5 status, 6 is_stopping, 7 ended_at_ms, 8 record
INSERT INTO jobs (seq, ns, id, name, status, is_stopping, ended_at_ms, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (ns, id) DO UPDATE SET status = ?5, is_stopping = ?6, ended_at_ms = ?7, record = ?8

-- name: listJobs
-- 1 ns, 2 JSON array of ids, 3 name, 4 JSON array of statuses, 5 before seq, 6 limit
SELECT $text(record) FROM jobs
WHERE ns = ?1 AND seq < ?5
  AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
  AND (?3 IS NULL OR name = ?3)
  AND (?4 IS NULL OR status IN (SELECT value FROM json_each(?4)))
ORDER BY seq DESC LIMIT ?6

-- name: stoppingJobs
-- 1 ns, 2 limit
SELECT $text(record) FROM jobs WHERE ns = ?1 AND is_stopping = 1 ORDER BY seq LIMIT ?2

-- name: jobsEndedBefore
-- 1 ns, 2 before, 3 limit
SELECT $text(record) FROM jobs WHERE ns = ?1 AND ended_at_ms IS NOT NULL AND ended_at_ms <= ?2 ORDER BY ended_at_ms, seq LIMIT ?3

-- name: removeJobs
-- 1 ns, 2 JSON array of ids
DELETE FROM jobs WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: nextOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND job_id = ?2 AND status IN ('pending', 'running') AND status = 'pending' ORDER BY seq LIMIT ?3

-- name: lastOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND job_id = ?2 AND status IN ('pending', 'running') AND status = 'pending' ORDER BY seq DESC LIMIT ?3

-- name: runningOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND job_id = ?2 AND status IN ('pending', 'running') AND status = 'running' ORDER BY seq LIMIT ?3

-- name: stoppableOfJob
-- 1 ns, 2 job_id, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND job_id = ?2 AND status IN ('pending', 'running') AND (status = 'pending' OR cancel_requested_at_ms IS NULL)
ORDER BY seq LIMIT ?3

-- name: listOfJob
-- As listTasks, of one job: 1 ns, 2 before seq, 3 rows to look at, 4 to 8 as there, 9 limit, 10 job_id
SELECT $columns FROM (
  SELECT * FROM tasks WHERE ns = ?1 AND job_id = ?10 AND seq < ?2 ORDER BY seq DESC LIMIT ?3
) AS tasks
WHERE (?4 IS NULL OR status IN (SELECT value FROM json_each(?4)))
  AND (?5 IS NULL OR type = ?5)
  AND (?6 IS NULL OR CASE WHEN json_valid(tags) THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?6) ELSE tags IS NOT NULL END)
  AND (?7 IS NULL OR created_at_ms >= ?7)
  AND (?8 IS NULL OR created_at_ms < ?8)
LIMIT ?9

-- name: listOfJobEnd
-- 1 ns, 2 before seq, 3 rows to look at, 4 job_id
SELECT count(*), min(seq) FROM (SELECT seq FROM tasks WHERE ns = ?1 AND job_id = ?4 AND seq < ?2 ORDER BY seq DESC LIMIT ?3)
