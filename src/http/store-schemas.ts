// What each operation of the store contract takes, as a schema: whatever comes over the network is looked at before a store believes
// it. Numbers that are the answer to nothing (a lease of a thousand years, a page of a million) are bounded.

import { z } from "zod"
import { type GatePolicy, type Taught, wholeShare } from "../limits/index.ts"
import type { LimitChange } from "../store/index.ts"
import { budgets, isTaughtByAnybody, type Operation, type Store } from "../store/index.ts"
import { isNewTask } from "../store/job-sound.ts"
import { isChange, isGateRefs, isPolicy, lastMs } from "../store/sound.ts"
import { isKeptSchedule } from "../store/sound-schedule.ts"
import { type GateRef, jobStatuses, type NewJob, type NewSchedule, type NewTask, statuses } from "../task/index.ts"

const id = z.string().min(1).max(512)
const name = z.string().min(1).max(512)
const key = z.string().max(512)
const nameOrNull = name.nullable()
const count = z.int().min(0)
const page = z.int().min(0).max(1_000_000)
const time = z.int().min(-lastMs).max(lastMs)
const timeOrNull = time.nullable()
const ageMs = z.number().min(0).max(lastMs)
const ageOrNull = ageMs.nullable()
/** The longest that people can give: now and so much more is a time. */
const retryAfterMs = z
  .number()
  .min(0)
  .max(100_000 * 365 * 86_400_000)
  .nullable()
/** What is kept is whole: no store could read a part of a millisecond, or of a cost, again. */
const durationMs = z.int().min(0).max(lastMs)
const cost = z.int().min(0)
const leaseMs = z
  .int()
  .min(1)
  .max(86_400_000 * 7)
const random = z.number().min(0).max(1)
const text = z.string()
const ids = z.array(id).max(10_000)
const none = z.strictObject({})
const json = z.string().refine(isJson, "expected JSON text")

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

const newTask = z.custom<NewTask>((value) => isNewTask(value) && isJson((value as NewTask).input), "expected a task")
const gates = z.custom<readonly GateRef[]>((value) => isGateRefs(value), "expected gates")
const policy = z.custom<GatePolicy>((value) => isPolicy(value), "expected a policy")
const taught = z.custom<Taught>((value) => isTaughtByAnybody(value), "expected what gates learn")

const newJob = z.strictObject({
  id,
  name,
  isOpen: z.boolean(),
  concurrency: count.nullable(),
  failureThreshold: count.nullable(),
  exemptStatuses: z.array(z.int()).max(1_000),
  cancelAfterThrottles: z.strictObject({ count, delayMs: durationMs }).nullable(),
  onComplete: newTask.nullable(),
}) satisfies z.ZodType<NewJob, unknown>

const quota = z.strictObject({
  name: text.max(512),
  limit: z.number().nullable(),
  remaining: z.number().nullable(),
  resetMs: z.number().nullable(),
  windowMs: z.number().nullable(),
})

const heard = z
  .array(
    z.strictObject({
      limit: nameOrNull,
      kind: z.enum(["served", "refused", "told"]),
      reason: z.enum(["rate", "concurrency"]),
      retryAfterMs,
      quotas: z.array(quota).max(100),
      sentAgoMs: ageMs,
      respondedAgoMs: ageMs,
      random,
    }),
  )
  .max(10_000)

const status = z.int().min(0).max(999)
const outcome = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("completed"), output: json.nullable() }),
  z.strictObject({ kind: z.literal("retried"), error: text, delayMs: durationMs, status: status.optional() }),
  z.strictObject({ kind: z.literal("failed"), error: text, status: status.optional() }),
  z.strictObject({ kind: z.literal("rescheduled"), delayMs: durationMs, extendExpirationMs: durationMs, reason: text.nullable() }),
  z.strictObject({
    kind: z.literal("throttled"),
    error: text,
    status: status.nullable(),
    limit: nameOrNull,
    retryAfterMs,
    delayMs: durationMs,
    random,
    scope: z.literal("task").optional(),
    cap: count.optional(),
  }),
  z.strictObject({ kind: z.literal("released"), reason: text }),
  z.strictObject({ kind: z.literal("cancelled") }),
])

const settle = z.strictObject({
  id,
  fence: count,
  outcome,
  spent: z.array(z.strictObject({ limit: name, actual: cost })).max(1_000),
  sentAgoMs: ageOrNull,
  respondedAgoMs: ageOrNull,
  rttMs: ageOrNull,
  heard: heard.optional(),
})

const exchange = z.strictObject({
  workerId: id,
  settles: z.array(settle).max(10_000),
  heartbeats: z.array(z.strictObject({ id, fence: count, progress: json.nullable() })).max(10_000),
  leaseMs,
  claim: z
    .strictObject({ number: count, types: z.array(z.strictObject({ type: name, room: z.int() })).max(10_000), max: z.int() })
    .nullable(),
})

/** One that waited and runs already is told as it was asked for. */
const callAsked = z.object({ id, limit: name, key, cost: cost.min(1), isFurther: z.boolean() })

