// Exchange: everything a worker has to say and to ask, in one atomic step. Settles come first, so that what they free can
// be claimed in the same step; then heartbeats; then the claim.

import { neverUs } from "../limits/index.ts"
import {
  type Brief,
  type Change,
  cancel,
  expire,
  gateName,
  historyLimit,
  isExpiredAt,
  type JobNews,
  judge,
  type Outcome,
  renew,
  type Status,
  settle,
  type TaskRecord,
} from "../task/index.ts"
import { type Chosen, choose } from "./claim.ts"
import { budgets } from "./contract.ts"
import type { ClaimRequest, ExchangeAnswer, ExchangeRequest, SettleAnswer, SettleRequest } from "./exchange-contract.ts"
import { errorBucket } from "./forecast.ts"
import { pacedGates, throttleCap, waitsAtGate } from "./heard.ts"
import type { OfJob } from "./jobs.ts"
import { openDue } from "./openings.ts"
import { renewAtGates, settleAtGates } from "./passed.ts"
import type { Completion, Records } from "./records.ts"

/** What the step itself knows of the answer. */
export function exchange(records: Records, request: ExchangeRequest): Omit<ExchangeAnswer, "waitedMs"> {
  const settled = settleAll(records, request)
  records.jobs.conclude()
  const kept = keepAll(records, request)
  const paced = pacedGates(records)
  const claimed = request.claim ? claimOnce(records, request, request.claim) : nothing
  const scheduleAtMs = records.schedules.earliestAtMs()
  return {
    nowMs: records.nowMs,
    settled,
    kept,
    ...claimed,
    cancelled: records.cancelRequested(request.workerId).map(({ id, fence }) => ({ id, fence })),
    ...(paced.length > 0 ? { paced } : {}),
    ...(scheduleAtMs === null ? {} : { scheduleAtMs }),
  }
}

/** Completions go their own short way. A task that is settled twice in one exchange goes the long one, where the order counts. */
function settleAll(records: Records, request: ExchangeRequest): SettleAnswer[] {
  const answers: SettleAnswer[] = []
  const told: JobTold[] = []
  const found = loadCompleted(records, request.settles)
  // Where each names another task that is there, as mostly, none is named twice.
  const isOnce = found.size === request.settles.length || new Set(request.settles.map(({ id }) => id)).size === request.settles.length
  const left =
    isOnce && found.size > 0 ? completeAll(records, request.settles, found, answers, told) : request.settles.map((_, place) => place)
  if (left.length > 0) settleEach(records, request.settles, left, answers, told)
  for (const { task, news } of told.sort((a, b) => a.place - b.place)) records.jobs.tell(task, news)
  return answers
}

const stale: SettleAnswer = { kind: "stale" }
/** One for each, and the same for all who get it: nearly all answers are alike. */
const settledAs: Readonly<Record<Status, SettleAnswer>> = {
  pending: { kind: "ok", status: "pending" },
  running: { kind: "ok", status: "running" },
  completed: { kind: "ok", status: "completed" },
  failed: { kind: "ok", status: "failed" },
  cancelled: { kind: "ok", status: "cancelled" },
  expired: { kind: "ok", status: "expired" },
  archived: { kind: "ok", status: "archived" },
}

/** What jobs are told, in the order in which it was settled: what counts is what comes in a row. */
interface JobTold {
  readonly place: number
  readonly task: OfJob
  readonly news: JobNews
}

/** The tasks that are said to be completed. */
function loadCompleted(records: Records, settles: readonly SettleRequest[]): ReadonlyMap<string, Brief> {
  const ids: string[] = []
  for (const { id, outcome } of settles) if (outcome.kind === "completed") ids.push(id)
  return ids.length > 0 ? records.loadBrief(ids) : new Map()
}

/** Answers the completions that it can; gives back the places of all other settles. */
function completeAll(
  records: Records,
  settles: readonly SettleRequest[],
  found: ReadonlyMap<string, Brief>,
  answers: SettleAnswer[],
  told: JobTold[],
): number[] {
  const done: Completion[] = []
  const left: number[] = []
  for (const [place, settle] of settles.entries()) {
    const { fence, outcome } = settle
    const task = outcome.kind === "completed" ? found.get(settle.id) : undefined
    // A history that has to be trimmed is not just appended to.
    if (outcome.kind !== "completed" || (task && task.version >= historyLimit)) left.push(place)
    else {
      const verdict = task ? judge(task, fence, outcome.kind) : "stale"
      if (task && verdict === "ok") {
        done.push({ task, output: outcome.output })
        if (task.gates !== null && task.gates.length > 0) settleAtGates(records, task, settle)
        if (task.jobId !== null) told.push({ place, task, news: { kind: "completed" } })
      }
      answers[place] = verdict === "stale" || !task ? stale : settledAs[verdict === "ok" ? "completed" : task.status]
    }
  }
  records.complete(done)
  return left
}

