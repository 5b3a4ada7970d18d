// For workers in any language: who is there, what they know, and the one call that a worker lives by.

import { z } from "zod"
import { documentOf } from "../../queue/document.ts"
import type { Queue } from "../../queue/index.ts"
import { defineLimit, type PolicyOptions } from "../../queue/index.ts"
import { routeRefusal } from "../../queue/refusals.ts"
import { readGates } from "../../queue/task-gates.ts"
import { budgets, type ExchangeAnswer, type ExchangeRequest, toDocument } from "../../store/index.ts"
import type { Outcome } from "../../task/index.ts"
import { parseDuration, toJson } from "../../units/index.ts"
import { sleep } from "../../world/index.ts"
import { type Asked, type Route, route } from "../route.ts"
import { duration, gateInput, instant, name, taskDocument, taskId } from "../schemas.ts"

const tag = "workers"
const workerId = z.string().min(1).max(256)
const longestWaitMs = 60_000
const shortestLeaseMs = 1_000
const longestLeaseMs = 86_400_000

const rate = z.union([z.string().max(64), z.array(z.string().max(64)).max(8)])

const hello = route({
  method: "post",
  path: "/api/v1/hello",
  access: "admin",
  tag,
  summary: "A worker says which types it serves and which limits they pass",
  details:
    "Before its first claim and every 30 seconds. A type without `limits` passes none: its tasks that nobody has routed may be claimed from now on. Tasks of types with limits have to be routed, where they were submitted without gates.",
  body: z.strictObject({
    worker_id: workerId,
    task_types: z.array(z.union([name, z.strictObject({ task_type: name, limits: z.array(name).max(32).optional() })])).max(1_000),
    limits: z
      .array(z.strictObject({ name, rate: rate.optional(), concurrency: z.int().optional() }))
      .max(1_000)
      .optional(),
  }),
  answer: z.object({ now: instant, disagreements: z.array(z.string()), routed: z.int() }),
  async handle({ body, queue }) {
    const types = body.task_types.map((one) =>
      typeof one === "string" ? { type: one, limits: [] } : { type: one.task_type, limits: one.limits ?? [] },
    )
    const limits = (body.limits ?? []).map(({ name: limit, ...policy }) => ({
      name: limit,
      policy: defineLimit(limit, policy as PolicyOptions).policy,
    }))
    const answer = await queue.store.hello({ workerId: body.worker_id, types, limits })
    const free = types.filter((one) => one.limits.length === 0).map(({ type }) => type)
    const routed = free.length === 0 ? 0 : await routeFree(queue, free)
    return { now: documentOf(new Date(answer.nowMs)), disagreements: answer.disagreements, routed }
  },
})

const mostRouted = 10_000

/** Those that pass no gate can be routed by anybody who knows that. */
async function routeFree(queue: Queue, types: readonly string[]): Promise<number> {
  let routed = 0
  while (routed < mostRouted) {
    const { tasks } = await queue.store.unrouted({ types, limit: budgets.routes })
    if (tasks.length === 0) break
    await queue.store.route({ routes: tasks.map(({ id }) => ({ id, gates: [], flow: null })) })
    routed += tasks.length
  }
  return routed
}

const unrouted = route({
  method: "get",
  path: "/api/v1/unrouted",
  access: "admin",
  tag,
  summary: "Tasks that were submitted without their gates",
  query: z.strictObject({ task_type: name, limit: z.coerce.number().int().min(1).max(budgets.routes).optional() }),
  answer: z.object({ tasks: z.array(taskDocument) }),
  async handle({ query, queue }) {
    const { tasks } = await queue.store.unrouted({ types: [query.task_type], limit: query.limit ?? budgets.routes })
    return { tasks: tasks.map((task) => toDocument(task)) }
  },
})

