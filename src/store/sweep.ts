// Sweep: what time has done to tasks while nobody looked. Lost leases come back, overdue tasks expire, finished ones are
// removed after their retention. Every part is conditional on the record, so any number of sweepers may run at once.

import { expire, lose, spread } from "../task/index.ts"
import { budgets, type SweepAnswer, type SweepRequest } from "./contract.ts"
import type { Records } from "./records.ts"

export function sweep(records: Records, request: SweepRequest): SweepAnswer {
  let left: number = budgets.stepRows
  const spend = <T>(rows: readonly T[]): readonly T[] => {
    left -= rows.length
    return rows
  }
  const lost = spend(records.lostLeases(left))
  const overdue = spend(records.overdue(left))
  records.save([
    ...lost.map((task, i) => lose(task, records.nowMs, request.backoff, spread(request.random, i))),
    ...overdue.map((task) => expire(task, records.nowMs)),
  ])
  const old = request.retentionMs === null ? [] : spend(records.finishedBefore(records.nowMs - request.retentionMs, left))
  records.remove(old)
  const forgotten = records.forget(left)
  left -= forgotten
  return { rescued: lost.length, expired: overdue.length, removed: old.length, forgotten, more: left <= 0 }
}
