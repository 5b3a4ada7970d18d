-- What a claim reads and what it leaves behind.

-- name: lookAhead
-- What every exchange asks, at once. 1 ns, 2 worker_id, 3 types. Answers with the number of the worker's latest claim, whether one of its
-- tasks was asked to stop, when the first scheduled task of each type is due, which types have tasks that nobody has routed, and whether
-- something stands in lanes that are not plain, or a gate is due
SELECT
  (SELECT claim_number FROM $s.workers WHERE ns = $1 AND worker_id = $2),
  EXISTS (SELECT 1 FROM $s.tasks WHERE ns = $1 AND worker_id = $2 AND cancel_requested_at_ms IS NOT NULL AND status = 'running'),
  (
    SELECT json_agg((
      SELECT available_at_ms FROM $s.tasks
      WHERE ns = $1 AND type = asked.type AND status = 'pending' AND lane IS NULL AND gates IS DISTINCT FROM 'null'
      ORDER BY available_at_ms LIMIT 1
    ) ORDER BY place) FROM unnest($3::text[]) WITH ORDINALITY AS asked (type, place)
  ),
  ARRAY(SELECT type FROM unnest($3::text[]) AS asked (type)
    WHERE EXISTS (SELECT 1 FROM $s.tasks WHERE ns = $1 AND tasks.type = asked.type AND status = 'pending' AND gates = 'null')),
  EXISTS (SELECT 1 FROM $s.flows WHERE ns = $1 AND type = ANY($3::text[]) AND head_seq IS NOT NULL)
    OR EXISTS (SELECT 1 FROM $s.dues AS dues WHERE dues.ns = $1 AND dues.type = ANY($3::text[]))

-- name: claimNumber
-- 1 ns, 2 worker_id
SELECT claim_number FROM $s.workers WHERE ns = $1 AND worker_id = $2

-- name: saveWorker
-- Of two claims that a worker has under way the later may have come first. 1 ns, 2 worker_id, 3 claim_number, 4 now, 5 types, 6 above this a
-- number was never given
INSERT INTO $s.workers AS known (ns, worker_id, claim_number, seen_at_ms, types) VALUES ($1, $2, $3, $4, $5::text[])
ON CONFLICT (ns, worker_id) DO UPDATE SET seen_at_ms = $4, types = $5::text[],
  claim_number = CASE WHEN known.claim_number > $6 THEN $3 ELSE greatest(known.claim_number, $3) END

-- name: seeWorker
-- 1 ns, 2 worker_id, 3 now, 4 types
INSERT INTO $s.workers (ns, worker_id, claim_number, seen_at_ms, types) VALUES ($1, $2, 0, $3, $4::text[])
ON CONFLICT (ns, worker_id) DO UPDATE SET seen_at_ms = $3, types = $4::text[]

-- name: workersSince
-- 1 ns, 2 type, 3 since
SELECT count(*) FROM $s.workers WHERE ns = $1 AND seen_at_ms > $3 AND $2 = ANY(types)

-- name: claimedBy
-- 1 ns, 2 worker_id, 3 claim_number
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND lease_expires_at_ms IS NOT NULL AND worker_id = $2 AND claim_number = $3
ORDER BY seq

-- name: cancelRequested
-- 1 ns, 2 worker_id
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND worker_id = $2 AND cancel_requested_at_ms IS NOT NULL AND status = 'running'
ORDER BY seq

-- name: dueTasks
-- Those that somebody else holds are looked at by him. 1 ns, 2 type, 3 now, 4 limit
SELECT $columns FROM $s.tasks
WHERE ns = $1 AND type = $2 AND status = 'pending' AND lane IS NULL AND gates IS DISTINCT FROM 'null' AND available_at_ms <= $3
ORDER BY available_at_ms, seq LIMIT $4 FOR UPDATE SKIP LOCKED