const routes = route({
  method: "post",
  path: "/api/v1/routes",
  access: "admin",
  tag,
  summary: "Give such tasks their gates, or say why they have none: then they fail",
  body: z.strictObject({
    routes: z
      .array(
        z.union([
          z.strictObject({ id: taskId, gates: z.array(gateInput).max(32) }),
          z.strictObject({ id: taskId, error: z.string().max(4_096) }),
        ]),
      )
      .min(1)
      .max(budgets.routes),
  }),
  answer: z.object({ results: z.array(z.object({ id: taskId, kind: z.string(), message: z.string().optional() })) }),
  async handle({ body, queue }) {
    const asked = body.routes.map((one) =>
      "error" in one ? one : { id: one.id, gates: readGates("routes: gates", one.gates), flow: null },
    )
    const { results } = await queue.store.route({ routes: asked })
    return {
      results: results.map((result, i) => ({
        id: asked[i]?.id,
        kind: result.kind,
        ...(result.kind === "ok" || result.kind === "stale" ? {} : { message: routeRefusal("routes", result).message }),
      })),
    }
  },
})

const status = z.int().min(100).max(599)
const error = z.string().max(65_536)
const outcome = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("completed"), output: z.unknown().optional() }),
    z.strictObject({ kind: z.literal("retried"), error, delay: duration.optional(), status: status.optional() }),
    z.strictObject({ kind: z.literal("failed"), error, status: status.optional() }),
    z.strictObject({
      kind: z.literal("rescheduled"),
      delay: duration.optional(),
      delay_seconds: z.number().min(0).optional(),
      extend_expiration: duration.optional(),
      reason: z.string().max(4_096).optional(),
    }),
    z.strictObject({
      kind: z.literal("throttled"),
      error: error.optional(),
      status: status.optional(),
      limit: name.optional(),
      retry_after: duration.optional(),
    }),
    z.strictObject({ kind: z.literal("released"), reason: z.string().max(4_096).optional() }),
    z.strictObject({ kind: z.literal("cancelled") }),
  ])
  .meta({ id: "Outcome" })

const exchangeBody = z.strictObject({
  worker_id: workerId,
  lease: duration.optional().meta({ description: "How long a claim holds without a sign of life; 30s if not given" }),
  settles: z
    .array(z.strictObject({ id: taskId, fence: z.int().min(1), outcome }))
    .max(1_000)
    .optional(),
  heartbeats: z
    .array(z.strictObject({ id: taskId, fence: z.int().min(1), progress: z.unknown().optional() }))
    .max(1_000)
    .optional(),
  claim: z
    .strictObject({
      task_types: z.array(name).min(1).max(1_000),
      max: z.int().min(1).max(budgets.claimTasks).optional(),
      number: z.int().min(1).optional().meta({
        description:
          "Grows with each claim of this worker: a claim whose answer was lost is asked again with its number and gets what it got. Left out, the server counts, and what was lost comes back when its lease ends",
      }),
    })
    .optional(),
  wait: duration
    .optional()
    .meta({ description: "With a claim that finds nothing: answer when there may be something, after so long at the latest (up to 60s)" }),
})

const exchange = route({
  method: "post",
  path: "/api/v1/exchange",
  access: "admin",
  tag,
  summary: "Settle, keep alive and claim, in one atomic step",
  details:
    "What a worker lives by. With `wait` it is a long poll: nothing claimed means that there may be something now, or that the time is over; ask again.",
  body: exchangeBody,
  answer: z.object({
    now: instant,
    settled: z.array(z.object({ kind: z.enum(["ok", "stale"]), status: z.string().optional() })),
    kept: z.array(z.enum(["ok", "stale"])),
    claimed: z.array(taskDocument),
    cancelled: z.array(z.object({ id: taskId, fence: z.int() })).meta({ description: "Tasks of this worker that were asked to stop" }),
    more: z.boolean(),
    next_at: instant.nullable(),
    blocked_by: z.string().nullable(),
    unrouted: z.array(z.string()),
  }),
  async handle(asked) {
    const answer = await exchanged(asked)
    return {
      now: documentOf(new Date(answer.nowMs)),
      settled: answer.settled,
      kept: answer.kept,
      claimed: answer.claimed.map((task) => toDocument(task)),
      cancelled: answer.cancelled,
      more: answer.more,
      next_at: answer.nextAtMs === null ? null : documentOf(new Date(answer.nextAtMs)),
      blocked_by: answer.blockedBy,
      unrouted: answer.unrouted,
    }
  },
})

