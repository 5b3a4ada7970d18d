-- What a claim reads and what it leaves behind.

-- name: claimNumber
-- 1 ns, 2 worker_id
SELECT claim_number FROM workers WHERE ns = ?1 AND worker_id = ?2

-- name: saveWorker
-- 1 ns, 2 worker_id, 3 claim_number, 4 now, 5 JSON array of types
INSERT INTO workers (ns, worker_id, claim_number, seen_at_ms, types) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET claim_number = ?3, seen_at_ms = ?4, types = ?5

-- name: claimedBy
-- 1 ns, 2 worker_id, 3 claim_number
SELECT $columns FROM tasks
WHERE ns = ?1 AND lease_expires_at_ms IS NOT NULL AND worker_id = ?2 AND claim_number = ?3
ORDER BY seq

-- name: cancelRequested
-- 1 ns, 2 worker_id
SELECT $columns FROM tasks
WHERE ns = ?1 AND worker_id = ?2 AND cancel_requested_at_ms IS NOT NULL AND status = 'running'
ORDER BY seq

-- name: dueTasks
-- 1 ns, 2 type, 3 now, 4 limit
SELECT $columns FROM tasks
WHERE ns = ?1 AND type = ?2 AND status = 'pending' AND lane IS NULL AND available_at_ms <= ?3
ORDER BY available_at_ms, seq LIMIT ?4

-- name: nextDue
-- 1 ns, 2 type
SELECT available_at_ms FROM tasks
WHERE ns = ?1 AND type = ?2 AND status = 'pending' AND lane IS NULL
ORDER BY available_at_ms LIMIT 1

-- name: enterLane
-- 1 JSON array of seqs, 2 lane
UPDATE tasks SET lane = ?2 WHERE seq IN (SELECT value FROM json_each(?1))

-- name: findLane
-- 1 ns, 2 type, 3 flow, 4 gates
SELECT lane FROM lanes WHERE ns = ?1 AND type = ?2 AND flow = ?3 AND gates = ?4

-- name: addLane
-- 1 ns, 2 type, 3 flow, 4 gates
INSERT INTO lanes (ns, type, flow, gates) VALUES (?1, ?2, ?3, ?4) RETURNING lane

-- name: addFlow
-- 1 ns, 2 type, 3 flow, 4 virtual_time
INSERT INTO flows (ns, type, flow, virtual_time) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING

-- name: placeLane
-- 1 lane; answers with the flow it belongs to
UPDATE lanes SET (head_priority, head_ready_at_ms, head_seq) = (
  SELECT priority, ready_at_ms, seq FROM tasks WHERE tasks.lane = lanes.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
)
WHERE lane = ?1
RETURNING type, flow

-- name: placeFlow
-- A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
-- 1 ns, 2 type, 3 flow, 4 virtual_time or NULL for no change, 5 the present virtual time
UPDATE flows SET
  virtual_time = coalesce(?4, CASE WHEN head_seq IS NULL THEN max(virtual_time, ?5) ELSE virtual_time END),
  (head_priority, head_seq) = (
    SELECT head_priority, head_seq FROM lanes
    WHERE lanes.ns = flows.ns AND lanes.type = flows.type AND lanes.flow = flows.flow AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT 1
  )
WHERE ns = ?1 AND type = ?2 AND flow = ?3

-- name: readFlows
-- 1 ns, 2 type, 3 limit, 4 skip
SELECT flow, head_priority, virtual_time, head_seq FROM flows
WHERE ns = ?1 AND type = ?2 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, virtual_time, head_seq LIMIT ?3 OFFSET ?4

-- name: readLanes
-- 1 ns, 2 type, 3 flow, 4 limit, 5 skip
SELECT lane, head_priority, head_ready_at_ms, head_seq FROM lanes
WHERE ns = ?1 AND type = ?2 AND flow = ?3 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT ?4 OFFSET ?5

-- name: readLaneTasks
-- 1 lane, 2 limit, 3 skip
SELECT $columns FROM tasks WHERE lane = ?1 ORDER BY priority DESC, ready_at_ms, seq LIMIT ?2 OFFSET ?3
