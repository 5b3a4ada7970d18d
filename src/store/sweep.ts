// Sweep: what time has done to tasks while nobody looked. Lost leases come back, overdue tasks expire, finished ones are
// removed after their retention. Every part is conditional on the record, so any number of sweepers may run at once.

import { isSpent } from "../limits/index.ts"
import { expire, lose, spread } from "../task/index.ts"
import { budgets, type SweepAnswer, type SweepRequest } from "./contract.ts"
import type { StoredGate } from "./limit-records.ts"
import { loseAtGates } from "./passed.ts"
import type { Records } from "./records.ts"

export function sweep(records: Records, request: SweepRequest): SweepAnswer {
  let left: number = budgets.stepRows
  const spend = <T>(rows: readonly T[]): readonly T[] => {
    left -= rows.length
    return rows
  }
  const lost = spend(records.lostLeases(left))
  const overdue = spend(records.overdue(left))
  for (const task of lost) loseAtGates(records, task)
  records.save([
    ...lost.map((task, i) => lose(task, records.nowMs, request.backoff, spread(request.random, i))),
    ...overdue.map((task) => expire(task, records.nowMs)),
  ])
  const old = request.retentionMs === null ? [] : spend(records.finishedBefore(records.nowMs - request.retentionMs, left))
  records.remove(old)
  let forgotten = records.forget(left)
  forgotten += forgetGates(records, left - forgotten)
  left -= forgotten
  return { rescued: lost.length, expired: overdue.length, removed: old.length, forgotten, more: left <= 0 }
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
