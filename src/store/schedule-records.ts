// What a store keeps of schedules, as one atomic step sees it. Part of the records, and synchronous like them.

import type { ScheduleRecord } from "../task/index.ts"

export interface ScheduleRecords {
  load(name: string): ScheduleRecord | null
  /** By name, after the given one. */
  page(afterName: string | null, count: number): readonly ScheduleRecord[]
  /** Those whose instant has come, the longest due first; without those that cannot be read. */
  due(count: number): readonly ScheduleRecord[]
  /** The earliest instant that one stands at. Asked in every exchange. */
  earliestAtMs(): number | null
  /** The earliest that has not come yet. */
  upcomingAtMs(): number | null
  /** Those who wait hear of an instant that was not known before, or is earlier. */
  save(schedule: ScheduleRecord): void
  remove(name: string): void
}
