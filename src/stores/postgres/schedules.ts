// Schedules in Postgres: a row each, found by name and by the instant that it stands at. What a step saves is written when it ends, or
// before schedules are looked for by anything but their name.

import { shown } from "../../errors/index.ts"
import { isTime } from "../../store/sound.ts"
import { isKeptSchedule, type KeptSchedule } from "../../store/sound-schedule.ts"
import type { WaitedSchedules } from "../../store/waited.ts"
import type { ScheduleRecord } from "../../task/index.ts"
import { damaged, sound } from "./damage.ts"
import type { Row, Sql } from "./sql.ts"

export class PostgresSchedules implements WaitedSchedules {
  /** Whether somebody who sleeps has to hear of an instant. */
  hasNews = false
  private readonly ns: number
  private readonly sql: Sql
  private readonly nowMs: number
  /** As it was when the step began: read with the namespace. */
  private readonly earliest: unknown
  /** Name, record, and the instant that it stands at; null: there is none. */
  private readonly known = new Map<string, Row | null>()
  private readonly saved = new Set<string>()
  private readonly removed = new Set<string>()

  constructor({ ns, sql, nowMs, earliest }: { ns: number; sql: Sql; nowMs: number; earliest: unknown }) {
    this.ns = ns
    this.sql = sql
    this.nowMs = nowMs
    this.earliest = earliest
  }

  /** Those that are not known yet, in one query. */
  async readAhead(names: Iterable<string>): Promise<void> {
    const asked = [...new Set(names)].filter((name) => !this.known.has(name))
    if (asked.length === 0) return
    this.keep(await this.sql.rows("readSchedules", this.ns, asked))
    for (const name of asked) if (!this.known.has(name)) this.known.set(name, null)
  }

  async load(name: string): Promise<ScheduleRecord | null> {
    await this.readAhead([name])
    const row = this.known.get(name)
    return row ? toSchedule(row) : null
  }

  async page(afterName: string | null, count: number): Promise<ScheduleRecord[]> {
    await this.flush()
    return this.keep(await this.sql.rows("pageSchedules", this.ns, afterName ?? "", count)).map(toSchedule)
  }

  /** One that is damaged does not keep the others from being fired. Whoever asks for it is told. */
  async due(count: number): Promise<ScheduleRecord[]> {
    await this.flush()
    return this.keep(await this.sql.rows("dueSchedules", this.ns, this.nowMs, count)).flatMap((row) => soundSchedule(row) ?? [])
  }

  /** An exchange changes none of them. */
  earliestAtMs(): number | null {
    return isTime(this.earliest) ? (this.earliest as number) : null
  }

  async upcomingAtMs(): Promise<number | null> {
    await this.flush()
    const atMs = (await this.sql.rows("upcomingSchedule", this.ns, this.nowMs))[0]?.[0]
    return isTime(atMs) ? (atMs as number) : null
  }

  async save(schedule: ScheduleRecord): Promise<void> {
    const { nextAtMs, ...kept } = schedule
    const { name } = schedule
    await this.readAhead([name])
    const before = this.known.get(name)?.[2] ?? null
    this.known.set(name, [name, kept, nextAtMs])
    this.saved.add(name)
    this.removed.delete(name)
    if (nextAtMs !== null && (before === null || nextAtMs < (before as number))) this.hasNews = true
  }

  remove(name: string): void {
    this.known.set(name, null)
    this.saved.delete(name)
    this.removed.add(name)
  }

  /** Writes what the step has changed so far. */
  async flush(): Promise<void> {
    if (this.removed.size > 0) {
      const names = [...this.removed]
      this.removed.clear()
      this.sql.tell("removeSchedules", this.ns, names)
    }
    if (this.saved.size === 0) return
    const rows = [...this.saved].flatMap((name) => [this.known.get(name) ?? []])
    this.saved.clear()
    this.sql.tell(
      "saveSchedules",
      this.ns,
      rows.map(([name]) => name as string),
      JSON.stringify(rows.map(([, record]) => record)),
      rows.map(([, , nextAtMs]) => nextAtMs as number | null),
    )
  }

  private keep(rows: readonly Row[]): readonly Row[] {
    for (const row of rows) if (!this.known.has(row[0] as string)) this.known.set(row[0] as string, row)
    return rows
  }
}

function toSchedule([name, record, nextAtMs]: Row): ScheduleRecord {
  const described = () => `schedule ${shown(name)} (in schedules)`
  if (nextAtMs !== null && !isTime(nextAtMs)) throw damaged(described(), "the instant that it stands at", nextAtMs)
  const isKept = (value: unknown): value is KeptSchedule => isKeptSchedule(value, name as string)
  return { ...sound(record, isKept, "a schedule", described), nextAtMs: nextAtMs as number | null }
}

function soundSchedule(row: Row): ScheduleRecord | null {
  try {
    return toSchedule(row)
  } catch {
    return null
  }
}
