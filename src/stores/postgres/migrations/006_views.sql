-- For people and dashboards: what the tables say, with names for namespaces and times that can be read.

CREATE VIEW $s.task_report AS
SELECT namespaces.name AS namespace, tasks.id, tasks.type, tasks.status, tasks.priority, tasks.job_id, tasks.tags, tasks.attempt,
  tasks.retry_count, tasks.max_retries, tasks.reschedule_count, tasks.throttle_count, tasks.worker_id, tasks.last_error, tasks.last_outcome,
  tasks.input, tasks.output, tasks.progress, tasks.gates,
  to_timestamp(tasks.created_at_ms / 1000.0) AS created_at, to_timestamp(tasks.available_at_ms / 1000.0) AS available_at,
  to_timestamp(tasks.started_at_ms / 1000.0) AS started_at, to_timestamp(tasks.finished_at_ms / 1000.0) AS finished_at,
  to_timestamp(tasks.expires_at_ms / 1000.0) AS expires_at, to_timestamp(tasks.lease_expires_at_ms / 1000.0) AS lease_expires_at,
  to_timestamp(tasks.forecast_at_ms / 1000.0) AS forecast_at
FROM $s.tasks AS tasks JOIN $s.namespaces AS namespaces USING (ns);
COMMENT ON VIEW $s.task_report IS 'Each task, with times as timestamps. Ask for few: by id and namespace, or the latest by seq in tasks.';

CREATE VIEW $s.count_report AS
SELECT namespaces.name AS namespace, tallies.type, tallies.status, sum(tallies.count)::bigint AS tasks
FROM $s.tallies AS tallies JOIN $s.namespaces AS namespaces USING (ns)
GROUP BY namespaces.name, tallies.type, tallies.status HAVING sum(tallies.count) <> 0;
COMMENT ON VIEW $s.count_report IS 'How many tasks there are, by type and status. Costs the same however many there are.';

CREATE VIEW $s.worker_report AS
SELECT namespaces.name AS namespace, workers.worker_id, workers.types, to_timestamp(workers.seen_at_ms / 1000.0) AS seen_at
FROM $s.workers AS workers JOIN $s.namespaces AS namespaces USING (ns);
COMMENT ON VIEW $s.worker_report IS 'Who works, and when it was last heard of.';
