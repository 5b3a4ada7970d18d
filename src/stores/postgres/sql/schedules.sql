-- Schedules.

-- name: readSchedules
-- 1 ns, 2 names
SELECT name, record, next_at_ms FROM $s.schedules WHERE ns = $1 AND name = ANY ($2::text[])

-- name: pageSchedules
-- 1 ns, 2 after name, 3 count
SELECT name, record, next_at_ms FROM $s.schedules WHERE ns = $1 AND name > $2 ORDER BY name LIMIT $3

-- name: dueSchedules
-- 1 ns, 2 now, 3 count
SELECT name, record, next_at_ms FROM $s.schedules WHERE ns = $1 AND next_at_ms <= $2 ORDER BY next_at_ms, name LIMIT $3

-- name: upcomingSchedule
-- 1 ns, 2 now
SELECT next_at_ms FROM $s.schedules WHERE ns = $1 AND next_at_ms > $2 ORDER BY next_at_ms LIMIT 1

-- name: saveSchedules
-- 1 ns, 2 names, 3 JSON array of records, 4 next_at_ms
INSERT INTO $s.schedules (ns, name, record, next_at_ms)
SELECT $1, name, record, next_at_ms
FROM ROWS FROM (unnest($2::text[]), json_array_elements($3::json), unnest($4::bigint[])) AS saved (name, record, next_at_ms)
ON CONFLICT (ns, name) DO UPDATE SET record = excluded.record, next_at_ms = excluded.next_at_ms

-- name: removeSchedules
-- 1 ns, 2 names
DELETE FROM $s.schedules WHERE ns = $1 AND name = ANY ($2::text[])
