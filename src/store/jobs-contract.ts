// The part of the contract that is about jobs. Plain JSON like the rest.

import type { JobRecord, JobStatus, TaskRecord } from "../task/index.ts"
import type { GateReport } from "./limits-contract.ts"

export interface JobsRequest {
  /** Null: all. */
  readonly ids: readonly string[] | null
  readonly name: string | null
  readonly statuses: readonly JobStatus[] | null
  /** The `seq` of the last job of the page before: newest first. */
  readonly beforeSeq: number | null
  readonly limit: number
}

export interface JobReport {
  readonly job: JobRecord
  /** Tasks that ended a second, lately; null before anything can be told. */
  readonly ratePerSecond: number | null
  /** When its last task is expected to end; null where nothing can be told. */
  readonly finish: JobFinish | null
}

export interface JobFinish {
  readonly atMs: number
  /** `rate`: by how fast it was lately. `gate`: by when its last task may start. */
  readonly basis: "rate" | "gate"
  readonly gate: string | null
}

export interface JobsAnswer {
  readonly nowMs: number
  readonly jobs: readonly JobReport[]
  readonly nextBeforeSeq: number | null
}

export interface JobDetail {
  readonly nowMs: number
  readonly report: JobReport
  /** The gate that its next task waits at, if one holds it. */
  readonly heldBy: string | null
  /** Gates that its tasks pass, of those of its tasks that were looked at. */
  readonly gates: readonly GateReport[]
  /** Tasks that run, oldest first, up to a hundred. */
  readonly running: readonly TaskRecord[]
}

export type JobChange =
  /** What waits is cancelled, what runs is asked to stop. */
  | { readonly kind: "cancel"; readonly reason: string | null }
  /** Nobody outside adds more: it completes with its last task. */
  | { readonly kind: "close" }
  | { readonly kind: "concurrency"; readonly concurrency: number }

export interface ChangeJobRequest {
  readonly id: string
  readonly change: JobChange
}

export type ChangeJobAnswer =
  | { readonly kind: "ok"; readonly nowMs: number; readonly report: JobReport; readonly more: boolean }
  | { readonly kind: "missing" }
  /** It has ended otherwise. */
  | { readonly kind: "ended"; readonly job: JobRecord }
  /** It was made without a concurrency, and its tasks pass no gate of its own. */
  | { readonly kind: "unbounded" }
