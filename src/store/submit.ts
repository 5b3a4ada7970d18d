// Submit: all of the batch or nothing. A key or an id that is known already gives back the first task, so that a
// submission whose answer was lost can be sent again.

import { type Change, checkSchedule, create, type NewTask, type TaskRecord } from "../task/index.ts"
import type { SubmitAnswer, SubmitRequest, SubmittedTask } from "./contract.ts"
import type { Records } from "./records.ts"

export function submit(records: Records, request: SubmitRequest): SubmitAnswer {
  const known = knownTasks(records, request.tasks)
  const firstSeq = records.takeSequence(request.tasks.length)
  const changes: Change[] = []
  const answers: SubmittedTask[] = []
  for (const [index, task] of request.tasks.entries()) {
    const existing = known.byId.get(task.id) ?? (task.idempotencyKey === null ? undefined : known.byKey.get(task.idempotencyKey))
    if (existing) {
      if (!isSame(existing, task)) return { kind: "conflict", index, existing }
      answers.push({ task: existing, created: false })
      continue
    }
    const refusal = checkSchedule(task, records.nowMs)
    if (refusal) return { kind: "schedule_after_expiry", index, message: refusal.message }
    const change = create(task, firstSeq + index, records.nowMs)
    known.byId.set(task.id, change.task)
    if (task.idempotencyKey !== null) known.byKey.set(task.idempotencyKey, change.task)
    changes.push(change)
    answers.push({ task: change.task, created: true })
  }
  records.insert(changes)
  return { kind: "ok", nowMs: records.nowMs, tasks: answers }
}

function knownTasks(records: Records, tasks: readonly NewTask[]): { byId: Map<string, TaskRecord>; byKey: Map<string, TaskRecord> } {
  const byId = new Map<string, TaskRecord>()
  for (const found of records.load(tasks.map((task) => task.id))) if (found) byId.set(found.id, found)
  const keys = tasks.flatMap((task) => (task.idempotencyKey === null ? [] : [task.idempotencyKey]))
  const byKey = new Map<string, TaskRecord>()
  if (keys.length > 0) for (const found of records.loadByKey(keys)) byKey.set(found.idempotencyKey ?? "", found)
  return { byId, byKey }
}

function isSame(existing: TaskRecord, task: NewTask): boolean {
  if (existing.type !== task.type) return false
  return task.inputDigest === null ? existing.input === task.input : existing.inputDigest === task.inputDigest
}
