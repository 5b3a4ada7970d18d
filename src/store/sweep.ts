// Sweep: what time has done to tasks while nobody looked. Lost leases come back, overdue tasks expire, finished ones are
// removed after their retention. Every part is conditional on the record, so any number of sweepers may run at once.

import { isSpent } from "../limits/index.ts"
import { expire, lose, spread } from "../task/index.ts"
import { budgets, type SweepAnswer, type SweepRequest } from "./contract.ts"
import { dropEnded } from "./hold.ts"
import { isAtRest } from "./jobs.ts"
import type { StoredGate } from "./limit-records.ts"
import { loseAtGates } from "./passed.ts"
import { type Records, workerForgottenAfterMs } from "./records.ts"

export function sweep(records: Records, request: SweepRequest): SweepAnswer {
  let left: number = budgets.stepRows
  const spend = <T>(rows: readonly T[]): readonly T[] => {
    left -= rows.length
    return rows
  }
  const lost = spend(records.lostLeases(left))
  const overdue = spend(records.overdue(left))
  for (const task of lost) loseAtGates(records, task)
  const back = lost.map((task, i) => lose(task, records.nowMs, request.backoff, spread(request.random, i)))
  for (const { task } of back) if (task.status === "failed") records.jobs.tell(task, { kind: "failed", status: null })
  records.save([...back, ...overdue.map((task) => expire(task, records.nowMs))])
  const stopped = stopTasks(records, left)
  left -= stopped
  const old = request.retentionMs === null ? [] : spend(records.finishedBefore(records.nowMs - request.retentionMs, left))
  records.remove(old)
  let forgotten = records.forget(left)
  forgotten += forgetJobs(records, request.retentionMs, left - forgotten)
  forgotten += forgetCalls(records, left - forgotten)
  forgotten += forgetGates(records, left - forgotten)
  left -= forgotten
  return { rescued: lost.length, expired: overdue.length, stopped, removed: old.length, forgotten, more: left <= 0 }
}

/** What is left of jobs that have ended. */
function stopTasks(records: Records, limit: number): number {
  let stopped = 0
  for (const { id } of records.jobRecords.stopping(limit)) {
    // As this step knows it: it may have ended a moment ago.
    const job = records.jobs.get(id)
    if (job && stopped < limit) stopped += records.jobs.stop(job, limit - stopped)
  }
  return stopped
}

/** Jobs are kept as long as the last of their tasks, which may have ended after them: one that is wanted again has to find its job. */
function forgetJobs(records: Records, retentionMs: number | null, limit: number): number {
  if (retentionMs === null || limit <= 0) return 0
  const beforeMs = records.nowMs - retentionMs
  const old = records.jobRecords.endedBefore(beforeMs, limit).filter((job) => isAtRest(job) && (job.taskEndedAtMs ?? 0) <= beforeMs)
  records.jobRecords.removeJobs(old.map(({ id }) => id))
  return old.length
}

/** Calls of processes that are gone, and the processes. */
function forgetCalls(records: Records, limit: number): number {
  const dropped = dropEnded(records, limit)
  return dropped + records.calls.forgetOwners(records.nowMs - workerForgottenAfterMs, limit - dropped)
}

/** Gates that would be made the same again. Any other is written, so that it is looked at again only after all that are idle for longer. */
function forgetGates(records: Records, limit: number): number {
  const spent: StoredGate[] = []
  for (const stored of records.limits.idleGates(limit)) {
    const gate = records.gates.gate(stored, stored)
    if (gate === null || isSpent(gate.force.policy, gate.state, records.nowMs * 1_000)) spent.push(stored)
    else records.limits.saveGate(stored.number, stored.state)
  }
  records.limits.removeGates(spent.map(({ number }) => number))
  return spent.length
}
