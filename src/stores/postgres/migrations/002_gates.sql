-- Limits and gates. Names and keys are ordered by code point, as everywhere in Sluice, whatever the database's own order is.
--
-- Documents that are compared with what code says are json, not jsonb: that keeps them as they were written, the order of their fields
-- included, and by that order it is told whether two of them are the same.

CREATE TABLE $s.limits (
  ns     integer NOT NULL,
  name   text COLLATE "C" NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (ns, name)
);
COMMENT ON TABLE $s.limits IS 'What processes declare and people set: one record a limit.';

CREATE TABLE $s.types (
  ns     integer NOT NULL,
  type   text COLLATE "C" NOT NULL,
  limits json NOT NULL,
  PRIMARY KEY (ns, type)
);
COMMENT ON TABLE $s.types IS 'The limits that tasks of a type may pass, as an array of names.';

CREATE TABLE $s.limit_changes (
  ns         integer NOT NULL,
  number     bigint NOT NULL,
  at_ms      bigint NOT NULL,
  limit_name text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  change     json NOT NULL,
  changed_by text NOT NULL,
  PRIMARY KEY (ns, number)
);
COMMENT ON TABLE $s.limit_changes IS 'Who has changed which limit, and how: the latest 10,000 of a namespace.';
COMMENT ON COLUMN $s.limit_changes.key IS 'Empty: the limit as a whole.';

