-- Calls outside the queue.

-- name: loadCalls
-- 1 ns, 2 ids
SELECT id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM $s.calls
WHERE ns = $1 AND id = ANY ($2::text[])

-- name: writeCalls
-- 1 ns; of those that are there, 2 ids, 3 owners, 4 limits, 5 keys, 6 gates, 7 costs, 8 whether they are further ones, 9 seqs, 10 leases,
-- 11 granted at, 12 until; 13 ids of those that are gone
WITH gone AS (
  DELETE FROM $s.calls WHERE ns = $1 AND id = ANY ($13::text[])
)
INSERT INTO $s.calls (ns, id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms)
SELECT $1, id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms
FROM unnest(
  $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[], $9::bigint[], $10::bigint[], $11::bigint[],
  $12::bigint[]
) AS saved (id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms)
ON CONFLICT (ns, id) DO UPDATE SET owner = excluded.owner, limit_name = excluded.limit_name, key = excluded.key, gate = excluded.gate,
  cost = excluded.cost, is_further = excluded.is_further, seq = excluded.seq, lease_ms = excluded.lease_ms,
  granted_at_ms = excluded.granted_at_ms, until_ms = excluded.until_ms

-- name: waitingInLine
-- 1 gate, 2 after seq, 3 count
SELECT id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM $s.calls
WHERE gate = $1 AND granted_at_ms IS NULL AND seq > $2 ORDER BY seq LIMIT $3

-- name: waitingCalls
-- 1 gate; answers with how many wait there, and what they cost
SELECT count(*), coalesce(sum(cost), 0)::bigint FROM $s.calls WHERE gate = $1 AND granted_at_ms IS NULL

-- name: grantedCalls
-- 1 ns, 2 owner, 3 since
SELECT id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM $s.calls
WHERE ns = $1 AND owner = $2 AND granted_at_ms IS NOT NULL AND granted_at_ms >= $3 ORDER BY granted_at_ms, id

-- name: endedCalls
-- 1 ns, 2 now, 3 limit
SELECT id, owner, limit_name, key, gate, cost, is_further, seq, lease_ms, granted_at_ms, until_ms FROM $s.calls
WHERE ns = $1 AND until_ms <= $2 ORDER BY until_ms, id LIMIT $3

-- name: writeLines
-- 1 ns, 2 gates, 3 owners, 4 at; 5 gates where nobody waits any more
WITH gone AS (
  DELETE FROM $s.call_lines WHERE gate = ANY ($5::bigint[])
)
INSERT INTO $s.call_lines (gate, ns, owner, at_ms)
SELECT gate, $1, owner, at_ms FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS saved (gate, owner, at_ms)
ON CONFLICT (gate) DO UPDATE SET owner = excluded.owner, at_ms = excluded.at_ms

-- name: dueLines
-- 1 ns, 2 owner, 3 now, 4 limit
SELECT gate FROM $s.call_lines WHERE ns = $1 AND owner = $2 AND at_ms <= $3 ORDER BY at_ms, gate LIMIT $4

-- name: nextLine
-- 1 ns, 2 owner
SELECT at_ms FROM $s.call_lines WHERE ns = $1 AND owner = $2 ORDER BY at_ms LIMIT 1

-- name: readOwner
-- 1 ns, 2 owner, 3 now; answers with the number of the latest hold, when the earliest line is due, and whether any calls have ended
SELECT (SELECT number FROM $s.call_owners WHERE ns = $1 AND owner = $2),
  (SELECT at_ms FROM $s.call_lines WHERE ns = $1 AND owner = $2 ORDER BY at_ms LIMIT 1),
  EXISTS (SELECT 1 FROM $s.calls WHERE ns = $1 AND until_ms <= $3)

-- name: saveOwners
-- 1 ns, 2 owners, 3 numbers, 4 now
INSERT INTO $s.call_owners (ns, owner, number, seen_at_ms)
SELECT $1, owner, number, $4 FROM unnest($2::text[], $3::bigint[]) AS saved (owner, number)
ON CONFLICT (ns, owner) DO UPDATE SET number = excluded.number, seen_at_ms = excluded.seen_at_ms

-- name: forgetOwners
-- 1 ns, 2 seen at or before, 3 limit
DELETE FROM $s.call_owners WHERE ns = $1 AND owner IN (
  SELECT owner FROM $s.call_owners WHERE ns = $1 AND seen_at_ms <= $2 LIMIT $3
)
