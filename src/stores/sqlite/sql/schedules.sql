-- Schedules.

-- name: readSchedule
-- 1 ns, 2 name
SELECT $text(name), $text(record), next_at_ms FROM schedules WHERE ns = ?1 AND name = ?2

-- name: pageSchedules
-- 1 ns, 2 after name, 3 count
SELECT $text(name), $text(record), next_at_ms FROM schedules WHERE ns = ?1 AND name > ?2 ORDER BY name LIMIT ?3

-- name: dueSchedules
-- 1 ns, 2 now, 3 count
SELECT $text(name), $text(record), next_at_ms FROM schedules WHERE ns = ?1 AND next_at_ms <= ?2 ORDER BY next_at_ms, name LIMIT ?3

-- name: upcomingSchedule
-- 1 ns, 2 now
SELECT next_at_ms FROM schedules WHERE ns = ?1 AND next_at_ms > ?2 ORDER BY next_at_ms LIMIT 1

-- name: readStanding
-- 1 ns, 2 name
SELECT next_at_ms FROM schedules WHERE ns = ?1 AND name = ?2

-- name: saveSchedule
-- 1 ns, 2 name, 3 record, 4 next_at_ms
INSERT INTO schedules (ns, name, record, next_at_ms) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (ns, name) DO UPDATE SET record = ?3, next_at_ms = ?4

-- name: removeSchedule
-- 1 ns, 2 name
DELETE FROM schedules WHERE ns = ?1 AND name = ?2
