-- Limits and gates.

-- name: readLimit
-- 1 ns, 2 name
SELECT $text(record) FROM limits WHERE ns = ?1 AND name = ?2

-- name: limitNames
-- 1 ns
SELECT $text(name) FROM limits WHERE ns = ?1 ORDER BY name

-- name: saveLimit
-- 1 ns, 2 name, 3 record
INSERT INTO limits (ns, name, record) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET record = ?3

-- name: readType
-- 1 ns, 2 type
SELECT $text(limits) FROM types WHERE ns = ?1 AND type = ?2

-- name: saveType
-- 1 ns, 2 type, 3 JSON array of limits
INSERT INTO types (ns, type, limits) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET limits = ?3

-- name: logChange
-- 1 ns, 2 at, 3 limit, 4 key, 5 change, 6 by
INSERT INTO limit_changes (ns, at_ms, limit_name, key, change, changed_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)

-- name: readChanges
-- 1 ns, 2 limit or NULL, 3 before number, 4 count
SELECT number, at_ms, $text(limit_name), $text(key), $text(change), $text(changed_by) FROM limit_changes
WHERE ns = ?1 AND number < ?3 AND (?2 IS NULL OR limit_name = ?2)
ORDER BY number DESC LIMIT ?4

-- name: trimChanges
-- 1 how many to keep
DELETE FROM limit_changes WHERE number <= (SELECT max(number) FROM limit_changes) - ?1

-- name: readGate
-- 1 ns, 2 limit, 3 key
SELECT gate, $text(limit_name), $text(key), $text(state), EXISTS (SELECT 1 FROM dues WHERE dues.gate = gates.gate), EXISTS (SELECT 1 FROM call_lines WHERE call_lines.gate = gates.gate) FROM gates WHERE ns = ?1 AND limit_name = ?2 AND key = ?3

-- name: readGateByNumber
-- 1 gate
SELECT gate, $text(limit_name), $text(key), $text(state), EXISTS (SELECT 1 FROM dues WHERE dues.gate = gates.gate), EXISTS (SELECT 1 FROM call_lines WHERE call_lines.gate = gates.gate) FROM gates WHERE gate = ?1

-- name: gatesOf
-- 1 ns, 2 limit, 3 after key, 4 count
SELECT gate, $text(limit_name), $text(key), $text(state), EXISTS (SELECT 1 FROM dues WHERE dues.gate = gates.gate), EXISTS (SELECT 1 FROM call_lines WHERE call_lines.gate = gates.gate) FROM gates
WHERE ns = ?1 AND limit_name = ?2 AND (?3 IS NULL OR key > ?3)
ORDER BY key LIMIT ?4

-- name: countGates
-- 1 ns, 2 limit; answers with how many there are and how many tasks wait at them
SELECT count(*), (SELECT coalesce(sum(demand.tasks), 0) FROM demand JOIN gates AS g USING (gate) WHERE g.ns = ?1 AND g.limit_name = ?2)
FROM gates WHERE ns = ?1 AND limit_name = ?2

-- name: addGate
-- 1 ns, 2 limit, 3 key, 4 state, 5 now
INSERT INTO gates (ns, limit_name, key, state, touched_at_ms) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING gate

-- name: saveGate
-- 1 gate, 2 state, 3 now
UPDATE gates SET state = ?2, touched_at_ms = ?3 WHERE gate = ?1

-- name: removeGates
-- 1 JSON array of gates
DELETE FROM gates WHERE gate IN (SELECT value FROM json_each(?1))

-- name: idleGates
-- 1 ns, 2 touched at or before, 3 limit
SELECT gate, $text(limit_name), $text(key), $text(state), EXISTS (SELECT 1 FROM dues WHERE dues.gate = gates.gate), EXISTS (SELECT 1 FROM call_lines WHERE call_lines.gate = gates.gate) FROM gates
WHERE ns = ?1 AND touched_at_ms <= ?2
  AND NOT EXISTS (SELECT 1 FROM dues WHERE dues.gate = gates.gate)
  AND NOT EXISTS (SELECT 1 FROM demand WHERE demand.gate = gates.gate)
  AND NOT EXISTS (SELECT 1 FROM call_lines WHERE call_lines.gate = gates.gate)
ORDER BY touched_at_ms, gate LIMIT ?3

-- name: addDemand
-- 1 gate, 2 type, 3 flow, 4 priority, 5 more tasks, 6 more cost; answers with how many there are
INSERT INTO demand (gate, type, flow, priority, tasks, cost) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT DO UPDATE SET tasks = tasks + ?5, cost = cost + ?6
RETURNING tasks

-- name: dropDemand
-- 1 gate, 2 type, 3 flow, 4 priority
DELETE FROM demand WHERE gate = ?1 AND type = ?2 AND flow = ?3 AND priority = ?4

-- name: demandOfFlow
-- 1 gate, 2 priority, 3 type, 4 flow
SELECT coalesce(sum(tasks), 0), coalesce(sum(cost), 0), count(*) > 0 FROM demand
WHERE gate = ?1 AND type = ?3 AND flow = ?4 AND priority >= ?2

-- name: demandOfAll
-- 1 gate, 2 priority
SELECT coalesce(sum(tasks), 0), coalesce(sum(cost), 0), count(DISTINCT type || char(0) || flow) FROM demand
WHERE gate = ?1 AND priority >= ?2

-- name: readDue
-- 1 gate, 2 type
SELECT at_ms FROM dues WHERE gate = ?1 AND type = ?2

-- name: typesAt
-- 1 gate
SELECT $text(type) FROM dues WHERE gate = ?1

-- name: saveDue
-- 1 gate, 2 type, 3 ns, 4 at
INSERT INTO dues (gate, type, ns, at_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET at_ms = ?4

-- name: dropDue
-- 1 gate, 2 type
DELETE FROM dues WHERE gate = ?1 AND type = ?2

-- name: hurry
-- 1 ns, 2 limit, 3 now
UPDATE dues SET at_ms = ?3 WHERE at_ms > ?3 AND gate IN (SELECT gate FROM gates WHERE ns = ?1 AND limit_name = ?2)

-- name: dueGates
-- 1 ns, 2 type, 3 now, 4 limit
SELECT gate, at_ms FROM dues WHERE ns = ?1 AND type = ?2 AND at_ms <= ?3 ORDER BY at_ms, gate LIMIT ?4

-- name: nextOpening
-- 1 ns, 2 type
SELECT gate, at_ms FROM dues WHERE ns = ?1 AND type = ?2 ORDER BY at_ms, gate LIMIT 1

-- name: addForecastErrors
-- 1 ns, 2 type, 3 bucket, 4 count
INSERT INTO forecast_errors (ns, type, bucket, count) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET count = count + ?4

-- name: forecastErrors
-- 1 ns
SELECT $text(type), bucket, count FROM forecast_errors WHERE ns = ?1 ORDER BY type, bucket
