// Records that are kept elsewhere: the same questions, each with an answer that may have to be waited for. What runs on them are the
// steps that are compiled to wait (scripts/awaited).

import type { CallRecords } from "./call-records.ts"
import type { Backlog } from "./claim.ts"
import type { JobRecords } from "./job-records.ts"
import type { LimitRecords } from "./limit-records.ts"
import type { Records } from "./records.ts"
import type { ScheduleRecords } from "./schedule-records.ts"

type Waited<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Asked) => infer Answer
    ? (...args: Asked) => Answer | Promise<Answer>
    : T[Name]
}

export type WaitedLimits = Waited<LimitRecords>
export type WaitedJobs = Waited<JobRecords>
export type WaitedSchedules = Waited<ScheduleRecords>
export type WaitedCalls = Waited<CallRecords>
export type WaitedBacklog = Waited<Backlog>

/** `gates` and `jobs` are those of the steps that wait: of each of their methods the answer is a promise. */
export interface WaitedRecords extends Omit<Waited<Records>, "limits" | "jobRecords" | "schedules" | "calls" | "backlog"> {
  readonly limits: WaitedLimits
  readonly jobRecords: WaitedJobs
  readonly schedules: WaitedSchedules
  readonly calls: WaitedCalls
  backlog(): WaitedBacklog | Promise<WaitedBacklog>
}