const hold = z.strictObject({
  ownerId: id,
  number: count,
  leaseMs,
  release: z
    .array(z.strictObject({ id, spent: cost.nullable(), sentAgoMs: ageOrNull, respondedAgoMs: ageOrNull, rttMs: ageOrNull, heard }))
    .max(10_000),
  renew: z.array(z.strictObject({ id })).max(10_000),
  adopt: z.array(callAsked).max(10_000),
  acquire: z.array(callAsked.extend({ waitMs: ageMs })).max(10_000),
  sinceMs: time,
  shares: z
    .array(
      z.strictObject({
        limit: name,
        from: count.max(wholeShare),
        to: count.max(wholeShare),
        fallbackMs: durationMs,
        isUsing: z.boolean(),
        isLeaving: z.boolean(),
      }),
    )
    .max(10_000),
})

const limitChange = z.custom<LimitChange>(
  (value) => isTeaching(value) || (isChange(value) && (value as { kind: string }).kind !== "base"),
  "expected a change of a limit",
)

function isTeaching(value: unknown): boolean {
  return z.strictObject({ kind: z.literal("teach"), version: count.nullable(), taught: taught.nullable() }).safeParse(value).success
}

const newSchedule = z.custom<NewSchedule>((value) => isAskedSchedule(value), "expected a schedule")

/** What is kept of one that was just made. */
function isAskedSchedule(value: unknown): boolean {
  const { name: called } = (value ?? {}) as { name?: unknown }
  const fresh = { isPaused: false, lastAtMs: null, lastTaskId: null, lastError: null, version: 1, createdAtMs: 0, updatedAtMs: 0 }
  return typeof called === "string" && typeof value === "object" && isKeptSchedule({ ...value, ...fresh }, called)
}

const move = z.strictObject({ ids })

export const operationSchemas = {
  hello: z.strictObject({
    workerId: id.nullable(),
    types: z.array(z.strictObject({ type: name, limits: z.array(name).max(1_000) })).max(10_000),
    limits: z.array(z.strictObject({ name, policy })).max(10_000),
  }),
  submit: z.strictObject({ tasks: z.array(newTask).max(budgets.submitTasks), newJob: newJob.optional(), closeJob: id.optional() }),
  unrouted: z.strictObject({ types: z.array(name).max(10_000), limit: page }),
  route: z.strictObject({
    routes: z.array(z.union([z.strictObject({ id, gates, flow: text.nullable() }), z.strictObject({ id, error: text })])).max(10_000),
  }),
  exchange,
  permit: z.strictObject({
    id,
    fence: count,
    limit: nameOrNull,
    cost: cost.nullable(),
    withinMs: ageMs,
    heard: heard.optional(),
  }),
  hold,
  get: z.strictObject({ ids }),
  list: z.strictObject({
    statuses: z.array(z.enum(statuses)).nullable(),
    type: nameOrNull,
    tag: nameOrNull,
    jobId: nameOrNull,
    createdFromMs: timeOrNull,
    createdBeforeMs: timeOrNull,
    beforeSeq: z.int().nullable(),
    limit: page,
  }),
  history: z.strictObject({ id }),
  counts: z.strictObject({ type: nameOrNull }),
  cancel: move,
  retry: move,
  archive: move,
  expire: move,
  jobs: z.strictObject({
    ids: ids.nullable(),
    name: nameOrNull,
    statuses: z.array(z.enum(jobStatuses)).nullable(),
    beforeSeq: z.int().nullable(),
    limit: page,
  }),
  job: z.strictObject({ id }),
  changeJob: z.strictObject({
    id,
    change: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("cancel"), reason: text.nullable() }),
      z.strictObject({ kind: z.literal("close") }),
      z.strictObject({ kind: z.literal("concurrency"), concurrency: z.int().min(1).max(1_000_000) }),
    ]),
  }),
  explain: z.strictObject({ id }),
  limits: z.strictObject({ names: z.array(name).max(10_000).nullable() }),
  gates: z.strictObject({
    limit: name,
    keys: z.array(key).max(10_000).nullable(),
    afterKey: key.nullable(),
    count: page,
    withStates: z.literal(true).optional(),
  }),
  changeLimit: z.strictObject({ limit: name, key, change: limitChange, by: text.max(1_024) }),
  limitChanges: z.strictObject({ limit: nameOrNull, beforeNumber: z.int().nullable(), count: page }),
  forecastErrors: none,
  workers: z.strictObject({ limit: page }),
  waiting: z.strictObject({ afterSeq: count, expiringWithinMs: ageMs, limit: page }),
  saveSchedule: z.strictObject({ schedule: newSchedule, nextAtMs: timeOrNull }),
  schedules: z.strictObject({ names: z.array(name).max(10_000).nullable(), afterName: nameOrNull, count: page }),
  dueSchedules: z.strictObject({ count: page }),
  changeSchedule: z.strictObject({
    name,
    change: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("pause") }),
      z.strictObject({ kind: z.literal("resume"), nextAtMs: timeOrNull }),
      z.strictObject({ kind: z.literal("remove") }),
    ]),
  }),
  fire: z.strictObject({
    fires: z
      .array(
        z.strictObject({
          name,
          atMs: time,
          version: count,
          runs: z.array(z.strictObject({ id, atMs: time })).max(1_000),
          nextAtMs: timeOrNull,
        }),
      )
      .max(1_000),
  }),
  sweep: z.strictObject({
    backoff: z.strictObject({ baseMs: durationMs, factor: z.number().min(0).max(1_000), capMs: durationMs }),
    random,
    retentionMs: durationMs.nullable(),
  }),
  now: none,
  describe: none,
} satisfies { readonly [Name in Operation]: z.ZodType<Parameters<Store[Name]>[0], unknown> }
