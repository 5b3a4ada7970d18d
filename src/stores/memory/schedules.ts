// Schedules in memory, by name and by the instant that each stands at.

import type { ScheduleRecords } from "../../store/schedule-records.ts"
import type { ScheduleRecord } from "../../task/index.ts"
import type { ImageLine, Restore } from "./image.ts"
import { SortedSet } from "./sorted.ts"

interface Standing {
  readonly atMs: number
  readonly name: string
}

const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

export class MemorySchedules implements ScheduleRecords {
  /** Whether somebody who sleeps has to hear of an instant. */
  hasNews = false
  private nowMs = 0
  private readonly known = new Map<string, ScheduleRecord>()
  private readonly standing = new SortedSet<Standing>((a, b) => a.atMs - b.atMs || byName(a.name, b.name))

  begin(nowMs: number): void {
    this.nowMs = nowMs
    this.hasNews = false
  }

  image(): ImageLine[] {
    return [...this.known.values()].map((schedule) => ["schedule", schedule])
  }

  readonly restore: Restore = { schedule: (schedule: ScheduleRecord) => this.save(schedule) }

  load(name: string): ScheduleRecord | null {
    return this.known.get(name) ?? null
  }

  page(afterName: string | null, count: number): ScheduleRecord[] {
    const names = [...this.known.keys()].filter((name) => afterName === null || name > afterName).sort(byName)
    return this.at(names.slice(0, count))
  }

  due(count: number): ScheduleRecord[] {
    return this.at(this.standing.takeWhile(({ atMs }) => atMs <= this.nowMs, count).map(({ name }) => name))
  }

  earliestAtMs(): number | null {
    return this.standing.first()?.atMs ?? null
  }

  upcomingAtMs(): number | null {
    const [first] = this.standing.slice(this.standing.countBefore({ atMs: this.nowMs + 1, name: "" }), 1)
    return first?.atMs ?? null
  }

  save(schedule: ScheduleRecord): void {
    const before = this.known.get(schedule.name)?.nextAtMs ?? null
    this.leave(schedule.name)
    this.known.set(schedule.name, schedule)
    const { name, nextAtMs } = schedule
    if (nextAtMs === null) return
    this.standing.add({ atMs: nextAtMs, name })
    if (before === null || nextAtMs < before) this.hasNews = true
  }

  remove(name: string): void {
    this.leave(name)
    this.known.delete(name)
  }

  private leave(name: string): void {
    const atMs = this.known.get(name)?.nextAtMs ?? null
    if (atMs !== null) this.standing.delete({ atMs, name })
  }

  private at(names: readonly string[]): ScheduleRecord[] {
    return names.flatMap((name) => this.known.get(name) ?? [])
  }
}
