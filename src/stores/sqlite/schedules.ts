// Schedules in SQLite: a row each, found by name and by the instant that it stands at.

import { shown } from "../../errors/index.ts"
import type { ScheduleRecords } from "../../store/schedule-records.ts"
import { isTime } from "../../store/sound.ts"
import { isKeptSchedule, type KeptSchedule } from "../../store/sound-schedule.ts"
import type { ScheduleRecord } from "../../task/index.ts"
import { damaged, readJson } from "./damage.ts"
import type { Row, Value } from "./driver.ts"
import type { Statements } from "./statements.ts"

export class SqliteSchedules implements ScheduleRecords {
  private readonly ns: number
  private readonly sql: Statements
  private readonly nowMs: number
  /** As it was when the step began: read with the namespace, because a statement of its own made an exchange 9 % slower. */
  private readonly earliest: Value | undefined
  /** Whether somebody who sleeps has to hear of an instant. */
  hasNews = false

  constructor(ns: number, sql: Statements, nowMs: number, earliest: Value | undefined) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
    this.earliest = earliest
  }

  load(name: string): ScheduleRecord | null {
    const [row] = this.sql("readSchedule").rows(this.ns, name)
    return row ? toSchedule(row) : null
  }

  page(afterName: string | null, count: number): ScheduleRecord[] {
    return this.sql("pageSchedules")
      .rows(this.ns, afterName ?? "", count)
      .map(toSchedule)
  }

  /** One that is damaged does not keep the others from being fired. Whoever asks for it is told. */
  due(count: number): ScheduleRecord[] {
    return this.sql("dueSchedules")
      .rows(this.ns, this.nowMs, count)
      .flatMap((row) => soundSchedule(row) ?? [])
  }

  /** An exchange changes none of them. */
  earliestAtMs(): number | null {
    return isTime(this.earliest) ? (this.earliest as number) : null
  }

  upcomingAtMs(): number | null {
    const atMs = this.sql("upcomingSchedule").rows(this.ns, this.nowMs)[0]?.[0]
    return isTime(atMs) ? (atMs as number) : null
  }

  save(schedule: ScheduleRecord): void {
    const { nextAtMs, ...kept } = schedule
    const before = this.sql("readStanding").rows(this.ns, schedule.name)[0]?.[0] ?? null
    this.sql("saveSchedule").run(this.ns, schedule.name, JSON.stringify(kept), nextAtMs)
    if (nextAtMs !== null && (before === null || nextAtMs < (before as number))) this.hasNews = true
  }

  remove(name: string): void {
    this.sql("removeSchedule").run(this.ns, name)
  }
}

function toSchedule([name, record, nextAtMs]: Row): ScheduleRecord {
  const described = () => `schedule ${shown(name)} (in schedules)`
  if (nextAtMs !== null && !isTime(nextAtMs)) throw damaged(described(), "the instant that it stands at", nextAtMs)
  const isKept = (value: unknown): value is KeptSchedule => isKeptSchedule(value, name as string)
  return { ...readJson(record, isKept, "a schedule", described), nextAtMs: nextAtMs as number | null }
}

function soundSchedule(row: Row): ScheduleRecord | null {
  try {
    return toSchedule(row)
  } catch {
    return null
  }
}
