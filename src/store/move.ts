// Cancel, retry, archive and expire: one change of status asked for by name, for up to a step's worth of tasks, each answered
// for itself.

import { archive, type Change, cancel, type Moved, markExpired, retry, type TaskRecord } from "../task/index.ts"
import type { MoveAnswer, MoveRequest, MoveResult } from "./contract.ts"
import type { Records } from "./records.ts"

const moves = { cancel, retry, archive, expire: markExpired } as const satisfies Record<string, (task: TaskRecord, nowMs: number) => Moved>

export type Move = keyof typeof moves

export function move(records: Records, name: Move, request: MoveRequest): MoveAnswer {
  const found = records.load(request.ids)
  const latest = new Map<string, TaskRecord>()
  const changes: Change[] = []
  const results = request.ids.map((id): MoveResult => {
    const task = latest.get(id) ?? found.get(id)
    if (!task) return { kind: "missing" }
    const result = moves[name](task, records.nowMs)
    if (result.kind === "illegal") return result
    // Retention has taken its job, and takes it next: its gate is known by nobody, and it would stop every claim of its type.
    if (name === "retry" && task.jobId !== null && !records.jobs.get(task.jobId)) return { kind: "missing" }
    const ended = name === "retry" ? records.jobs.reopen(task) : null
    if (ended) return { kind: "job_ended", job: ended }
    if (result.change === null) return { kind: "ok", task }
    latest.set(id, result.change.task)
    changes.push(result.change)
    return { kind: "ok", task: result.change.task }
  })
  records.save(changes)
  return { results }
}
