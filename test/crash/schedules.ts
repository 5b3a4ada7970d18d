// Schedules in the script: a cron is the list of its instants, so that it comes to an end and everybody can tell what has to happen.

import { deepEqual } from "node:assert/strict"
import type { Fire, Store } from "../../src/store/index.ts"
import { type CatchUp, type NewSchedule, type ScheduleRecord, scheduleKey } from "../../src/task/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import type { ScriptedProcess } from "./process.ts"
import { idOf, newTask } from "./tasks.ts"

/** One that is to be paused is not held to its instants: those of the pause do not come. */
export function newSchedule(name: string, instants: readonly number[], catchUp: CatchUp = { all: 10 }): NewSchedule {
  const { id: _id, idempotencyKey: _key, schedule: _schedule, ...template } = newTask("cron-0", { inputDigest: "cron" })
  return { name, cron: instants.join(" "), timezone: "UTC", catchUp, template }
}

const instantsOf = ({ cron }: ScheduleRecord) => cron.split(" ").map(Number)

/** Every instant that has come. Whoever fires makes his own tasks for them, and tells them apart by the prefix. */
export function fireOf(record: ScheduleRecord, nowMs: number, prefix: string): Fire {
  const { name, version } = record
  const atMs = record.nextAtMs ?? 0
  const all = instantsOf(record)
  const runs = all.flatMap((instant, i) =>
    instant >= atMs && instant <= nowMs ? [{ id: idOf(`${prefix}${name[0]}${i}`), atMs: instant }] : [],
  )
  return { name, atMs, version, runs, nextAtMs: all.find((instant) => instant > nowMs) ?? null }
}

/** What was not fired before. */
export async function fireDue(process: ScriptedProcess): Promise<void> {
  const { schedules, nowMs } = await process.call("dueSchedules", "what is due", { count: 100 })
  if (schedules.length > 0) await process.call("fire", "what is due", { fires: schedules.map((record) => fireOf(record, nowMs, "red-")) })
}

export async function isAllFired(process: ScriptedProcess): Promise<boolean> {
  const { schedules } = await process.call("schedules", "what is left", { names: null, afterName: null, count: 100 })
  return schedules.every(({ nextAtMs }) => nextAtMs === null)
}

/** Each instant of each schedule that there is has exactly one task, and there is no task for any other instant. */
export async function judgeInstants(store: Store, message: string): Promise<void> {
  const { schedules } = await store.schedules({ names: null, afterName: null, count: 100 })
  const { tasks } = await store.list({ ...everything, limit: 1_000 })
  for (const record of schedules) {
    const keys = tasks.flatMap(({ idempotencyKey: key }) => (key?.startsWith(`schedule:${record.name}:`) ? [key] : []))
    const all = instantsOf(record).map((atMs) => scheduleKey(record.name, atMs))
    const expected = record.catchUp === "none" ? all.filter((key) => keys.includes(key)) : all
    deepEqual(keys.sort(), expected.sort(), `${message}: expected one task for each instant of ${record.name}`)
  }
}
