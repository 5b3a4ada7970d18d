-- What a claim reads and what it leaves behind.

-- name: claimNumber
-- 1 ns, 2 worker_id
SELECT claim_number FROM workers WHERE ns = ?1 AND worker_id = ?2

-- name: saveWorker
-- 1 ns, 2 worker_id, 3 claim_number, 4 now, 5 JSON array of types
INSERT INTO workers (ns, worker_id, claim_number, seen_at_ms, types) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET claim_number = ?3, seen_at_ms = ?4, types = ?5

-- name: seeWorker
-- 1 ns, 2 worker_id, 3 now, 4 JSON array of types
INSERT INTO workers (ns, worker_id, claim_number, seen_at_ms, types) VALUES (?1, ?2, 0, ?3, ?4)
ON CONFLICT DO UPDATE SET seen_at_ms = ?3, types = ?4

-- name: workersSince
-- Types that cannot be read are nobody's: whoever has them says them again. 1 ns, 2 type, 3 since
SELECT count(*) FROM workers
WHERE ns = ?1 AND seen_at_ms > ?3 AND CASE WHEN json_valid(types) THEN EXISTS (SELECT 1 FROM json_each(types) WHERE value = ?2) END

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
WHERE ns = ?1 AND type = ?2 AND status = 'pending' AND lane IS NULL AND gates IS NOT 'null' AND available_at_ms <= ?3
ORDER BY available_at_ms, seq LIMIT ?4

-- name: nextDue
-- 1 ns, 2 type
SELECT available_at_ms FROM tasks
WHERE ns = ?1 AND type = ?2 AND status = 'pending' AND lane IS NULL AND gates IS NOT 'null'
ORDER BY available_at_ms LIMIT 1

-- name: unroutedTasks
-- 1 ns, 2 type, 3 limit
SELECT $columns FROM tasks WHERE ns = ?1 AND type = ?2 AND status = 'pending' AND gates IS 'null' ORDER BY seq LIMIT ?3

-- name: enterLane
-- 1 JSON array of seqs, 2 lane
UPDATE tasks SET lane = ?2 WHERE seq IN (SELECT value FROM json_each(?1))

-- name: findLane
-- 1 ns, 2 type, 3 flow, 4 gates
SELECT lane, head_priority, head_ready_at_ms, head_seq FROM lanes WHERE ns = ?1 AND type = ?2 AND flow = ?3 AND gates = ?4

-- name: addLane
-- 1 ns, 2 type, 3 flow, 4 gates
INSERT INTO lanes (ns, type, flow, gates) VALUES (?1, ?2, ?3, ?4) RETURNING lane

-- name: addFlow
-- 1 ns, 2 type, 3 flow, 4 virtual_time
INSERT INTO flows (ns, type, flow, gate, virtual_time) VALUES (?1, ?2, ?3, 0, ?4) ON CONFLICT DO NOTHING

-- name: placeLane
-- 1 lane; answers with where it stands
UPDATE lanes SET (head_priority, head_ready_at_ms, head_seq) = (
  SELECT priority, ready_at_ms, seq FROM tasks WHERE tasks.lane = lanes.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
)
WHERE lane = ?1
RETURNING $text(type), $text(flow), gate, head_seq

-- name: readLane
-- 1 lane
SELECT $text(type), $text(flow), gate, head_seq FROM lanes WHERE lane = ?1

-- name: moveLane
-- 1 lane, 2 gate
UPDATE lanes SET gate = ?2 WHERE lane = ?1

-- name: placeFlow
-- A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
-- 1 ns, 2 type, 3 flow, 4 virtual_time or NULL for no change, 5 the present virtual time
UPDATE flows SET
  virtual_time = coalesce(?4, CASE WHEN head_seq IS NULL THEN max(virtual_time, ?5) ELSE virtual_time END),
  (head_priority, head_ready_at_ms, head_seq) = (
    SELECT head_priority, head_ready_at_ms, head_seq FROM lanes
    WHERE lanes.ns = flows.ns AND lanes.type = flows.type AND lanes.gate = 0 AND lanes.flow = flows.flow AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT 1
  )