-- name: nextDue
-- 1 ns, 2 type
SELECT available_at_ms FROM $s.tasks
WHERE ns = $1 AND type = $2 AND status = 'pending' AND lane IS NULL AND gates IS DISTINCT FROM 'null'
ORDER BY available_at_ms LIMIT 1

-- name: unroutedTasks
-- 1 ns, 2 type, 3 limit
SELECT $columns FROM $s.tasks WHERE ns = $1 AND type = $2 AND status = 'pending' AND gates = 'null' ORDER BY seq LIMIT $3

-- name: enterLanes
-- 1 seqs, 2 lanes
UPDATE $s.tasks SET lane = one.lane FROM unnest($1::bigint[], $2::bigint[]) AS one (seq, lane) WHERE tasks.seq = one.seq

-- name: findLanes
-- 1 ns, 2 types, 3 flows, 4 gates; answers with the place in the lists, the lane, its head and where it stands
SELECT one.place, lanes.lane, lanes.head_priority, lanes.head_ready_at_ms, lanes.head_seq, lanes.gate
FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS one (type, flow, gates, place) CROSS JOIN LATERAL (
  SELECT * FROM $s.lanes AS named
  WHERE named.ns = $1 AND md5(named.type || chr(31) || named.flow || chr(31) || named.gates) = md5(one.type || chr(31) || one.flow || chr(31) || one.gates)
    AND named.type = one.type AND named.flow = one.flow AND named.gates = one.gates
  LIMIT 1
) AS lanes

-- name: addLanes
-- 1 ns, 2 lanes, 3 types, 4 flows, 5 gates, 6 which are plain
INSERT INTO $s.lanes (lane, ns, type, flow, gates, is_plain)
SELECT one.lane, $1, one.type, one.flow, one.gates, one.is_plain
FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[]) AS one (lane, type, flow, gates, is_plain)
ON CONFLICT DO NOTHING

-- name: addFlows
-- 1 ns, 2 types, 3 flows, 4 virtual_time
INSERT INTO $s.flows (ns, type, flow, gate, virtual_time)
SELECT $1, one.type, one.flow, 0, $4 FROM unnest($2::text[], $3::text[]) AS one (type, flow)
ON CONFLICT DO NOTHING

-- name: placeLanes
-- Heads as the tasks say. An empty lane waits for nothing. 1 lanes; answers with where each stood
WITH found AS (
  SELECT lanes.lane, lanes.type, lanes.flow, lanes.gate, head.priority, head.ready_at_ms, head.seq
  FROM $s.lanes LEFT JOIN LATERAL (
    SELECT priority, ready_at_ms, seq FROM $s.tasks WHERE tasks.lane = lanes.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
  ) AS head ON true
  WHERE lanes.lane = ANY($1::bigint[]) AND NOT lanes.is_plain
), written AS (
  UPDATE $s.lanes SET head_priority = found.priority, head_ready_at_ms = found.ready_at_ms, head_seq = found.seq,
    gate = CASE WHEN found.seq IS NULL THEN 0 ELSE lanes.gate END
  FROM found WHERE lanes.lane = found.lane
)
SELECT type, flow, gate FROM found

-- name: placeHeads
-- The same of lanes whose heads are known, none of them plain. 1 lanes, 2 priorities, 3 ready at and 4 seqs of their heads, NULL where they are empty
UPDATE $s.lanes SET head_priority = one.priority, head_ready_at_ms = one.ready_at_ms, head_seq = one.seq,
  gate = CASE WHEN one.seq IS NULL THEN 0 ELSE lanes.gate END
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS one (lane, priority, ready_at_ms, seq)
WHERE lanes.lane = one.lane

-- name: readLanesAt
-- 1 lanes
SELECT lane, type, flow, gate, head_seq FROM $s.lanes WHERE lane = ANY($1::bigint[])

-- name: moveLanes
-- 1 lanes, 2 gates
UPDATE $s.lanes SET gate = one.gate FROM unnest($1::bigint[], $2::bigint[]) AS one (lane, gate) WHERE lanes.lane = one.lane

