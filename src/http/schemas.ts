// The documents of the API as schemas: the same that the CLI's --json prints. What people send is checked for its shape here; what it
// means is checked by the queue, whose messages say what to do.

import { z } from "zod"
import type { JobDocument } from "../queue/index.ts"
import type { TaskDocument } from "../store/index.ts"
import { jobStatuses, jobTallies, statuses } from "../task/index.ts"

export const instant = z.string().meta({ format: "date-time", description: "ISO 8601, UTC" })
const instantOrNull = instant.nullable()
/** Not "integer" alone: that would tell of 2^53 in every place. */
const count = z.int().min(0)

export const taskId = z.string().min(1).max(128)
export const name = z.string().min(1).max(128)
export const key = z.string().max(512)
export const status = z.enum(statuses)
/** "500ms", "30s", "1h"; or milliseconds. */
export const duration = z.union([z.string().max(64), z.number()]).meta({ description: 'A duration such as "30s" or "1h", or milliseconds' })
export const until = z.string().max(64).meta({ description: 'A time with its zone, or how long from now: "2026-01-28T17:00:00Z", "1h"' })
export const pageSize = z.coerce.number().int().min(1).max(1_000)
export const cursor = z.string().max(1_024)

export const taskDocument = z
  .object({
    id: taskId,
    task_type: name,
    status,
    input: z.unknown(),
    output: z.unknown(),
    progress: z.unknown(),
    priority: z.int(),
    tags: z.array(z.string()),
    job_id: z.string().nullable(),
    idempotency_key: z.string().nullable(),
    gates: z.array(z.string()).nullable(),
    created_at: instant,
    updated_at: instant,
    available_at: instant,
    estimated_start_at: instantOrNull,
    expires_at: instantOrNull,
    expired_at: instantOrNull,
    started_at: instantOrNull,
    completed_at: instantOrNull,
    cancel_requested_at: instantOrNull,
    retry_count: count,
    max_retries: count,
    reschedule_count: count,
    max_reschedules: count.nullable(),
    throttle_count: count,
    max_throttles: count.nullable(),
    crash_count: count,
    attempt: count,
    fence: count,
    version: count,
    worker_id: z.string().nullable(),
    lease_expires_at: instantOrNull,
    timeout_seconds: z.number(),
    last_error: z.string().nullable(),
  })
  .meta({ id: "Task" }) satisfies z.ZodType<Mutable<TaskDocument>>

type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends readonly (infer Item)[]
    ? Item[]
    : T[K] extends readonly (infer Item)[] | null
      ? Item[] | null
      : T[K]
}

export const counts = z
  .object(Object.fromEntries(statuses.map((one) => [one, count])) as Record<(typeof statuses)[number], z.ZodInt>)
  .meta({ id: "Counts" })

export const gateInput = z.union([
  z.string().max(641),
  z.strictObject({ limit: name, key: key.optional(), cost: z.int().min(1).optional(), maxCost: z.int().min(1).optional() }),
])

/** What a submission may say, in the names of the task's document. */
const taskSettings = {
  priority: z.int().optional(),
  tags: z.array(z.string()).max(32).optional(),
  ttl: duration.optional(),
  ttl_seconds: z.number().optional(),
  timeout: duration.optional(),
  timeout_seconds: z.number().optional(),
  max_retries: z.int().optional(),
  max_reschedules: z.int().nullable().optional(),
  max_throttles: z.int().nullable().optional(),
  flow: key.optional(),
  gates: z.array(gateInput).max(32).optional().meta({ description: '"limit/key" each. Left out, a worker that has the code says which' }),
}

export const jobTaskBody = z.strictObject({
  task_type: name,
  input: z.unknown().optional(),
  ...taskSettings,
  expires_at: instant.optional(),
  delay: duration.optional(),
  schedule_at: instant.optional(),
  idempotency_key: key.optional(),
})

export const submitBody = jobTaskBody.extend({ job_id: z.string().max(512).optional() }).meta({ id: "Submission" })

export const submitted = taskDocument.extend({ warning: z.string().nullable() }).meta({ id: "Submitted" })

export const historyItem = z
  .object({ version: count, at: instant, status, event: z.string(), text: z.string() })
  .loose()
  .meta({ id: "HistoryItem" })

const policy = z
  .record(z.string(), z.unknown())
  .meta({ id: "Policy", description: "What a limit allows, in microseconds; see `docs/internals/gates.md`" })

