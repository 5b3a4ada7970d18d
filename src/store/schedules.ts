// Schedules: saved, changed, and fired. To fire is one step: if the schedule still stands at the instant, its tasks are there and it has
// gone on; else nothing has happened. There is no moment between the two at which a crash could lose or double an instant.

import {
  advanceSchedule,
  createSchedule,
  pauseSchedule,
  replaceSchedule,
  resumeSchedule,
  type ScheduleRecord,
  taskAt,
} from "../task/index.ts"
import { budgets, type SubmitAnswer } from "./contract.ts"
import type { Records } from "./records.ts"
import type {
  ChangeScheduleAnswer,
  ChangeScheduleRequest,
  DueSchedulesAnswer,
  DueSchedulesRequest,
  Fire,
  FireAnswer,
  FireRequest,
  SaveScheduleAnswer,
  SaveScheduleRequest,
  SchedulesAnswer,
  SchedulesRequest,
} from "./schedules-contract.ts"
import { submit } from "./submit.ts"

export function saveSchedule(records: Records, { schedule: asked, nextAtMs }: SaveScheduleRequest): SaveScheduleAnswer {
  const { nowMs } = records
  const wrong = asked.template.gates ? records.gates.check(asked.template.gates) : null
  if (wrong) return wrong
  const known = records.schedules.load(asked.name)
  const schedule = known ? replaceSchedule(known, asked, nextAtMs, nowMs) : createSchedule(asked, nextAtMs, nowMs)
  if (schedule === known) return { kind: "ok", nowMs, schedule, change: "unchanged" }
  records.schedules.save(schedule)
  return { kind: "ok", nowMs, schedule, change: known ? "replaced" : "created" }
}

export function listSchedules(records: Records, { names, afterName, count }: SchedulesRequest): SchedulesAnswer {
  const { nowMs, schedules } = records
  if (names !== null) return { nowMs, schedules: names.flatMap((name) => schedules.load(name) ?? []), nextAfterName: null }
  const most = Math.min(count, budgets.schedulesPage)
  const found = schedules.page(afterName, most)
  return { nowMs, schedules: found, nextAfterName: found.length < most ? null : (found.at(-1)?.name ?? null) }
}

export function dueSchedules(records: Records, { count }: DueSchedulesRequest): DueSchedulesAnswer {
  const { nowMs, schedules } = records
  return { nowMs, schedules: schedules.due(Math.min(count, budgets.schedulesPage)), nextAtMs: schedules.upcomingAtMs() }
}

export function changeSchedule(records: Records, { name, change }: ChangeScheduleRequest): ChangeScheduleAnswer {
  const { nowMs } = records
  const known = records.schedules.load(name)
  if (!known) return { kind: "missing" }
  if (change.kind === "remove") {
    records.schedules.remove(name)
    return { kind: "ok", nowMs, schedule: known }
  }
  const schedule = change.kind === "pause" ? pauseSchedule(known, nowMs) : resumeSchedule(known, change.nextAtMs, nowMs)
  if (schedule !== known) records.schedules.save(schedule)
  return { kind: "ok", nowMs, schedule }
}

export function fire(records: Records, { fires }: FireRequest): FireAnswer {
  return { nowMs: records.nowMs, results: fires.map((one) => fireOne(records, one)) }
}

function fireOne(records: Records, asked: Fire): FireAnswer["results"][number] {
  const known = records.schedules.load(asked.name)
  const stands = known !== null && known.nextAtMs === asked.atMs && known.version === asked.version
  if (!stands || asked.atMs > records.nowMs) return { kind: "stale" }
  const tasks: { atMs: number; id: string; created: boolean }[] = []
  let error: string | null = null
  for (const { id, atMs } of asked.runs) {
    const ran = run(records, known, id, atMs)
    if ("error" in ran) error = ran.error
    else tasks.push({ atMs, ...ran })
  }
  const latest = tasks.at(-1)
  const last = latest ? { atMs: latest.atMs, taskId: latest.id } : null
  records.schedules.save(advanceSchedule(known, { nextAtMs: asked.nextAtMs, last, error }, records.nowMs))
  return { kind: "ok", tasks, error }
}

/** Each by itself: what is wrong with one does not keep the others from running. */
function run(records: Records, schedule: ScheduleRecord, id: string, atMs: number): { id: string; created: boolean } | { error: string } {
  const answer = submit(records, { tasks: [taskAt(schedule, id, atMs)] })
  if (answer.kind === "ok") {
    const [stored] = answer.tasks
    return { id: stored?.task.id ?? id, created: stored?.created ?? false }
  }
  // The key is known: a schedule of this name, with another input then, has had this instant already.
  if (answer.kind === "conflict") return { id: answer.existing.id, created: false }
  return { error: refusal(answer) }
}

function refusal(answer: Exclude<SubmitAnswer, { kind: "ok" | "conflict" }>): string {
  switch (answer.kind) {
    case "unknown_limit":
      return `limit ${answer.limit} is not known any more: start what defines it, or schedule it anew`
    case "cost_above_limit":
      return `a cost of ${answer.cost} is more than gate ${answer.gate} ever lets pass at once, which is ${answer.largest}`
    case "schedule_after_expiry":
      return answer.message
    default:
      return `its task was refused: ${answer.kind}`
  }
}