function settleEach(
  records: Records,
  settles: readonly SettleRequest[],
  places: readonly number[],
  answers: SettleAnswer[],
  told: JobTold[],
): void {
  const found = records.load(places.map((place) => settles[place]?.id ?? ""))
  const latest = new Map<string, TaskRecord>()
  const changes: Change[] = []
  for (const place of places) {
    const { id, fence, outcome } = settles[place] as SettleRequest
    const task = latest.get(id) ?? found.get(id)
    const result = task ? settle(task, fence, atItsGate(records, task, outcome), records.nowMs) : null
    if (!task || !result || result.kind === "stale") answers[place] = stale
    else if (result.kind === "repeat") answers[place] = settledAs[task.status]
    else {
      latest.set(id, result.change.task)
      changes.push(result.change)
      answers[place] = settledAs[result.change.task.status]
      settleAtGates(records, task, settles[place] as SettleRequest)
      const news = task.jobId === null ? null : jobNews(records, result.change.task, outcome)
      if (news) told.push({ place, task, news })
    }
  }
  records.save(changes)
}

/** A refusal is none of the task's failures, even where it was one too many. */
function jobNews(records: Records, task: TaskRecord, outcome: Outcome): JobNews | null {
  if (outcome.kind === "throttled") {
    const everyUs = Math.max(0, ...(task.gates ?? []).map((ref) => records.gates.gate(ref)?.state.pace?.everyUs ?? 0))
    return outcome.status === null || outcome.status === 429 ? { kind: "throttled", everyMs: everyUs / 1_000 } : null
  }
  if (task.status === "completed") return { kind: "completed" }
  return task.status === "failed" ? { kind: "failed", status: ("status" in outcome ? outcome.status : null) ?? null } : null
}

/** A throttled task waits at the gate that cools down; only one that passes none of those has to wait by itself. */
function atItsGate(records: Records, task: TaskRecord, outcome: Outcome): Outcome {
  if (outcome.kind !== "throttled") return outcome
  const cap = throttleCap(records, task) ?? outcome.cap
  const delayMs = waitsAtGate(records, task, outcome) ? 0 : outcome.delayMs
  return { ...outcome, delayMs, ...(cap === undefined ? {} : { cap }) }
}

function keepAll(records: Records, request: ExchangeRequest): ("ok" | "stale")[] {
  if (request.heartbeats.length === 0) return []
  const found = records.load(request.heartbeats.map(({ id }) => id))
  const latest = new Map<string, TaskRecord>()
  const answers = request.heartbeats.map(({ id, fence, progress }) => {
    const task = latest.get(id) ?? found.get(id)
    const renewed = task ? renew(task, fence, records.nowMs, request.leaseMs, progress) : null
    if (renewed) {
      latest.set(id, renewed)
      renewAtGates(records, renewed)
    }
    return renewed ? "ok" : "stale"
  })
  records.keep([...latest.values()])
  return answers
}

type ClaimAnswer = Pick<ExchangeAnswer, "claimed" | "more" | "nextAtMs" | "blockedBy" | "touched" | "unrouted" | "isRepeat">

const nothing: ClaimAnswer = { claimed: [], more: false, nextAtMs: null, blockedBy: null, touched: 0, unrouted: [] }

/** A claim whose answer was lost is asked again with its number, and gets what it got. */
function claimOnce(records: Records, request: ExchangeRequest, asked: ClaimRequest): ClaimAnswer {
  if (asked.number <= records.claimNumber(request.workerId)) {
    const claimed = records.claimedBy(request.workerId, asked.number)
    return { ...nothing, claimed, more: true, touched: claimed.length, isRepeat: true }
  }
  records.saveWorker(
    request.workerId,
    asked.number,
    asked.types.map(({ type }) => type),
  )
  const promoted = promoteDue(records, asked)
  const taken = takeAll(records, asked, { ...request, nowMs: records.nowMs })
  const more = taken.more || promoted === budgets.promotions
  const types = [...new Set(asked.types.map(({ type }) => type))]
  const next = more ? null : nextTime(records, asked.types)
  return {
    claimed: taken.claimed,
    more,
    nextAtMs: next?.atMs ?? null,
    blockedBy: next?.gate ?? null,
    touched: taken.touched + promoted,
    unrouted: types.filter((type) => records.unrouted([type], 1).length > 0),
  }
}

/** A lane that has become ready may be refused by another gate, and leave room at the first: then those behind it get their chance. */
const mostRounds = 3

interface Taken {
  readonly claimed: readonly TaskRecord[]
  readonly more: boolean
  readonly touched: number
}

