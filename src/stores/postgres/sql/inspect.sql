-- What is read without a lock.

-- name: listTasks
-- The newest rows are looked at, those of other namespaces too, a bounded number of them; those that fit are returned.
-- 1 ns, 2 before seq, 3 rows to look at, 4 statuses, 5 type, 6 tag, 7 created from, 8 created before, 9 limit
SELECT $columns FROM (
  SELECT * FROM $s.tasks WHERE seq < $2 ORDER BY seq DESC LIMIT $3
) AS tasks
WHERE ns = $1 AND ($4::text[] IS NULL OR status = ANY($4::text[]))
  AND ($5::text IS NULL OR type = $5)
  AND ($6::text IS NULL OR $6 = ANY(tags))
  AND ($7::bigint IS NULL OR created_at_ms >= $7)
  AND ($8::bigint IS NULL OR created_at_ms < $8)
ORDER BY seq DESC LIMIT $9

-- name: listEnd
-- Where a look that found too little ended. 1 before seq, 2 rows to look at; answers with how many and the last
SELECT count(*), min(seq) FROM (SELECT seq FROM $s.tasks WHERE seq < $1 ORDER BY seq DESC LIMIT $2) AS looked

-- name: listOfJob
-- As listTasks, of one job: 1 to 9 as there, 10 job_id
SELECT $columns FROM (
  SELECT * FROM $s.tasks WHERE ns = $1 AND job_id = $10 AND seq < $2 ORDER BY seq DESC LIMIT $3
) AS tasks
WHERE ($4::text[] IS NULL OR status = ANY($4::text[]))
  AND ($5::text IS NULL OR type = $5)
  AND ($6::text IS NULL OR $6 = ANY(tags))
  AND ($7::bigint IS NULL OR created_at_ms >= $7)
  AND ($8::bigint IS NULL OR created_at_ms < $8)
ORDER BY seq DESC LIMIT $9

-- name: listOfJobEnd
-- 1 ns, 2 before seq, 3 rows to look at, 4 job_id
SELECT count(*), min(seq) FROM (SELECT seq FROM $s.tasks WHERE ns = $1 AND job_id = $4 AND seq < $2 ORDER BY seq DESC LIMIT $3) AS looked

-- name: counts
-- 1 ns, 2 type
SELECT status, sum(count)::bigint FROM $s.tallies WHERE ns = $1 AND ($2::text IS NULL OR type = $2) GROUP BY status

-- name: workers
-- With how many tasks each holds a lease on. 1 ns, 2 since, 3 limit
SELECT worker_id, seen_at_ms, types,
  (SELECT count(*) FROM $s.tasks AS held WHERE held.ns = $1 AND held.lease_expires_at_ms IS NOT NULL AND held.worker_id = workers.worker_id)
FROM $s.workers AS workers WHERE ns = $1 AND seen_at_ms > $2 ORDER BY worker_id LIMIT $3

-- name: firstPending
-- Of rows that are looked at, those of other namespaces too. 1 ns, 2 after seq, 3 rows to look at
SELECT $columns FROM (
  SELECT * FROM $s.tasks WHERE seq > $2 ORDER BY seq LIMIT $3
) AS tasks
WHERE ns = $1 AND status = 'pending' ORDER BY seq LIMIT 1

-- name: firstPendingEnd
-- Where a look that found none ended. 1 ns, 2 after seq, 3 rows to look at; answers with how many, the last, and the last of the namespace
SELECT count(*), max(seq), max(seq) FILTER (WHERE ns = $1) FROM (SELECT ns, seq FROM $s.tasks WHERE seq > $2 ORDER BY seq LIMIT $3) AS looked

-- name: expiring
-- 1 ns, 2 by, 3 limit
SELECT type, count(*) FROM (
  SELECT type FROM $s.tasks
  WHERE ns = $1 AND expires_at_ms IS NOT NULL AND status = 'pending' AND expires_at_ms <= $2
  ORDER BY expires_at_ms, seq LIMIT $3
) AS soon GROUP BY type ORDER BY type
