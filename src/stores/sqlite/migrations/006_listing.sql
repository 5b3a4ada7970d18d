-- The tasks of a namespace in their order. Without it a page of the newest is found by sorting all that there are.

CREATE INDEX tasks_in_order ON tasks (ns, seq);
