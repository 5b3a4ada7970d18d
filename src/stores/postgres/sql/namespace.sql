-- The namespace's own row: clock and virtual time. Read when a step begins, written when it ends.

-- name: findNamespace
-- 1 name
SELECT ns FROM $s.namespaces WHERE name = $1

-- name: addNamespace
-- 1 name
INSERT INTO $s.namespaces (name) VALUES ($1) ON CONFLICT DO NOTHING

-- name: readNamespace
-- 1 ns
SELECT virtual_time, clock_ms, behind_at_ms, (SELECT max(at_ms) FROM $s.tallies WHERE tallies.ns = $1), (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  (SELECT next_at_ms FROM $s.schedules WHERE schedules.ns = $1 AND next_at_ms IS NOT NULL ORDER BY next_at_ms LIMIT 1)
FROM $s.namespaces WHERE ns = $1

-- name: lockNamespace
-- The row, and nobody else until the transaction ends. Answers as well with the transactions that have written the row last, and that will write
-- it now. It waits: whatever else it read would be as it was when it began to. 1 ns
SELECT virtual_time, clock_ms, behind_at_ms, writer::text, pg_current_xact_id()::xid::text
FROM (SELECT *, xmin AS writer FROM $s.namespaces WHERE ns = $1 FOR UPDATE) AS locked

-- name: readBesideLock
-- What else readNamespace answers, behind the lock: what was committed while that was waited for is seen. 1 ns
SELECT (SELECT max(at_ms) FROM $s.tallies WHERE tallies.ns = $1), (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  (SELECT next_at_ms FROM $s.schedules WHERE schedules.ns = $1 AND next_at_ms IS NOT NULL ORDER BY next_at_ms LIMIT 1)

-- name: writeNamespace
-- 1 ns, 2 virtual_time, 3 clock_ms, 4 behind_at_ms, 5 whether there is news, 6 the channel of those who listen
WITH written AS (
  UPDATE $s.namespaces SET virtual_time = $2, clock_ms = $3, behind_at_ms = $4, news = news + $5::boolean::integer WHERE ns = $1
)
SELECT CASE WHEN $5::boolean THEN pg_notify($6, '') END

-- name: notify
-- 1 the channel of those who listen
SELECT pg_notify($1, '')

-- name: readNews
-- Something else than before tells that there may be news. Steps without a lock leave it to the rows that they add to the tallies. 1 ns
SELECT news || ' ' || (SELECT count(*) || ' ' || coalesce(max(number), 0) FROM $s.tallies WHERE ns = $1) FROM $s.namespaces WHERE ns = $1

-- name: takeTaskNumbers
SELECT nextval('$q.task_numbers')

-- name: takeRowNumbers
SELECT nextval('$q.row_numbers')