async function exchanged({ body, queue, realm, signal }: Asked<unknown, unknown, z.output<typeof exchangeBody>>): Promise<ExchangeAnswer> {
  const { world, store } = queue
  const { news } = realm.watcher
  // Counted before the claim: what comes behind it ends the wait.
  const seen = news.count
  const leaseMs = bounded(body.lease === undefined ? 30_000 : parseDuration("lease", body.lease), shortestLeaseMs, longestLeaseMs)
  const number = body.claim && (body.claim.number ?? realm.claimNumbers.next((await store.now({})).nowMs))
  const isOwnNumber = body.claim?.number !== undefined
  const max = body.claim?.max ?? 1
  const request: ExchangeRequest = {
    workerId: body.worker_id,
    leaseMs,
    settles: (body.settles ?? []).map((settle) => ({
      ...{ id: settle.id, fence: settle.fence, outcome: outcomeOf(queue, settle.outcome) },
      ...{ spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null },
    })),
    heartbeats: (body.heartbeats ?? []).map(({ id, fence, progress }) => ({
      id,
      fence,
      progress: progress === undefined ? null : toJson("progress", progress, queue.maxInputBytes),
    })),
    claim: body.claim && number !== undefined ? { number, max, types: body.claim.task_types.map((type) => ({ type, room: max })) } : null,
  }
  const sentAtMs = world.monotonicMs()
  const answer = await (isOwnNumber ? store.exchange(request) : realm.claimNumbers.exchange(store, request))
  realm.guests.tell(request, answer, sentAtMs)
  const hasFound =
    answer.claimed.length > 0 || answer.more || answer.cancelled.length > 0 || answer.settled.length > 0 || answer.unrouted.length > 0
  if (!body.claim || body.wait === undefined || hasFound) return answer
  const waitMs = Math.min(
    longestWaitMs,
    parseDuration("wait", body.wait),
    answer.nextAtMs === null ? longestWaitMs : Math.max(0, answer.nextAtMs - answer.nowMs),
  )
  if (waitMs > 0) await news.past(seen, waitMs, signal)
  else await sleep(world, 0)
  return answer
}

function outcomeOf(queue: Queue, sent: z.output<typeof outcome>): Outcome {
  const { world, maxInputBytes } = queue
  const ms = (value: z.output<typeof duration> | undefined, otherwise: number) =>
    value === undefined ? otherwise : parseDuration("delay", value)
  switch (sent.kind) {
    case "completed":
      return { kind: "completed", output: sent.output === undefined ? null : toJson("output", sent.output, maxInputBytes) }
    case "retried":
      return {
        kind: "retried",
        error: sent.error,
        delayMs: ms(sent.delay, Math.round(world.random() * 2_000)),
        ...(sent.status === undefined ? {} : { status: sent.status }),
      }
    case "failed":
      return { kind: "failed", error: sent.error, ...(sent.status === undefined ? {} : { status: sent.status }) }
    case "rescheduled":
      return {
        kind: "rescheduled",
        delayMs: sent.delay_seconds === undefined ? ms(sent.delay, 0) : Math.round(sent.delay_seconds * 1_000),
        extendExpirationMs: ms(sent.extend_expiration, 0),
        reason: sent.reason ?? null,
      }
    case "throttled":
      return {
        kind: "throttled",
        error: sent.error ?? "rate limited",
        status: sent.status ?? 429,
        limit: sent.limit ?? null,
        retryAfterMs: sent.retry_after === undefined ? null : parseDuration("retry_after", sent.retry_after),
        delayMs: ms(sent.retry_after, 2_000),
        random: world.random(),
      }
    case "released":
      return { kind: "released", reason: sent.reason ?? "released" }
    case "cancelled":
      return { kind: "cancelled" }
  }
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

const list = route({
  method: "get",
  path: "/api/v1/workers",
  access: "read",
  tag,
  summary: "Workers that were heard of in the last 90 seconds",
  answer: z.object({
    workers: z.array(z.object({ id: z.string(), types: z.array(z.string()), seen_at: instant, running: z.int() })),
  }),
  handle: async ({ queue }) => ({ workers: documentOf(await queue.workers()) }),
})

export const workerRoutes: readonly Route[] = [list, hello, exchange, unrouted, routes]
