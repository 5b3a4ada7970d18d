-- Limits and gates. What stands in memory as a list is one array a column; documents are one JSON array.

-- name: readLimits
-- 1 ns, 2 names
SELECT name, record FROM $s.limits WHERE ns = $1 AND name = ANY ($2::text[])

-- name: readLimitsOfTypes
-- 1 ns, 2 types
SELECT limits.name, limits.record FROM (
  SELECT DISTINCT name FROM $s.types CROSS JOIN LATERAL json_array_elements_text(
    CASE WHEN json_typeof(types.limits) = 'array' THEN types.limits ELSE '[]' END
  ) AS name
  WHERE types.ns = $1 AND types.type = ANY ($2::text[])
) AS asked CROSS JOIN LATERAL (SELECT * FROM $s.limits AS one WHERE one.ns = $1 AND one.name = asked.name LIMIT 1) AS limits

-- name: allLimits
-- 1 ns
SELECT name, record FROM $s.limits WHERE ns = $1 ORDER BY name

-- name: saveLimits
-- 1 ns, 2 names, 3 JSON array of records
INSERT INTO $s.limits (ns, name, record)
SELECT $1, name, record FROM ROWS FROM (unnest($2::text[]), json_array_elements($3::json)) AS saved (name, record)
ON CONFLICT (ns, name) DO UPDATE SET record = excluded.record

-- name: readTypes
-- 1 ns, 2 types
SELECT type, limits FROM $s.types WHERE ns = $1 AND type = ANY ($2::text[])

-- name: saveTypes
-- 1 ns, 2 types, 3 JSON array of arrays of limits
INSERT INTO $s.types (ns, type, limits)
SELECT $1, type, limits FROM ROWS FROM (unnest($2::text[]), json_array_elements($3::json)) AS saved (type, limits)
ON CONFLICT (ns, type) DO UPDATE SET limits = excluded.limits

-- name: logChanges
-- Numbers go on from the namespace's last, which its lock makes safe; what is older than the last so many goes.
-- 1 ns, 2 at, 3 limits, 4 keys, 5 JSON array of changes, 6 by, 7 how many to keep
WITH last AS (
  SELECT coalesce(max(number), 0) AS number FROM $s.limit_changes WHERE ns = $1
), old AS (
  DELETE FROM $s.limit_changes AS logged USING last
  WHERE logged.ns = $1 AND logged.number <= last.number + cardinality($2::bigint[]) - $7::bigint
)
INSERT INTO $s.limit_changes (ns, number, at_ms, limit_name, key, change, changed_by)
SELECT $1, last.number + told.n, told.at_ms, told.limit_name, told.key, told.change, told.changed_by
FROM last, ROWS FROM (
  unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), json_array_elements($5::json), unnest($6::text[])
) WITH ORDINALITY AS told (at_ms, limit_name, key, change, changed_by, n)

-- name: readChanges
-- 1 ns, 2 limit or NULL, 3 before number, 4 count
SELECT number, at_ms, limit_name, key, change, changed_by FROM $s.limit_changes
WHERE ns = $1 AND number < $3 AND ($2::text IS NULL OR limit_name = $2)
ORDER BY number DESC LIMIT $4

-- name: readGates
-- With all that is known of each: its dues as an object type -> at_ms, and whether calls wait there.
-- 1 ns, 2 limits, 3 keys
SELECT gates.gate, gates.limit_name, gates.key, gates.state,
  (SELECT json_object_agg(dues.type, dues.at_ms) FROM $s.dues AS dues WHERE dues.gate = gates.gate),
  EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = gates.gate)
FROM unnest($2::text[], $3::text[]) AS asked (limit_name, key) CROSS JOIN LATERAL (
  SELECT * FROM $s.gates AS one WHERE one.ns = $1 AND one.limit_name = asked.limit_name AND one.key = asked.key LIMIT 1
) AS gates

-- name: readGatesOfTasks
-- As readGates, of all that these tasks pass. 1 ns, 2 ids
SELECT gates.gate, gates.limit_name, gates.key, gates.state,
  (SELECT json_object_agg(dues.type, dues.at_ms) FROM $s.dues AS dues WHERE dues.gate = gates.gate),
  EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = gates.gate)
FROM (
  SELECT DISTINCT ref ->> 'limit' AS limit_name, ref ->> 'key' AS key
  FROM unnest($2::text[]) AS asked (id) CROSS JOIN LATERAL (
    SELECT CASE WHEN jsonb_typeof(tasks.gates) = 'array' THEN tasks.gates ELSE '[]' END AS refs FROM $s.tasks
    WHERE tasks.ns = $1 AND tasks.id = asked.id LIMIT 1
  ) AS task CROSS JOIN LATERAL jsonb_array_elements(task.refs) AS ref
) AS asked CROSS JOIN LATERAL (
  SELECT * FROM $s.gates AS one WHERE one.ns = $1 AND one.limit_name = asked.limit_name AND one.key = asked.key LIMIT 1
) AS gates

