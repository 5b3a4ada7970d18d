-- What the sweep looks for: one range on one partial index each. What somebody else holds is left to him.

-- name: lostLeases
-- 1 ns, 2 now, 3 limit
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND lease_expires_at_ms IS NOT NULL AND lease_expires_at_ms <= $2
ORDER BY lease_expires_at_ms, seq LIMIT $3 FOR UPDATE SKIP LOCKED

-- name: overdueTasks
-- 1 ns, 2 now, 3 limit
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND expires_at_ms IS NOT NULL AND status = 'pending' AND expires_at_ms <= $2
ORDER BY expires_at_ms, seq LIMIT $3 FOR UPDATE SKIP LOCKED

-- name: finishedBefore
-- 1 ns, 2 before, 3 limit
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND finished_at_ms IS NOT NULL AND finished_at_ms <= $2
ORDER BY finished_at_ms, seq LIMIT $3 FOR UPDATE SKIP LOCKED

-- name: forgetWorkers
-- 1 ns, 2 seen at or before, 3 limit
DELETE FROM $s.workers WHERE ns = $1 AND worker_id IN (
  SELECT worker_id FROM $s.workers WHERE ns = $1 AND seen_at_ms <= $2 LIMIT $3
)

-- name: forgetLanes
-- 1 ns, 2 limit
DELETE FROM $s.lanes WHERE lane IN (SELECT lane FROM $s.lanes WHERE ns = $1 AND head_seq IS NULL AND NOT is_plain LIMIT $2)

-- name: forgetFlows
-- 1 ns, 2 the present virtual time, 3 limit
DELETE FROM $s.flows WHERE ns = $1 AND gate = 0 AND (type, flow) IN (
  SELECT type, flow FROM $s.flows AS idle WHERE ns = $1 AND gate = 0 AND head_seq IS NULL AND virtual_time <= $2
    AND NOT EXISTS (SELECT 1 FROM $s.flows AS w WHERE w.ns = $1 AND w.type = idle.type AND w.flow = idle.flow AND w.gate > 0)
    AND NOT (flow = type AND EXISTS (
      SELECT 1 FROM $s.lanes JOIN $s.tasks ON tasks.lane = lanes.lane WHERE lanes.ns = $1 AND lanes.type = idle.type AND lanes.is_plain
        AND md5(lanes.type || chr(31) || lanes.flow || chr(31) || lanes.gates) = md5(idle.type || chr(31) || idle.type || chr(31) || '[]')
    ))
  LIMIT $3
)

-- name: addUpTallies
-- Many rows become one for each type and status. 1 ns, 2 how many rows there may be
WITH gone AS (
  DELETE FROM $s.tallies WHERE ns = $1 AND (SELECT count(*) FROM $s.tallies WHERE ns = $1) > $2 RETURNING type, status, count, at_ms
)
INSERT INTO $s.tallies (ns, type, status, count, at_ms)
SELECT $1, type, status, sum(count), max(at_ms) FROM gone GROUP BY type, status HAVING sum(count) <> 0

-- name: addUpForecastErrors
-- The same. 1 ns, 2 how many rows there may be
WITH gone AS (
  DELETE FROM $s.forecast_errors WHERE ns = $1 AND (SELECT count(*) FROM $s.forecast_errors WHERE ns = $1) > $2 RETURNING type, bucket, count
)
INSERT INTO $s.forecast_errors (ns, type, bucket, count)
SELECT $1, type, bucket, sum(count) FROM gone GROUP BY type, bucket