-- Rows are rewritten in place (HOT) as long as nothing that is indexed changes and the page has room: that is why the time of the
-- last write is indexed by its minute, and why pages are not filled.
CREATE TABLE $s.gates (
  gate                    bigint PRIMARY KEY,
  ns                      integer NOT NULL,
  limit_name              text COLLATE "C" NOT NULL,
  key                     text COLLATE "C" NOT NULL,
  state                   jsonb NOT NULL,
  touched_at_ms           bigint NOT NULL,
  touched_minute          bigint GENERATED ALWAYS AS (touched_at_ms / 60000) STORED,
  adaptive_delay_ms       double precision,
  adaptive_delay_floor_ms double precision,
  success_streak          bigint,
  error_streak            bigint,
  next_available_at_ms    bigint,
  last_success_at_ms      bigint,
  in_flight               integer NOT NULL DEFAULT 0,
  UNIQUE (ns, limit_name, key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX gates_touched ON $s.gates (ns, touched_minute);
COMMENT ON TABLE $s.gates IS 'One limit for one key, with its live state. The columns after touched_minute say the same as the state, for people: nothing reads them.';
COMMENT ON COLUMN $s.gates.adaptive_delay_ms IS 'The learned distance between two starts; 0: none yet. This and the next five: NULL where the gate learns nothing.';
COMMENT ON COLUMN $s.gates.adaptive_delay_floor_ms IS 'The least distance that is known to be safe; 0: none is.';
COMMENT ON COLUMN $s.gates.success_streak IS 'Answers in a row that were served.';
COMMENT ON COLUMN $s.gates.error_streak IS 'Refusals in a row.';
COMMENT ON COLUMN $s.gates.next_available_at_ms IS 'When the next may pass, as of touched_at_ms; NULL: then.';
COMMENT ON COLUMN $s.gates.in_flight IS 'How many held it at touched_at_ms; 0 where its limit has no slots.';

CREATE TABLE $s.dues (
  gate  bigint NOT NULL,
  type  text COLLATE "C" NOT NULL,
  ns    integer NOT NULL,
  at_ms bigint NOT NULL,
  PRIMARY KEY (gate, type)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX dues_by_time ON $s.dues (ns, type, at_ms, gate);
COMMENT ON TABLE $s.dues IS 'When the first of a type who waits at a gate may pass it: one row while somebody waits.';

CREATE TABLE $s.demand (
  gate     bigint NOT NULL,
  type     text COLLATE "C" NOT NULL,
  flow     text COLLATE "C" NOT NULL,
  priority bigint NOT NULL,
  tasks    bigint NOT NULL,
  cost     bigint NOT NULL,
  PRIMARY KEY (gate, type, flow, priority)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE $s.demand IS 'What stands in lanes that pass a gate, ready or not. Changed in the step that changes membership.';

CREATE TABLE $s.forecast_errors (
  ns     integer NOT NULL,
  type   text COLLATE "C" NOT NULL,
  bucket integer NOT NULL,
  count  bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX forecast_errors_ns ON $s.forecast_errors (ns);
COMMENT ON TABLE $s.forecast_errors IS 'How far forecasts at submission were from the true start: bucket b counts errors below 2^b ms. The count is the sum of the rows, as in tallies.';

-- Times beyond the year 9999 are shown as its end: "never" is such a time.
CREATE VIEW $s.holders AS
SELECT gates.ns, gates.limit_name, gates.key, holder ->> 'id' AS holder, (holder ->> 'fence')::bigint AS fence,
  (holder ->> 'slots')::bigint AS cost, to_timestamp(least((holder ->> 'untilUs')::numeric / 1000000, 253402300799)::double precision) AS until
FROM $s.gates AS gates, jsonb_array_elements(gates.state -> 'holders') AS holder;
COMMENT ON VIEW $s.holders IS 'Who holds a slot of which gate: one row for each lease of a task or a call. One whose "until" is over holds nothing any more, and goes with the next that passes.';
COMMENT ON COLUMN $s.holders.holder IS 'The id of the task or call.';
COMMENT ON COLUMN $s.holders.cost IS 'How many slots it takes.';

CREATE VIEW $s.gate_report AS
SELECT gates.ns, gates.limit_name, gates.key, gates.in_flight,
  coalesce((SELECT sum(demand.tasks) FROM $s.demand AS demand WHERE demand.gate = gates.gate), 0)::bigint AS waiting_tasks,
  coalesce((SELECT sum(demand.cost) FROM $s.demand AS demand WHERE demand.gate = gates.gate), 0)::bigint AS waiting_cost,
  (SELECT to_timestamp(least(dues.at_ms / 1000.0, 253402300799)::double precision) FROM $s.dues AS dues WHERE dues.gate = gates.gate
   ORDER BY dues.at_ms LIMIT 1) AS next_opening_at,
  CASE WHEN (gates.state ->> 'closedUntilUs')::numeric > 0
    THEN to_timestamp(least((gates.state ->> 'closedUntilUs')::numeric / 1000000, 253402300799)::double precision) END AS closed_until,
  coalesce((gates.state ->> 'refusals')::bigint, 0) AS refusals,
  gates.adaptive_delay_ms, gates.adaptive_delay_floor_ms, gates.success_streak, gates.error_streak,
  to_timestamp(gates.last_success_at_ms / 1000.0) AS last_success_at,
  to_timestamp(gates.touched_at_ms / 1000.0) AS touched_at
FROM $s.gates AS gates;
COMMENT ON VIEW $s.gate_report IS 'Each gate with what waits there and what it has learned.';
COMMENT ON COLUMN $s.gate_report.waiting_tasks IS 'In lanes that pass the gate, whether it is this gate or another that holds them.';
COMMENT ON COLUMN $s.gate_report.next_opening_at IS 'When the first who waits at this gate may pass; NULL: nobody does.';
COMMENT ON COLUMN $s.gate_report.closed_until IS 'Cooling down because the other side said so; what is over by now says nothing. Closings by hand are in limits.';
COMMENT ON COLUMN $s.gate_report.refusals IS 'How often the other side has said "too fast".';

CREATE VIEW $s.limit_report AS
SELECT limits.ns, limits.name AS limit_name, count(gates.limit_name) AS gates, coalesce(sum(gates.in_flight), 0)::bigint AS in_flight,
  coalesce(sum(gates.waiting_tasks), 0)::bigint AS waiting_tasks, coalesce(sum(gates.waiting_cost), 0)::bigint AS waiting_cost,
  min(gates.next_opening_at) AS next_opening_at, coalesce(sum(gates.refusals), 0)::bigint AS refusals,
  max(gates.adaptive_delay_ms) AS longest_adaptive_delay_ms, max(gates.touched_at) AS touched_at
FROM $s.limits AS limits LEFT JOIN $s.gate_report AS gates ON gates.ns = limits.ns AND gates.limit_name = limits.name
GROUP BY limits.ns, limits.name;
COMMENT ON VIEW $s.limit_report IS 'Each limit with all of its gates taken together. Reads every gate: for dashboards, not for every second.';