-- name: readGatesOfLanes
-- The same, of all that the first lanes pass that are ready. 1 ns, 2 type, 3 flow, 4 lanes
SELECT gates.gate, gates.limit_name, gates.key, gates.state,
  (SELECT json_object_agg(dues.type, dues.at_ms) FROM $s.dues AS dues WHERE dues.gate = gates.gate),
  EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = gates.gate)
FROM (
  SELECT DISTINCT ref ->> 0 AS limit_name, ref ->> 1 AS key FROM (
    SELECT lanes.gates FROM $s.lanes WHERE ns = $1 AND type = $2 AND gate = 0 AND flow = $3 AND head_seq IS NOT NULL
    ORDER BY head_priority DESC, head_ready_at_ms, head_seq LIMIT $4
  ) AS standing CROSS JOIN LATERAL json_array_elements(standing.gates::json) AS ref
) AS asked CROSS JOIN LATERAL (
  SELECT * FROM $s.gates AS one WHERE one.ns = $1 AND one.limit_name = asked.limit_name AND one.key = asked.key LIMIT 1
) AS gates

-- name: readGatesByNumber
-- Numbers that are nobody's come without a name. 1 ns, 2 gates
SELECT asked.gate, gates.limit_name, gates.key, gates.state,
  (SELECT json_object_agg(dues.type, dues.at_ms) FROM $s.dues AS dues WHERE dues.gate = asked.gate),
  EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = asked.gate)
FROM unnest($2::bigint[]) AS asked (gate)
LEFT JOIN $s.gates AS gates ON gates.gate = asked.gate AND gates.ns = $1

-- name: gatesOf
-- 1 ns, 2 limit, 3 after key or NULL, 4 count
SELECT gates.gate, gates.limit_name, gates.key, gates.state,
  (SELECT json_object_agg(dues.type, dues.at_ms) FROM $s.dues AS dues WHERE dues.gate = gates.gate),
  EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = gates.gate)
FROM $s.gates AS gates
WHERE gates.ns = $1 AND gates.limit_name = $2 AND ($3::text IS NULL OR gates.key > $3)
ORDER BY gates.key LIMIT $4

-- name: countGates
-- 1 ns, 2 limits; answers with how many gates each has and how many tasks wait at them
SELECT asked.name,
  (SELECT count(*) FROM $s.gates AS gates WHERE gates.ns = $1 AND gates.limit_name = asked.name),
  (SELECT coalesce(sum(demand.tasks), 0)::bigint FROM $s.gates AS gates JOIN $s.demand AS demand USING (gate)
   WHERE gates.ns = $1 AND gates.limit_name = asked.name)
FROM unnest($2::text[]) AS asked (name)

-- name: writeGates
-- 1 ns, 2 now, 3 gates, 4 whether each is new, 5 limits and 6 keys of new ones, 7 JSON array of states, 8 delays, 9 floors, 10 success
-- streaks, 11 error streaks, 12 next available at, 13 last success at, 14 in flight
WITH told AS MATERIALIZED (
  SELECT * FROM ROWS FROM (
    unnest($3::bigint[]), unnest($4::boolean[]), unnest($5::text[]), unnest($6::text[]), jsonb_array_elements($7::jsonb),
    unnest($8::double precision[]), unnest($9::double precision[]), unnest($10::bigint[]), unnest($11::bigint[]),
    unnest($12::bigint[]), unnest($13::bigint[]), unnest($14::integer[])
  ) AS told (
    gate, is_new, limit_name, key, state, adaptive_delay_ms, adaptive_delay_floor_ms, success_streak, error_streak,
    next_available_at_ms, last_success_at_ms, in_flight
  )
), added AS (
  INSERT INTO $s.gates (
    gate, ns, limit_name, key, state, touched_at_ms, adaptive_delay_ms, adaptive_delay_floor_ms, success_streak, error_streak,
    next_available_at_ms, last_success_at_ms, in_flight
  )
  SELECT gate, $1, limit_name, key, state, $2, adaptive_delay_ms, adaptive_delay_floor_ms, success_streak, error_streak,
    next_available_at_ms, last_success_at_ms, in_flight
  FROM told WHERE is_new
)
UPDATE $s.gates AS gates
SET state = told.state, touched_at_ms = $2, adaptive_delay_ms = told.adaptive_delay_ms,
  adaptive_delay_floor_ms = told.adaptive_delay_floor_ms, success_streak = told.success_streak, error_streak = told.error_streak,
  next_available_at_ms = told.next_available_at_ms, last_success_at_ms = told.last_success_at_ms, in_flight = told.in_flight
FROM told WHERE gates.gate = told.gate AND NOT told.is_new

-- name: saveGates
-- Those that are there and learn nothing. 1 now, 2 gates, 3 their states as JSON, one a line, 4 in flight
UPDATE $s.gates AS gates
SET state = told.state::jsonb, touched_at_ms = $1, adaptive_delay_ms = NULL, adaptive_delay_floor_ms = NULL, success_streak = NULL,
  error_streak = NULL, next_available_at_ms = NULL, last_success_at_ms = NULL, in_flight = told.in_flight
