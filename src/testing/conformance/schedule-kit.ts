// What the tests of schedules have in common: one that is due, firing it, and looking at it.

import { ok } from "node:assert/strict"
import type { Fire, FireAnswer } from "../../store/schedules-contract.ts"
import type { NewSchedule, NewTask, ScheduleRecord } from "../../task/index.ts"
import { only } from "./assertions.ts"
import type { Desk } from "./desk.ts"

export const hourMs = 3_600_000

export function schedule(desk: Desk, name: string, fields: Partial<NewSchedule> = {}, task: Partial<NewTask> = {}): NewSchedule {
  const { id: _id, idempotencyKey: _key, schedule: _schedule, ...template } = desk.newTask({ inputDigest: "a digest", ...task })
  return { name, cron: "0 * * * *", timezone: "UTC", catchUp: "last", template, ...fields }
}

export async function saved(desk: Desk, asked: NewSchedule, nextAtMs: number): Promise<ScheduleRecord> {
  const answer = await desk.store.saveSchedule({ schedule: asked, nextAtMs })
  ok(answer.kind === "ok", `expected the schedule to be saved, got ${answer.kind}`)
  return answer.schedule
}

/** One that is due now, and next in an hour. */
export async function dueNow(desk: Desk, name = "nightly", task: Partial<NewTask> = {}): Promise<ScheduleRecord> {
  return saved(desk, schedule(desk, name, {}, task), await desk.nowMs())
}

export function fireOf(desk: Desk, { name, nextAtMs, version }: ScheduleRecord, fields: Partial<Fire> = {}): Fire {
  const atMs = nextAtMs ?? 0
  return { name, atMs, version, runs: [{ id: desk.newTask().id, atMs }], nextAtMs: atMs + hourMs, ...fields }
}

export async function fired(desk: Desk, ...fires: readonly Fire[]): Promise<FireAnswer["results"]> {
  return (await desk.store.fire({ fires })).results
}

export async function found(desk: Desk, name: string): Promise<ScheduleRecord> {
  return only((await desk.store.schedules({ names: [name], afterName: null, count: 1 })).schedules)
}

export const due = async (desk: Desk) => (await desk.store.dueSchedules({ count: 100 })).schedules.map(({ name }) => name)