-- name: placeFlows
-- A flow that was idle resumes at the present: it has missed nothing that it could catch up on.
-- 1 ns, 2 types, 3 flows, 4 virtual times, NULL for no change, 5 the present virtual times
UPDATE $s.flows SET
  virtual_time = coalesce(one.served, CASE WHEN flows.head_seq IS NULL THEN greatest(flows.virtual_time, one.present) ELSE flows.virtual_time END),
  head_priority = one.priority, head_ready_at_ms = one.ready_at_ms, head_seq = one.seq
FROM (
  SELECT asked.type, asked.flow, asked.served, asked.present, head.priority, head.ready_at_ms, head.seq
  FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) AS asked (type, flow, served, present)
  LEFT JOIN LATERAL (
    SELECT head_priority AS priority, head_ready_at_ms AS ready_at_ms, head_seq AS seq FROM $s.lanes
    WHERE lanes.ns = $1 AND lanes.type = asked.type AND lanes.gate = 0 AND lanes.flow = asked.flow AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT 1
  ) AS head ON true
) AS one
WHERE flows.ns = $1 AND flows.type = one.type AND flows.flow = one.flow AND flows.gate = 0

-- name: placeWaitingFlows
-- 1 ns, 2 types, 3 flows, 4 gates: with their heads, or gone where they have none
WITH found AS (
  SELECT asked.type, asked.flow, asked.gate, ready.virtual_time, head.priority, head.ready_at_ms, head.seq
  FROM unnest($2::text[], $3::text[], $4::bigint[]) AS asked (type, flow, gate)
  LEFT JOIN $s.flows AS ready ON ready.ns = $1 AND ready.type = asked.type AND ready.flow = asked.flow AND ready.gate = 0
  LEFT JOIN LATERAL (
    SELECT head_priority AS priority, head_ready_at_ms AS ready_at_ms, head_seq AS seq FROM $s.lanes
    WHERE lanes.ns = $1 AND lanes.type = asked.type AND lanes.gate = asked.gate AND lanes.flow = asked.flow AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT 1
  ) AS head ON true
), gone AS (
  DELETE FROM $s.flows USING found
  WHERE flows.ns = $1 AND flows.type = found.type AND flows.flow = found.flow AND flows.gate = found.gate
    AND (found.seq IS NULL OR found.virtual_time IS NULL)
)
INSERT INTO $s.flows (ns, type, flow, gate, virtual_time, head_priority, head_ready_at_ms, head_seq)
SELECT $1, type, flow, gate, virtual_time, priority, ready_at_ms, seq FROM found WHERE seq IS NOT NULL AND virtual_time IS NOT NULL
ON CONFLICT (ns, type, flow, gate) DO UPDATE SET virtual_time = excluded.virtual_time, head_priority = excluded.head_priority,
  head_ready_at_ms = excluded.head_ready_at_ms, head_seq = excluded.head_seq

-- name: readFlows
-- Those that are ready. The flow of the type's own name has the plain lane too, whose head is looked for.
-- 1 ns, 2 type, 3 limit, 4 skip, 5 the present virtual time; NULL: that of the namespace
WITH plain AS (
  SELECT head.priority, head.ready_at_ms, head.seq FROM $s.lanes CROSS JOIN LATERAL (
    SELECT priority, ready_at_ms, seq FROM $s.tasks WHERE tasks.lane = lanes.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
  ) AS head
  WHERE lanes.ns = $1 AND md5(lanes.type || chr(31) || lanes.flow || chr(31) || lanes.gates) = md5($2 || chr(31) || $2 || chr(31) || '[]')
    AND lanes.type = $2 AND lanes.is_plain
), own AS (
  SELECT virtual_time, head_priority, head_ready_at_ms, head_seq FROM $s.flows WHERE ns = $1 AND type = $2 AND flow = $2 AND gate = 0
), best AS (
  SELECT priority, ready_at_ms, seq FROM plain
  UNION ALL SELECT head_priority, head_ready_at_ms, head_seq FROM own WHERE head_seq IS NOT NULL
  ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
)
SELECT flow, head_priority, virtual_time, head_ready_at_ms, head_seq, virtual_time AS flow_time FROM (
  (
    SELECT flow, head_priority, virtual_time, head_ready_at_ms, head_seq FROM $s.flows
    WHERE ns = $1 AND type = $2 AND gate = 0 AND head_seq IS NOT NULL AND flow <> $2
    ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT $3::bigint + $4::bigint
  )
  UNION ALL
  SELECT $2, priority, coalesce((SELECT virtual_time FROM own), $5, (SELECT virtual_time FROM $s.namespaces WHERE ns = $1)), ready_at_ms, seq FROM best
) AS standing
ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT $3 OFFSET $4