FROM unnest($2::bigint[], string_to_array($3, chr(10)), $4::integer[]) AS told (gate, state, in_flight)
WHERE gates.gate = told.gate

-- name: removeGates
-- 1 ns, 2 gates
DELETE FROM $s.gates WHERE ns = $1 AND gate = ANY ($2::bigint[])

-- name: idleGates
-- By minutes first, which the index has. 1 ns, 2 touched at or before, 3 limit
SELECT gates.gate, gates.limit_name, gates.key, gates.state, NULL::json, false FROM $s.gates AS gates
WHERE gates.ns = $1 AND gates.touched_minute <= $2::bigint / 60000 AND gates.touched_at_ms <= $2
  AND NOT EXISTS (SELECT 1 FROM $s.dues AS dues WHERE dues.gate = gates.gate)
  AND NOT EXISTS (SELECT 1 FROM $s.demand AS demand WHERE demand.gate = gates.gate)
  AND NOT EXISTS (SELECT 1 FROM $s.call_lines AS lines WHERE lines.gate = gates.gate)
ORDER BY gates.touched_minute, gates.touched_at_ms, gates.gate LIMIT $3

-- name: addDemand
-- 1 gates, 2 types, 3 flows, 4 priorities, 5 more tasks, 6 more cost
INSERT INTO $s.demand AS demand (gate, type, flow, priority, tasks, cost)
SELECT gate, type, flow, priority, tasks, cost
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS more (gate, type, flow, priority, tasks, cost)
ON CONFLICT (gate, type, flow, priority) DO UPDATE SET tasks = demand.tasks + excluded.tasks, cost = demand.cost + excluded.cost

-- name: lessenDemand
-- What comes to nothing goes. 1 gates, 2 types, 3 flows, 4 priorities, 5 more tasks, which are less, or as many at another cost, 6 more cost
WITH more AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
    AS more (gate, type, flow, priority, tasks, cost)
), gone AS (
  DELETE FROM $s.demand AS demand USING more
  WHERE demand.gate = more.gate AND demand.type = more.type AND demand.flow = more.flow AND demand.priority = more.priority
    AND demand.tasks + more.tasks = 0
)
UPDATE $s.demand AS demand SET tasks = demand.tasks + more.tasks, cost = demand.cost + more.cost
FROM more
WHERE demand.gate = more.gate AND demand.type = more.type AND demand.flow = more.flow AND demand.priority = more.priority
  AND demand.tasks + more.tasks <> 0

-- name: readDemand
-- 1 gates
SELECT gate, type, flow, priority, tasks, cost FROM $s.demand WHERE gate = ANY ($1::bigint[])

-- name: writeDues
-- 1 ns, 2 gates, 3 types, 4 at; 5 gates and 6 types where nobody waits any more
WITH gone AS (
  DELETE FROM $s.dues AS dues USING unnest($5::bigint[], $6::text[]) AS gone (gate, type)
  WHERE dues.gate = gone.gate AND dues.type = gone.type
)
INSERT INTO $s.dues (gate, type, ns, at_ms)
SELECT gate, type, $1, at_ms FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS saved (gate, type, at_ms)
ON CONFLICT (gate, type) DO UPDATE SET at_ms = excluded.at_ms

-- name: hurry
-- Both those of tasks and the lines of calls. 1 ns, 2 limit, 3 now
WITH lines AS (
  UPDATE $s.call_lines SET at_ms = $3
  WHERE at_ms > $3 AND gate IN (SELECT gates.gate FROM $s.gates AS gates WHERE gates.ns = $1 AND gates.limit_name = $2)
)
UPDATE $s.dues SET at_ms = $3
WHERE at_ms > $3 AND gate IN (SELECT gates.gate FROM $s.gates AS gates WHERE gates.ns = $1 AND gates.limit_name = $2)

-- name: firstDues
-- 1 ns, 2 types, 3 how many of each; in order of their time
SELECT asked.type, first.gate, first.at_ms FROM unnest($2::text[]) AS asked (type)
CROSS JOIN LATERAL (
  SELECT dues.gate, dues.at_ms FROM $s.dues AS dues WHERE dues.ns = $1 AND dues.type = asked.type ORDER BY dues.at_ms, dues.gate LIMIT $3
) AS first
ORDER BY first.at_ms, first.gate

-- name: addForecastErrors
-- Rows of its own, as with tallies. 1 ns, 2 types, 3 buckets, 4 counts
INSERT INTO $s.forecast_errors (ns, type, bucket, count)
SELECT $1, type, bucket, count FROM unnest($2::text[], $3::integer[], $4::bigint[]) AS more (type, bucket, count)

-- name: forecastErrors
-- 1 ns
SELECT type, bucket, sum(count)::bigint FROM $s.forecast_errors WHERE ns = $1 GROUP BY type, bucket ORDER BY type, bucket