export const gateDocument = z
  .object({
    gate: z.string(),
    limit: name,
    key,
    policy,
    policy_text: z.string().meta({ description: "What holds, in words" }),
    is_overridden: z.boolean(),
    levels: z.array(z.object({ used: z.number(), of: z.number(), per_ms: z.number() })),
    slots: z.object({ held: count, of: count }).nullable(),
    waiting_tasks: count,
    waiting_cost: z.number(),
    waiting_calls: count,
    opens_at: instantOrNull,
    is_paused: z.boolean(),
    closed_until: instantOrNull,
    cooldown: z.object({ until: instant, count }).nullable(),
    refusals: count,
    learned: z
      .object({
        preset: z.enum(["scout", "linear"]).nullable(),
        every_ms: z.number().nullable(),
        slots: count.nullable(),
        error_streak: count,
        success_streak: count,
        adaptive_delay: z.number(),
        delay_floor: z.number(),
        next_available: instantOrNull,
        last_success: instantOrNull,
        version: count,
      })
      .nullable(),
  })
  .loose()
  .meta({ id: "Gate" })

const setting = z.object({
  override: policy.nullable(),
  override_until: instantOrNull,
  is_paused: z.boolean(),
  closed_until: instantOrNull,
})

export const limitDocument = z
  .object({
    name,
    base: policy.nullable(),
    declarations: z.array(z.object({ policy, seen_at: instant })),
    settings: z.record(z.string(), setting),
    gate_count: count,
    waiting_tasks: count,
    base_text: z.string().nullable().meta({ description: "What the code says, in words" }),
    gate: gateDocument.meta({ description: "The gate without a key: what holds where no key has settings of its own" }),
  })
  .meta({ id: "Limit" })

export const forecastDocument = z
  .object({ at: instantOrNull, latest: instantOrNull, basis: z.string(), gate: z.string().nullable() })
  .meta({ id: "Forecast" })

export const explanation = z
  .object({
    now: instant,
    task: taskDocument,
    status,
    forecast: forecastDocument.nullable(),
    gates: z.array(gateDocument),
    held_by: z.string().nullable(),
    tasks_ahead: count.nullable(),
    position: count.nullable(),
    live_workers: count,
    is_unrouted: z.boolean(),
    expires_first: z.boolean(),
    text: z.string(),
  })
  .meta({ id: "Explanation" })

export const jobDocument = z
  .object({
    id: z.string(),
    name,
    status: z.enum(jobStatuses),
    is_open: z.boolean(),
    error: z.string().nullable(),
    total: count,
    ended: count,
    progress: z.number(),
    tasks: z.object(Object.fromEntries(jobTallies.map((one) => [one, count])) as Record<(typeof jobTallies)[number], z.ZodInt>),
    rate_per_second: z.number().nullable(),
    estimated_finish_at: instantOrNull,
    estimated_finish_basis: z.enum(["rate", "gate"]).nullable(),
    estimated_finish_gate: z.string().nullable(),
    concurrency: count.nullable(),
    failure_threshold: count.nullable(),
    failure_streak: count,
    exempt_statuses: z.array(z.int()),
    throttle_streak: count,
    throttle_count: count,
    created_at: instant,
    started_at: instantOrNull,
    ended_at: instantOrNull,
    on_complete_task_id: z.string().nullable(),
  })
  .meta({ id: "Job" }) satisfies z.ZodType<Mutable<JobDocument>>

export const jobDetail = jobDocument
  .extend({
    held_by: z.string().nullable(),
    slots: z.object({ held: count, of: count }).nullable(),
    gates: z.array(gateDocument),
    running: z.array(taskDocument),
  })
  .meta({ id: "JobDetail" })

export const catchUp = z.union([z.enum(["none", "last"]), z.strictObject({ all: z.int().min(1).max(1_000) })])

export const scheduleBody = z
  .strictObject({
    cron: z.string().max(256),
    timezone: z.string().max(64).optional(),
    catch_up: catchUp.optional(),
    task_type: name,
    input: z.unknown().optional(),
    ...taskSettings,
  })
  .meta({ id: "ScheduleSubmission" })

export const scheduleDocument = z
  .object({
    name,
    cron: z.string(),
    timezone: z.string(),
    catch_up: catchUp,
    task_type: name,
    input: z.unknown(),
    is_paused: z.boolean(),
    next_at: instantOrNull,
    last_at: instantOrNull,
    last_task_id: z.string().nullable(),
    last_error: z.string().nullable(),
    version: count,
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "Schedule" })

export const changeDocument = z
  .object({
    number: count,
    at: instant,
    limit: name,
    key,
    change: z.object({ kind: z.string() }).loose(),
    by: z.string(),
    text: z.string(),
  })
  .meta({ id: "LimitChange" })

export const errorDocument = z
  .object({ error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }) })
  .meta({ id: "Error" })
