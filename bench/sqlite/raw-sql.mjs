// The raw writers' statements, on Sluice's own schema. What is the same for all rows stands in the text, so that no time goes
// into binding it.

const insertInto = `INSERT INTO tasks (seq, id, input, ns, type, status, priority, lane, created_at_ms, updated_at_ms, available_at_ms,
  ready_at_ms, max_retries, timeout_ms, version, history)`

const setClaimed = `UPDATE tasks SET status = 'running', lane = NULL, worker_id = ?2, claim_number = ?3, lease_expires_at_ms = ?4,
  started_at_ms = ?5, updated_at_ms = ?5, fence = fence + 1, attempt = attempt + 1, version = version + 1, history = history || ?6`

const setCompleted = `UPDATE tasks SET status = 'completed', worker_id = NULL, claim_number = NULL, lease_expires_at_ms = NULL,
  completed_at_ms = ?2, updated_at_ms = ?2, finished_at_ms = ?2, version = version + 1, last_outcome = 'completed', history = history || ?3`

export function prepareByRow(database) {
  const insert = database.prepare(`${insertInto} VALUES (?1, ?2, ?3, 1, ?4, 'pending', 0, ?5, ?6, ?6, ?6, ?6, 3, 300000, 1, ?7)`)
  const claim = database.prepare(`${setClaimed} WHERE seq = ?1`)
  const complete = database.prepare(`${setCompleted} WHERE seq = ?1`)
  return {
    insert(rows, type, lane, nowMs, history) {
      for (const [seq, id, input] of rows) insert.run(seq, id, input, type, lane, nowMs, history)
    },
    claim(seqs, workerId, claimNumber, leaseExpiresAtMs, nowMs, history) {
      for (const seq of seqs) claim.run(seq, workerId, claimNumber, leaseExpiresAtMs, nowMs, history)
    },
    complete(seqs, nowMs, history) {
      for (const seq of seqs) complete.run(seq, nowMs, history)
    },
  }
}

export function prepareByBatch(database) {
  const insert = database.prepare(
    `${insertInto} SELECT value ->> 0, value ->> 1, value ->> 2, 1, ?2, 'pending', 0, ?3, ?4, ?4, ?4, ?4, 3, 300000, 1, ?5 FROM json_each(?1)`,
  )
  const among = "WHERE seq IN (SELECT value FROM json_each(?1))"
  const claim = database.prepare(`${setClaimed} ${among}`)
  const complete = database.prepare(`${setCompleted} ${among}`)
  return {
    insert: (rows, ...values) => insert.run(JSON.stringify(rows), ...values),
    claim: (seqs, ...values) => claim.run(JSON.stringify(seqs), ...values),
    complete: (seqs, ...values) => complete.run(JSON.stringify(seqs), ...values),
  }
}

/** How far one task moves its flow's virtual time. */
const turn = 1_000_000

/** What Sluice writes once a transaction, whatever the number of tasks: heads, counts, the worker and the clock. */
export function prepareSideRows(database) {
  const sequence = database.prepare("UPDATE sequence SET last = ?1")
  const lane = database.prepare("UPDATE lanes SET head_priority = ?2, head_ready_at_ms = ?3, head_seq = ?4 WHERE lane = ?1")
  const flow = database.prepare(
    "UPDATE flows SET head_priority = ?2, head_seq = ?3, head_ready_at_ms = ?5, virtual_time = ?4 WHERE ns = 1 AND type = ?1 AND flow = ?1 AND gate = 0",
  )
  const tally = database.prepare(
    "INSERT INTO tallies (ns, type, status, count) VALUES (1, ?1, ?2, ?3) ON CONFLICT DO UPDATE SET count = count + ?3",
  )
  const worker = database.prepare(
    `INSERT INTO workers (ns, worker_id, claim_number, seen_at_ms, types) VALUES (1, ?1, ?2, ?3, ?4)
     ON CONFLICT DO UPDATE SET claim_number = ?2, seen_at_ms = ?3, types = ?4`,
  )
  const clock = database.prepare("UPDATE namespaces SET virtual_time = ?1, clock_ms = ?2 WHERE ns = 1")
  let virtualTime = 0
  const place = (type, number, seq, nowMs) => {
    lane.run(number, seq === null ? null : 0, seq === null ? null : nowMs, seq)
    flow.run(type, seq === null ? null : 0, seq, virtualTime, seq === null ? null : nowMs)
  }
  return {
    start(type) {
      database.exec("INSERT INTO namespaces (ns, name) VALUES (1, 'default')")
      database.prepare("INSERT INTO flows (ns, type, flow, gate, virtual_time) VALUES (1, ?1, ?1, 0, 0)").run(type)
      const [row] = database.prepare("INSERT INTO lanes (ns, type, flow, gates) VALUES (1, ?1, ?1, '[]') RETURNING lane").rows(type)
      return row[0]
    },
    submitted(type, number, count, lastSeq, nowMs) {
      sequence.run(lastSeq)
      place(type, number, 1, nowMs)
      tally.run(type, "pending", count)
      clock.run(virtualTime, nowMs)
    },
    exchanged({ type, lane: number, workerId, claimNumber, completed, claimed, nextSeq, nowMs }) {
      virtualTime += claimed * turn
      worker.run(workerId, claimNumber, nowMs, JSON.stringify([type]))
      place(type, number, nextSeq, nowMs)
      if (claimed > 0) tally.run(type, "pending", -claimed)
      if (claimed !== completed) tally.run(type, "running", claimed - completed)
      if (completed > 0) tally.run(type, "completed", completed)
      clock.run(virtualTime, nowMs)
    },
  }
}