-- name: readWaitingFlows
-- 1 ns, 2 type, 3 limit, 4 skip, 5 gate
SELECT flow, head_priority, virtual_time, head_ready_at_ms, head_seq,
  (SELECT virtual_time FROM $s.flows AS ready WHERE ready.ns = $1 AND ready.type = $2 AND ready.flow = flows.flow AND ready.gate = 0) AS flow_time
FROM $s.flows
WHERE ns = $1 AND type = $2 AND gate = $5 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT $3 OFFSET $4

-- name: readWaitingHeads
-- Who is first at gates: the first flows of each, with the first lanes of the first of those and their first tasks. 1 ns, 2 types, 3 gates,
-- 4 how many of all of these. A flow behind the first comes without lanes
SELECT $columns, asked.type, asked.gate, flow.flow, flow.head_priority, flow.virtual_time, flow.head_ready_at_ms, flow.head_seq,
  (SELECT virtual_time FROM $s.flows AS ready WHERE ready.ns = $1 AND ready.type = asked.type AND ready.flow = flow.flow AND ready.gate = 0),
  lane.lane, lane.head_priority, lane.head_ready_at_ms, lane.head_seq
FROM unnest($2::text[], $3::bigint[]) AS asked (type, gate) CROSS JOIN LATERAL (
  SELECT flows.*, row_number() OVER (ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq) AS place FROM $s.flows AS flows
  WHERE ns = $1 AND flows.type = asked.type AND flows.gate = asked.gate AND head_seq IS NOT NULL
  ORDER BY head_priority DESC, virtual_time, head_ready_at_ms, head_seq LIMIT $4
) AS flow LEFT JOIN LATERAL (
  SELECT * FROM $s.lanes AS lanes
  WHERE flow.place = 1 AND lanes.ns = $1 AND lanes.type = asked.type AND lanes.gate = asked.gate AND lanes.flow = flow.flow AND lanes.head_seq IS NOT NULL
  ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT $4
) AS lane ON true LEFT JOIN LATERAL (
  SELECT * FROM $s.tasks AS one WHERE one.lane = lane.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT $4
) AS tasks ON true
ORDER BY asked.gate, flow.place, lane.head_priority DESC, lane.head_ready_at_ms, lane.head_seq, tasks.priority DESC, tasks.ready_at_ms, tasks.seq

-- name: readLanes
-- Those that wait at a gate. 1 ns, 2 type, 3 gate, 4 flow, 5 limit, 6 skip
SELECT lane, head_priority, head_ready_at_ms, head_seq FROM $s.lanes
WHERE ns = $1 AND type = $2 AND gate = $3 AND flow = $4 AND head_seq IS NOT NULL
ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT $5 OFFSET $6