WHERE ns = ?1 AND type = ?2 AND flow = ?3 AND gate = 0

-- name: placeWaitingFlow
-- 1 ns, 2 type, 3 flow, 4 gate; answers with its head, if it has one
INSERT INTO flows (ns, type, flow, gate, virtual_time, head_priority, head_ready_at_ms, head_seq)
SELECT ?1, ?2, ?3, ?4, ready.virtual_time, lanes.head_priority, lanes.head_ready_at_ms, lanes.head_seq
FROM flows AS ready JOIN lanes ON lanes.ns = ?1 AND lanes.type = ?2 AND lanes.gate = ?4 AND lanes.flow = ?3 AND lanes.head_seq IS NOT NULL
WHERE ready.ns = ?1 AND ready.type = ?2 AND ready.flow = ?3 AND ready.gate = 0
ORDER BY lanes.head_priority DESC, lanes.head_ready_at_ms, lanes.head_seq LIMIT 1
ON CONFLICT DO UPDATE SET virtual_time = excluded.virtual_time, head_priority = excluded.head_priority,
  head_ready_at_ms = excluded.head_ready_at_ms, head_seq = excluded.head_seq
RETURNING head_seq

-- name: dropWaitingFlow
-- 1 ns, 2 type, 3 flow, 4 gate
DELETE FROM flows WHERE ns = ?1 AND type = ?2 AND flow = ?3 AND gate = ?4

-- name: readFlows
-- 1 ns, 2 type, 3 limit, 4 skip
SELECT $text(flow), head_priority, virtual_time, head_ready_at_ms, head_seq, virtual_time FROM flows
WHERE ns = ?1 AND type = ?2 AND gate = 0 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT ?3 OFFSET ?4

-- name: readWaitingFlows
-- 1 ns, 2 type, 3 limit, 4 skip, 5 gate
SELECT $text(flow), head_priority, virtual_time, head_ready_at_ms, head_seq,
  (SELECT virtual_time FROM flows AS ready WHERE ready.ns = ?1 AND ready.type = ?2 AND ready.flow = flows.flow AND ready.gate = 0)
FROM flows
WHERE ns = ?1 AND type = ?2 AND gate = ?5 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT ?3 OFFSET ?4

-- name: readLanes
-- 1 ns, 2 type, 3 gate, 4 flow, 5 limit, 6 skip
SELECT lane, head_priority, head_ready_at_ms, head_seq FROM lanes
WHERE ns = ?1 AND type = ?2 AND gate = ?3 AND flow = ?4 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT ?5 OFFSET ?6

-- name: readLaneTasks
-- 1 lane, 2 limit, 3 skip
SELECT $columns FROM tasks WHERE lane = ?1 ORDER BY priority DESC, ready_at_ms, seq LIMIT ?2 OFFSET ?3

-- name: countBefore
-- Counted up to a bound. Two ranges of the index: with OR it is all of the lane that is gone through. 1 lane, 2 priority, 3 ready_at_ms, 4 seq, 5 bound
SELECT count(*) FROM (
  SELECT 1 FROM tasks WHERE lane = ?1 AND priority > ?2
  UNION ALL
  SELECT 1 FROM tasks WHERE lane = ?1 AND priority = ?2 AND (ready_at_ms, seq) < (?3, ?4)
  LIMIT ?5
)

-- name: countBetween
-- Those of one priority from one place, itself included, to another. 1 lane, 2 priority, 3 ready_at_ms, 4 seq, 5 ready_at_ms, 6 seq, 7 bound
SELECT count(*) FROM (
  SELECT 1 FROM tasks WHERE lane = ?1 AND priority = ?2 AND (ready_at_ms, seq) >= (?3, ?4) AND (ready_at_ms, seq) < (?5, ?6) LIMIT ?7
)

-- name: countLane
-- Of those that its priority does not put behind it. 1 lane, 2 priority, 3 bound
SELECT count(*) FROM (SELECT 1 FROM tasks WHERE lane = ?1 AND priority >= ?2 LIMIT ?3)
