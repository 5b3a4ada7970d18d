// The contract that every store keeps. docs/internals/contract.md says for each operation what it promises, what it answers
// and how each store does it in one step. One object in, plain values out, both JSON; an answer that a caller has to expect
// (stale, conflict, illegal) is a value, and only a store that cannot answer throws.

import type { Backoff, JobRecord, NewJob, NewTask, NumberedEntry, Status, TaskRecord } from "../task/index.ts"
import type { HoldAnswer, HoldRequest } from "./calls-contract.ts"
import type { ExchangeAnswer, ExchangeRequest, Overlap } from "./exchange-contract.ts"
import type { ChangeJobAnswer, ChangeJobRequest, JobDetail, JobsAnswer, JobsRequest } from "./jobs-contract.ts"
import type {
  ChangeLimitAnswer,
  ChangeLimitRequest,
  ChangesRequest,
  Explanation,
  Forecast,
  ForecastErrors,
  GatesAnswer,
  GatesRequest,
  HelloAnswer,
  HelloRequest,
  LimitReport,
  LimitsRequest,
  LoggedChange,
  PermitAnswer,
  PermitRequest,
  RouteAnswer,
  RouteRequest,
  RouteResult,
  UnroutedRequest,
} from "./limits-contract.ts"
import type {
  ChangeScheduleAnswer,
  ChangeScheduleRequest,
  DueSchedulesAnswer,
  DueSchedulesRequest,
  FireAnswer,
  FireRequest,
  SaveScheduleAnswer,
  SaveScheduleRequest,
  SchedulesAnswer,
  SchedulesRequest,
} from "./schedules-contract.ts"