-- name: readReadyLanes
-- Those that are ready, each with its first tasks; the plain lane, where the flow has one, without. 1 ns, 2 type, 3 flow, 4 limit, 5 skip,
-- 6 tasks of each
SELECT $columns, standing.lane, standing.head_priority, standing.head_ready_at_ms, standing.head_seq, standing.is_plain FROM (
  (
    SELECT lane, head_priority, head_ready_at_ms, head_seq, is_plain FROM $s.lanes
    WHERE ns = $1 AND type = $2 AND gate = 0 AND flow = $3 AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT $4::bigint + $5::bigint
  )
  UNION ALL
  SELECT lanes.lane, head.priority, head.ready_at_ms, head.seq, true FROM $s.lanes CROSS JOIN LATERAL (
    SELECT priority, ready_at_ms, seq FROM $s.tasks WHERE tasks.lane = lanes.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
  ) AS head
  WHERE $3 = $2 AND lanes.ns = $1 AND lanes.type = $2 AND lanes.is_plain
    AND md5(lanes.type || chr(31) || lanes.flow || chr(31) || lanes.gates) = md5($2 || chr(31) || $2 || chr(31) || '[]')
  ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT $4 OFFSET $5
) AS standing LEFT JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE NOT standing.is_plain AND tasks.lane = standing.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT $6
) AS tasks ON true
ORDER BY standing.head_priority DESC, standing.head_ready_at_ms, standing.head_seq, tasks.priority DESC, tasks.ready_at_ms, tasks.seq

-- name: readLaneTasks
-- Of several lanes at once. 1 lanes, 2 limit, 3 skip
SELECT $columns FROM unnest($1::bigint[]) AS asked (lane) CROSS JOIN LATERAL (
  SELECT * FROM $s.tasks WHERE tasks.lane = asked.lane ORDER BY priority DESC, ready_at_ms, seq LIMIT $2 OFFSET $3
) AS tasks
ORDER BY tasks.lane, tasks.priority DESC, tasks.ready_at_ms, tasks.seq

-- name: lockPlainTasks
-- Those that somebody else holds are his. Behind ours the next is only looked at; where there is none, it is counted how many stand there at
-- all. One row at least. 1 lane, 2 limit; answers with the tasks, whether each is ours, and the count
WITH mine AS MATERIALIZED (
  SELECT * FROM $s.tasks WHERE lane = $1 ORDER BY priority DESC, ready_at_ms, seq LIMIT $2 FOR UPDATE SKIP LOCKED
), last AS MATERIALIZED (
  SELECT priority, ready_at_ms, seq FROM mine ORDER BY priority, ready_at_ms DESC, seq DESC LIMIT 1
), behind AS MATERIALIZED (
  SELECT next.* FROM last CROSS JOIN LATERAL (
    SELECT * FROM $s.tasks
    WHERE lane = $1 AND priority <= last.priority AND (priority < last.priority OR (ready_at_ms, seq) > (last.ready_at_ms, last.seq))
    ORDER BY priority DESC, ready_at_ms, seq LIMIT 1
  ) AS next
)
SELECT $columns, tasks.is_mine,
  CASE WHEN (SELECT count(*) FROM behind) = 0 THEN (SELECT count(*) FROM (SELECT 1 FROM $s.tasks WHERE lane = $1 LIMIT $2::bigint + 1) AS standing) END
FROM (SELECT 1) AS one LEFT JOIN (
  SELECT *, true AS is_mine FROM mine UNION ALL SELECT *, false FROM behind
) AS tasks ON true

-- name: lockStanding
-- Those that still stand in a lane, and in nobody's hands. 1 seqs
SELECT seq FROM $s.tasks WHERE seq = ANY($1::bigint[]) AND lane IS NOT NULL ORDER BY seq FOR UPDATE SKIP LOCKED

-- name: countBefore
-- 1 lane, 2 priority, 3 ready_at_ms, 4 seq, 5 count up to
SELECT count(*) FROM (
  SELECT 1 FROM $s.tasks
  WHERE lane = $1 AND (priority > $2 OR (priority = $2 AND (ready_at_ms < $3 OR (ready_at_ms = $3 AND seq < $4))))
  LIMIT $5
) AS before

-- name: countLane
-- 1 lane, 2 least priority, 3 count up to
SELECT count(*) FROM (SELECT 1 FROM $s.tasks WHERE lane = $1 AND priority >= $2 LIMIT $3) AS standing
