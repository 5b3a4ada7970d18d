-- The namespace's own row: clock and virtual time. Read when a step begins, written when it ends.

-- name: findNamespace
-- 1 name
SELECT ns FROM namespaces WHERE name = ?1

-- name: addNamespace
-- 1 name
INSERT INTO namespaces (name) VALUES (?1) ON CONFLICT DO NOTHING

-- name: readNamespace
-- 1 ns
SELECT virtual_time, clock_ms, behind_at_ms,
  (SELECT next_at_ms FROM schedules WHERE schedules.ns = ?1 AND next_at_ms IS NOT NULL ORDER BY next_at_ms LIMIT 1)
FROM namespaces WHERE ns = ?1

-- name: writeNamespace
-- 1 ns, 2 virtual_time, 3 clock_ms, 4 behind_at_ms, 5 news to add
UPDATE namespaces SET virtual_time = ?2, clock_ms = ?3, behind_at_ms = ?4, news = news + ?5 WHERE ns = ?1

-- name: readNews
-- 1 ns
SELECT news FROM namespaces WHERE ns = ?1

-- name: takeSequence
-- 1 count; answers with the last number taken
UPDATE sequence SET last = last + ?1 RETURNING last
