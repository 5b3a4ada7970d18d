-- What is read without a lock.

-- name: listTasks
-- The newest rows are looked at, a bounded number of them, and those that fit are returned. Tags that cannot be read fit: it is told.
-- 1 ns, 2 before seq, 3 rows to look at, 4 JSON array of statuses, 5 type, 6 tag, 7 created from, 8 created before, 9 limit
SELECT $columns FROM (
  SELECT * FROM tasks WHERE seq < ?2 AND ns = ?1 ORDER BY seq DESC LIMIT ?3
) AS tasks
WHERE (?4 IS NULL OR status IN (SELECT value FROM json_each(?4)))
  AND (?5 IS NULL OR type = ?5)
  AND (?6 IS NULL OR CASE WHEN json_valid(tags) THEN EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?6) ELSE tags IS NOT NULL END)
  AND (?7 IS NULL OR created_at_ms >= ?7)
  AND (?8 IS NULL OR created_at_ms < ?8)
LIMIT ?9

-- name: listEnd
-- Where a look that found too little ended. 1 ns, 2 before seq, 3 rows to look at; answers with how many and the last
SELECT count(*), min(seq) FROM (SELECT seq FROM tasks WHERE seq < ?2 AND ns = ?1 ORDER BY seq DESC LIMIT ?3)

-- name: counts
-- 1 ns, 2 type
SELECT $text(status), sum(count) FROM tallies WHERE ns = ?1 AND (?2 IS NULL OR type = ?2) GROUP BY status

-- name: workers
-- With how many tasks each holds a lease on. Types that cannot be read are none. 1 ns, 2 since, 3 limit
SELECT $text(worker_id), seen_at_ms, CASE WHEN json_valid(types) THEN types ELSE '[]' END,
  (SELECT count(*) FROM tasks WHERE tasks.ns = ?1 AND lease_expires_at_ms IS NOT NULL AND tasks.worker_id = workers.worker_id)
FROM workers WHERE ns = ?1 AND seen_at_ms > ?2 ORDER BY worker_id LIMIT ?3

-- name: firstPending
-- 1 ns, 2 after seq, 3 rows to look at
SELECT $columns FROM (
  SELECT * FROM tasks WHERE seq > ?2 AND ns = ?1 ORDER BY seq LIMIT ?3
) AS tasks
WHERE status = 'pending' ORDER BY seq LIMIT 1

-- name: firstPendingEnd
-- Where a look that found none ended. 1 ns, 2 after seq, 3 rows to look at; answers with how many and the last
SELECT count(*), max(seq) FROM (SELECT seq FROM tasks WHERE seq > ?2 AND ns = ?1 ORDER BY seq LIMIT ?3)

-- name: expiring
-- 1 ns, 2 by, 3 limit
SELECT $text(type), count(*) FROM (
  SELECT type FROM tasks
  WHERE ns = ?1 AND expires_at_ms IS NOT NULL AND status = 'pending' AND expires_at_ms <= ?2
  ORDER BY expires_at_ms, seq LIMIT ?3
) GROUP BY type ORDER BY type
