-- What the sweep looks for: one range on one partial index each.

-- name: lostLeases
-- 1 ns, 2 now, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND lease_expires_at_ms IS NOT NULL AND lease_expires_at_ms <= ?2
ORDER BY lease_expires_at_ms, seq LIMIT ?3

-- name: overdueTasks
-- 1 ns, 2 now, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND expires_at_ms IS NOT NULL AND status = 'pending' AND expires_at_ms <= ?2
ORDER BY expires_at_ms, seq LIMIT ?3

-- name: finishedBefore
-- 1 ns, 2 before, 3 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND finished_at_ms IS NOT NULL AND finished_at_ms <= ?2
ORDER BY finished_at_ms, seq LIMIT ?3

-- name: forgetWorkers
-- 1 ns, 2 seen at or before, 3 limit
DELETE FROM workers WHERE ns = ?1 AND worker_id IN (
  SELECT worker_id FROM workers WHERE ns = ?1 AND seen_at_ms <= ?2 LIMIT ?3
)

-- name: forgetLanes
-- 1 ns, 2 limit
DELETE FROM lanes WHERE lane IN (SELECT lane FROM lanes WHERE ns = ?1 AND head_seq IS NULL LIMIT ?2)

-- name: forgetFlows
-- 1 ns, 2 the present virtual time, 3 limit
DELETE FROM flows WHERE ns = ?1 AND (type, flow) IN (
  SELECT type, flow FROM flows WHERE ns = ?1 AND gate = 0 AND head_seq IS NULL AND virtual_time <= ?2
    AND NOT EXISTS (SELECT 1 FROM flows AS w WHERE w.ns = ?1 AND w.type = flows.type AND w.flow = flows.flow AND w.gate > 0)
  LIMIT ?3
)

-- name: changes
-- How many rows the statement before this one has removed
SELECT changes()
