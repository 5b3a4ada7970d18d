// What the server sends, as far as the page shows it. A test of types holds these against the schemas of the routes.

export const statuses = ["pending", "running", "completed", "failed", "cancelled", "expired", "archived"] as const
export type Status = (typeof statuses)[number]

/** ISO 8601, UTC. */
export type Instant = string

export interface SessionDocument {
  readonly role: "admin" | "read"
  readonly needs_token: boolean
  readonly now: Instant
  readonly namespace: string
  readonly store: string
}

export interface TaskDocument {
  readonly id: string
  readonly task_type: string
  readonly status: Status
  readonly input: unknown
  readonly output: unknown
  readonly progress: unknown
  readonly priority: number
  readonly tags: readonly string[]
  readonly job_id: string | null
  readonly idempotency_key: string | null
  readonly gates: readonly string[] | null
  readonly created_at: Instant
  readonly available_at: Instant
  readonly estimated_start_at: Instant | null
  readonly expires_at: Instant | null
  readonly expired_at: Instant | null
  readonly started_at: Instant | null
  readonly completed_at: Instant | null
  readonly cancel_requested_at: Instant | null
  readonly retry_count: number
  readonly max_retries: number
  readonly reschedule_count: number
  readonly max_reschedules: number | null
  readonly throttle_count: number
  readonly max_throttles: number | null
  readonly crash_count: number
  readonly attempt: number
  readonly version: number
  readonly worker_id: string | null
  readonly lease_expires_at: Instant | null
  readonly timeout_seconds: number
  readonly last_error: string | null
}

export type Counts = Readonly<Record<Status, number>>

export interface TasksPage {
  readonly tasks: readonly TaskDocument[]
  readonly cursor: string | null
}

export interface HistoryItem {
  readonly version: number
  readonly at: Instant
  readonly status: Status
  readonly event: string
  readonly text: string
}

export interface RatePolicyDocument {
  readonly limit: number
  readonly per_us: number
  readonly provider: string
  readonly burst: number
}

/** Of the parts of a policy those that can be edited. */
export interface PolicyDocument {
  readonly rates?: readonly RatePolicyDocument[]
  readonly concurrency?: number | null
}

export interface GateDocument {
  readonly gate: string
  readonly limit: string
  readonly key: string
  readonly policy: PolicyDocument
  readonly policy_text: string
  readonly is_overridden: boolean
  readonly levels: readonly { readonly used: number; readonly of: number; readonly per_ms: number }[]
  readonly slots: { readonly held: number; readonly of: number } | null
  readonly waiting_tasks: number
  readonly waiting_calls: number
  readonly opens_at: Instant | null
  readonly is_paused: boolean
  readonly closed_until: Instant | null
  readonly cooldown: { readonly until: Instant; readonly count: number } | null
  readonly refusals: number
  readonly learned: LearnedDocument | null
}

export interface LearnedDocument {
  readonly preset: "scout" | "linear" | null
  readonly every_ms: number | null
  readonly slots: number | null
  readonly error_streak: number
  readonly success_streak: number
}

/** The distance between starts that a gate has learned, from `at` on. */
export interface CoursePoint {
  readonly at: Instant
  readonly every_ms: number | null
}

export interface GatesPage {
  readonly gates: readonly GateDocument[]
  readonly cursor: string | null
  /** By gate; only of those that have learned something. */
  readonly courses: Readonly<Record<string, readonly CoursePoint[]>>
}

export interface LimitDocument {
  readonly name: string
  readonly base: PolicyDocument | null
  readonly base_text: string | null
  readonly settings: Readonly<Record<string, LimitSetting>>
  readonly gate_count: number
  readonly waiting_tasks: number
  readonly gate: GateDocument
}

export interface LimitSetting {
  readonly override: PolicyDocument | null
  readonly override_until: Instant | null
  readonly is_paused: boolean
  readonly closed_until: Instant | null
}

export interface ChangeDocument {
  readonly number: number
  readonly at: Instant
  readonly limit: string
  readonly key: string
  readonly by: string
  readonly text: string
}

export interface ForecastDocument {
  readonly at: Instant | null
  readonly latest: Instant | null
  readonly basis: string
  readonly gate: string | null
}

export interface ExplanationDocument {
  readonly now: Instant
  readonly task: TaskDocument
  readonly forecast: ForecastDocument | null
  readonly gates: readonly (GateDocument & { readonly cost: number; readonly ahead_cost: number })[]
  readonly held_by: string | null
  readonly position: number | null
  readonly live_workers: number
  readonly expires_first: boolean
  readonly text: string
}

export interface JobDocument {
  readonly id: string
  readonly name: string
  readonly status: "running" | "completed" | "failed" | "cancelled"
  readonly is_open: boolean
  readonly error: string | null
  readonly total: number
  readonly ended: number
  readonly progress: number
  readonly tasks: Readonly<Record<Exclude<Status, "archived">, number>>
  readonly rate_per_second: number | null
  readonly estimated_finish_at: Instant | null
  readonly estimated_finish_gate: string | null
  readonly concurrency: number | null
  readonly failure_threshold: number | null
  readonly failure_streak: number
  readonly throttle_count: number
  readonly created_at: Instant
  readonly started_at: Instant | null
  readonly ended_at: Instant | null
  readonly on_complete_task_id: string | null
}

export interface JobDetailDocument extends JobDocument {
  readonly held_by: string | null
  readonly slots: { readonly held: number; readonly of: number } | null
  readonly gates: readonly GateDocument[]
  readonly running: readonly TaskDocument[]
}

export interface ScheduleDocument {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly task_type: string
  readonly input: unknown
  readonly is_paused: boolean
  readonly next_at: Instant | null
  readonly last_at: Instant | null
  readonly last_task_id: string | null
  readonly last_error: string | null
}

export interface WorkerDocument {
  readonly id: string
  readonly types: readonly string[]
  readonly seen_at: Instant
  readonly running: number
}

export const waitingReasons = ["gate", "ready", "not_due", "no_worker", "unrouted"] as const
export type WaitingReason = (typeof waitingReasons)[number]

/** Per second since the one before, where it is not of that moment. */
export interface SampleDocument {
  readonly at: Instant
  readonly waiting: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly expired: number
}

export interface OverviewDocument {
  readonly now: Instant
  readonly namespace: string
  readonly store: string
  readonly counts: Counts
  readonly waiting_by_reason: Readonly<Record<WaitingReason, number>>
  readonly is_estimate: boolean
  readonly oldest_waiting: { readonly id: string; readonly task_type: string; readonly since: Instant; readonly seconds: number } | null
  readonly live_workers: number
}

export interface ForecastsDocument {
  readonly limits: readonly { readonly name: string; readonly waiting_tasks: number; readonly gates: readonly GateDocument[] }[]
  readonly errors: readonly {
    readonly task_type: string
    readonly count: number
    readonly p50_below_ms: number
    readonly p99_below_ms: number
  }[]
}

export interface BulkAnswer {
  readonly changed: number
  readonly results: readonly { readonly id: string; readonly kind: string }[]
  readonly cursor: string | null
}
