-- Calls outside the queue.

-- name: loadCalls
-- 1 ns, 2 JSON array of ids
SELECT $text(id), $text(owner), $text(limit_name), $text(key), gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM calls
WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: saveCall
-- 1 ns, 2 id, 3 owner, 4 limit, 5 key, 6 gate, 7 cost, 8 is further, 9 seq, 10 lease, 11 granted at, 12 until
INSERT INTO calls (ns, id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT DO UPDATE SET owner = ?3, limit_name = ?4, key = ?5, gate = ?6, cost = ?7, is_further = ?8, seq = ?9, lease_ms = ?10,
  granted_at_ms = ?11, until_ms = ?12

-- name: removeCalls
-- 1 ns, 2 JSON array of ids
DELETE FROM calls WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: renewCalls
-- 1 ns, 2 JSON array of ids, 3 until
UPDATE calls SET until_ms = ?3 WHERE ns = ?1 AND id IN (SELECT value FROM json_each(?2))

-- name: firstCallAt
-- 1 gate
SELECT $text(id), $text(owner), $text(limit_name), $text(key), gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM calls
WHERE gate = ?1 AND granted_at_ms IS NULL ORDER BY seq LIMIT 1

-- name: waitingCalls
-- 1 gate; answers with how many wait there, and what they cost
SELECT count(*), coalesce(sum(cost), 0) FROM calls WHERE gate = ?1 AND granted_at_ms IS NULL

-- name: grantedCalls
-- 1 ns, 2 owner, 3 since
SELECT $text(id), $text(owner), $text(limit_name), $text(key), gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM calls
WHERE ns = ?1 AND owner = ?2 AND granted_at_ms IS NOT NULL AND granted_at_ms >= ?3 ORDER BY granted_at_ms, id

-- name: endedCalls
-- 1 ns, 2 now, 3 limit
SELECT $text(id), $text(owner), $text(limit_name), $text(key), gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM calls
WHERE ns = ?1 AND until_ms <= ?2 ORDER BY until_ms, id LIMIT ?3

-- name: saveLine
-- 1 gate, 2 ns, 3 owner, 4 at
INSERT INTO call_lines (gate, ns, owner, at_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET owner = ?3, at_ms = ?4

-- name: dropLine
-- 1 gate
DELETE FROM call_lines WHERE gate = ?1

-- name: dueLines
-- 1 ns, 2 owner, 3 now, 4 limit
SELECT gate FROM call_lines WHERE ns = ?1 AND owner = ?2 AND at_ms <= ?3 ORDER BY at_ms, gate LIMIT ?4

-- name: nextLine
-- 1 ns, 2 owner
SELECT at_ms FROM call_lines WHERE ns = ?1 AND owner = ?2 ORDER BY at_ms LIMIT 1

-- name: hurryLines
-- 1 ns, 2 limit, 3 now
UPDATE call_lines SET at_ms = ?3 WHERE at_ms > ?3 AND gate IN (SELECT gate FROM gates WHERE ns = ?1 AND limit_name = ?2)

-- name: readOwner
-- 1 ns, 2 owner
SELECT number FROM call_owners WHERE ns = ?1 AND owner = ?2

-- name: saveOwner
-- 1 ns, 2 owner, 3 number, 4 now
INSERT INTO call_owners (ns, owner, number, seen_at_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET number = ?3, seen_at_ms = ?4

-- name: forgetOwners
-- 1 ns, 2 seen at or before, 3 limit
DELETE FROM call_owners WHERE ns = ?1 AND owner IN (
  SELECT owner FROM call_owners WHERE ns = ?1 AND seen_at_ms <= ?2 LIMIT ?3
)