export interface Store {
  /** The kind of store, as in its URL. */
  readonly kind: string
  /** Absent: a worker has one exchange under way, because the store works in the worker's own process, and while it does nobody else can. */
  readonly overlap?: Overlap
  hello(request: HelloRequest): Promise<HelloAnswer>
  submit(request: SubmitRequest): Promise<SubmitAnswer>
  /** In a transaction of the caller's, where the store is in a database of his: what he rolls back was never submitted. */
  submitWithin?(transaction: unknown, request: SubmitRequest): Promise<SubmitAnswer>
  unrouted(request: UnroutedRequest): Promise<{ readonly tasks: readonly TaskRecord[] }>
  route(request: RouteRequest): Promise<RouteAnswer>
  exchange(request: ExchangeRequest): Promise<ExchangeAnswer>
  permit(request: PermitRequest): Promise<PermitAnswer>
  hold(request: HoldRequest): Promise<HoldAnswer>
  get(request: { readonly ids: readonly string[] }): Promise<GetAnswer>
  list(request: ListRequest): Promise<ListAnswer>
  history(request: { readonly id: string }): Promise<{ readonly entries: readonly NumberedEntry[] | null }>
  counts(request: CountsRequest): Promise<CountsAnswer>
  cancel(request: MoveRequest): Promise<MoveAnswer>
  retry(request: MoveRequest): Promise<MoveAnswer>
  archive(request: MoveRequest): Promise<MoveAnswer>
  expire(request: MoveRequest): Promise<MoveAnswer>
  jobs(request: JobsRequest): Promise<JobsAnswer>
  job(request: { readonly id: string }): Promise<{ readonly detail: JobDetail | null }>
  changeJob(request: ChangeJobRequest): Promise<ChangeJobAnswer>
  explain(request: { readonly id: string }): Promise<{ readonly explanation: Explanation | null }>
  limits(request: LimitsRequest): Promise<{ readonly nowMs: number; readonly limits: readonly LimitReport[] }>
  gates(request: GatesRequest): Promise<GatesAnswer>
  changeLimit(request: ChangeLimitRequest): Promise<ChangeLimitAnswer>
  limitChanges(request: ChangesRequest): Promise<{ readonly changes: readonly LoggedChange[] }>
  forecastErrors(request: Record<never, never>): Promise<ForecastErrors>
  workers(request: WorkersRequest): Promise<WorkersAnswer>
  waiting(request: WaitingRequest): Promise<WaitingAnswer>
  saveSchedule(request: SaveScheduleRequest): Promise<SaveScheduleAnswer>
  schedules(request: SchedulesRequest): Promise<SchedulesAnswer>
  dueSchedules(request: DueSchedulesRequest): Promise<DueSchedulesAnswer>
  changeSchedule(request: ChangeScheduleRequest): Promise<ChangeScheduleAnswer>
  fire(request: FireRequest): Promise<FireAnswer>
  sweep(request: SweepRequest): Promise<SweepAnswer>
  now(request: Record<never, never>): Promise<{ readonly nowMs: number }>
  describe(request: Record<never, never>): Promise<StoreDescription>
  /** Resolves when something may have become claimable or cancelled since the call, or when the signal fires. May wake for nothing. */
  wait(request: { readonly workerId: string }, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The operations that take one JSON object and answer with one: what a proxy, a simulator or a crash test goes through. */
export const operations = [
  "hello",
  "submit",
  "unrouted",
  "route",
  "exchange",
  "permit",
  "hold",
  "get",
  "list",
  "history",
  "counts",
  "cancel",
  "retry",
  "archive",
  "expire",
  "jobs",
  "job",
  "changeJob",
  "explain",
  "limits",
  "gates",
  "changeLimit",
  "limitChanges",
  "forecastErrors",
  "workers",
  "waiting",
  "saveSchedule",
  "schedules",
  "dueSchedules",
  "changeSchedule",
  "fire",
  "sweep",
  "now",
  "describe",
] as const satisfies readonly (keyof Store)[]
export type Operation = (typeof operations)[number]

/** What one step may do, so that no call holds a store for long. */
export const budgets = {
  claimTasks: 100,
  promotions: 100,
  /** Gates that one claim looks into because they are due, beyond as many as it has room for. */
  dueGates: 16,
  /** Lanes that one claim sends to wait at a gate. */
  parkedLanes: 200,
  routes: 100,
  stepRows: 500,
  submitTasks: 1_000,
  submitBytes: 4 * 1_024 * 1_024,
  listPage: 1_000,
  /** Schedules that one look gives: each has an input. */
  schedulesPage: 100,
} as const

export interface SubmitRequest {
  readonly tasks: readonly NewTask[]
  /** Made first, unless its id is known: then it is this submission again. */
  readonly newJob?: NewJob
  /** The job of this id is closed behind these tasks: nobody outside adds more. */
  readonly closeJob?: string
}

export type SubmitAnswer =
  | { readonly kind: "ok"; readonly nowMs: number; readonly tasks: readonly SubmittedTask[]; readonly job?: JobRecord }
  /** Nothing was stored. */
  | { readonly kind: "conflict"; readonly index: number; readonly existing: TaskRecord }
  | { readonly kind: "schedule_after_expiry"; readonly index: number; readonly message: string }
  | { readonly kind: "unknown_job"; readonly index: number; readonly jobId: string }
  | { readonly kind: "job_ended"; readonly index: number; readonly job: JobRecord }
  | (RouteResult & { readonly index: number })

export interface SubmittedTask {
  readonly task: TaskRecord
  /** False where the idempotency key or the id was known already: `task` is then the first one. */
  readonly created: boolean
  /** Null where it is not pending. */
  readonly forecast: Forecast | null
}

export interface GetAnswer {
  readonly tasks: readonly (TaskRecord | null)[]
  /** For each task that is pending. */
  readonly forecasts: readonly (Forecast | null)[]
}

export interface ListRequest {
  readonly statuses: readonly Status[] | null
  readonly type: string | null
  readonly tag: string | null
  readonly jobId: string | null
  readonly createdFromMs: number | null
  readonly createdBeforeMs: number | null
  /** The `seq` of the last task of the page before: newest first, strictly older than this. */
  readonly beforeSeq: number | null
  readonly limit: number
}

export interface ListAnswer {
  readonly tasks: readonly TaskRecord[]
  /** Where to go on; null at the end. A page may be short of `limit` and still go on: looking is bounded too. */
  readonly nextBeforeSeq: number | null
}

export interface CountsRequest {
  readonly type: string | null
}

export interface CountsAnswer {
  readonly byStatus: Readonly<Record<Status, number>>
}

export interface WorkersRequest {
  readonly limit: number
}

export interface WorkersAnswer {
  readonly nowMs: number
  /** Those that were heard of lately, by id. */
  readonly workers: readonly WorkerReport[]
}

export interface WorkerReport {
  readonly id: string
  /** As of its latest claim or hello. */
  readonly types: readonly string[]
  readonly seenAtMs: number
  /** Tasks that it holds a lease on. */
  readonly running: number
}

/** What there is to know of all that waits, without looking at all of it. */
export interface WaitingRequest {
  /** Of those with a later sequence number the first that is pending; a bounded number is looked at. */
  readonly afterSeq: number
  readonly expiringWithinMs: number
  /** How many that expire are counted at most. */
  readonly limit: number
}

export interface WaitingAnswer {
  readonly nowMs: number
  /** Null where none was found in what was looked at. */
  readonly first: TaskRecord | null
  /** None below it waits: where to go on from. */
  readonly nextAfterSeq: number
  /** There is nothing behind what was looked at. */
  readonly isEnd: boolean
  /** Pending tasks that expire within the time, by type. */
  readonly expiring: readonly { readonly type: string; readonly count: number }[]
}

export interface MoveRequest {
  readonly ids: readonly string[]
}

export interface MoveAnswer {
  /** One for each id, in its order. */
  readonly results: readonly MoveResult[]
}

export type MoveResult =
  | { readonly kind: "ok"; readonly task: TaskRecord }
  | { readonly kind: "illegal"; readonly from: Status; readonly to: Status }
  /** To be run again its job would have to run again, and that has failed or was cancelled. */
  | { readonly kind: "job_ended"; readonly job: JobRecord }
  | { readonly kind: "missing" }

export interface SweepRequest {
  readonly backoff: Backoff
  /** In [0, 1): jitter for what comes back. */
  readonly random: number
  /** Finished tasks older than this are removed, with their idempotency keys; null keeps them. Archived tasks stay. */
  readonly retentionMs: number | null
}

export interface SweepAnswer {
  readonly rescued: number
  readonly expired: number
  /** Cancelled or asked to stop because their job has ended. */
  readonly stopped: number
  readonly removed: number
  /** Nothing lasting: lanes, flows, workers and jobs that no task needs any more. */
  readonly forgotten: number
  /** The budget ended it: there is more to sweep now. */
  readonly more: boolean
}

export interface StoreDescription {
  readonly kind: string
  readonly namespace: string
  /** In words: what an acknowledged write survives. */
  readonly durability: string
  /** Facts for `doctor`, in the order they are shown. */
  readonly facts: Readonly<Record<string, string | number>>
}