function takeAll(records: Records, asked: ClaimRequest, request: ExchangeRequest & { readonly nowMs: number }): Taken {
  const claimed: TaskRecord[] = []
  const rooms = new Map(asked.types.map(({ type, room }) => [type, room]))
  const max = Math.min(asked.max, budgets.claimTasks)
  let touched = 0
  // What settles have freed is shared out among all who wait for it, not taken by whoever happens to be ready.
  records.gates.tell()
  for (let round = 1; ; round++) {
    const left: ClaimRequest = { ...asked, max: max - claimed.length, types: [...rooms].map(([type, room]) => ({ type, room })) }
    touched += openDue(records, left.types, left.max > 0 ? left.max + budgets.dueGates : 0)
    const { leaseMs } = request
    const chosen = choose(records.backlog(), left, { drop: (task) => dropped(records, task), leaseMs, gates: records.gates })
    touched += chosen.touched
    for (const task of take(records, chosen, request)) claimed.push(task)
    for (const { type, tasks } of chosen.taken) rooms.set(type, (rooms.get(type) ?? 0) - tasks)
    records.gates.close()
    if (chosen.more) return { claimed, more: true, touched: touched + records.gates.size() }
    const isFull = claimed.length >= max
    const isDue = [...rooms].some(([type, room]) => (isFull || room > 0) && records.limits.dueGates(type, 1).length > 0)
    if (isFull || !isDue || round >= mostRounds)
      return { claimed, more: isDue && claimed.length > 0, touched: touched + records.gates.size() }
  }
}

/** Writes what was chosen. */
function take(records: Records, chosen: Chosen, request: ExchangeRequest): readonly TaskRecord[] {
  const claimNumber = request.claim?.number ?? 0
  const lease = { workerId: request.workerId, claimNumber, expiresAtMs: records.nowMs + request.leaseMs }
  recordForecasts(records, chosen.tasks)
  const claimed = records.start(chosen.tasks, lease)
  if (chosen.dropped.length > 0) records.save(chosen.dropped)
  // Served first: whoever goes to stand at a gate stands there by the virtual time that he has now.
  if (chosen.served.length > 0) records.serve(chosen)
  for (const { lane, gate } of chosen.parked) records.standAt(lane, gate)
  return claimed
}

/** What becomes of a task that cannot start any more: it is too late for it, or its job has ended. */
function dropped(records: Records, task: TaskRecord): Change | null {
  if (isExpiredAt(task, records.nowMs)) return expire(task, records.nowMs)
  if (!records.jobs.isOver(task)) return null
  const moved = cancel(task, records.nowMs)
  return moved.kind === "ok" ? moved.change : null
}

/** How far the forecast at submission was from the true start, of tasks that start for the first time. */
function recordForecasts(records: Records, tasks: readonly TaskRecord[]): void {
  const byType = new Map<string, Map<number, number>>()
  for (const task of tasks) {
    // Of one that passes no gate the forecast was that it starts when it is due.
    const toldMs = task.gates?.length === 0 ? task.availableAtMs : task.forecastAtMs
    if (task.fence > 0 || toldMs === null) continue
    let buckets = byType.get(task.type)
    if (!buckets) {
      buckets = new Map()
      byType.set(task.type, buckets)
    }
    const bucket = errorBucket(records.nowMs - toldMs)
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1)
  }
  for (const [type, buckets] of byType) records.limits.addForecastErrors(type, buckets)
}

/** Gates that only a change of their limit can open. */
const neverMs = Math.ceil(neverUs / 1_000)

/** When something that cannot be claimed now can be, if nothing else happens. */
function nextTime(records: Records, types: ClaimRequest["types"]): { readonly atMs: number; readonly gate: string | null } | null {
  let next: { atMs: number; gate: string | null } | null = null
  for (const { type, room } of types) {
    const atMs = records.nextDueAtMs(type)
    if (atMs !== null && (next === null || atMs < next.atMs)) next = { atMs, gate: null }
    // Without room nobody has looked into what is due: it would be told for ever.
    const opening = room > 0 ? records.limits.nextOpening(type) : null
    if (!opening || opening.atMs >= neverMs || (next !== null && opening.atMs >= next.atMs)) continue
    const gate = records.limits.gateByNumber(opening.gate)
    next = { atMs: opening.atMs, gate: gate && gateName(gate) }
  }
  return next
}

/** Moves what has become due into the lanes, for the types that this worker serves. */
function promoteDue(records: Records, asked: ClaimRequest): number {
  let left: number = budgets.promotions
  for (const { type } of asked.types) {
    if (left === 0) break
    const due = records.due(type, left)
    left -= due.length
    const late = due.flatMap((task) => dropped(records, task) ?? [])
    const ids = new Set(late.map(({ task }) => task.id))
    if (late.length > 0) records.save(late)
    if (due.length > late.length) records.promote(due.filter(({ id }) => !ids.has(id)))
  }
  return budgets.promotions - left
}
