// Exchange: everything a worker has to say and to ask, in one atomic step. Settles come first, so that what they free can
// be claimed in the same step; then heartbeats; then the claim.

import { type Change, claim, expire, historyLimit, isExpiredAt, judge, renew, settle, type TaskRecord } from "../task/index.ts"
import { choose } from "./claim.ts"
import { budgets, type ClaimRequest, type ExchangeAnswer, type ExchangeRequest, type SettleAnswer, type SettleRequest } from "./contract.ts"
import type { Completion, Records } from "./records.ts"

export function exchange(records: Records, request: ExchangeRequest): ExchangeAnswer {
  const settled = settleAll(records, request)
  const kept = keepAll(records, request)
  const claimed = request.claim ? claimOnce(records, request, request.claim) : nothing
  return {
    nowMs: records.nowMs,
    settled,
    kept,
    ...claimed,
    cancelled: records.cancelRequested(request.workerId).map(({ id, fence }) => ({ id, fence })),
  }
}

/** Completions go their own short way. A task that is settled twice in one exchange goes the long one, where the order counts. */
function settleAll(records: Records, request: ExchangeRequest): SettleAnswer[] {
  const answers: SettleAnswer[] = []
  const isOnce = new Set(request.settles.map(({ id }) => id)).size === request.settles.length
  const left = isOnce ? completeAll(records, request.settles, answers) : [...request.settles.keys()]
  if (left.length > 0) settleEach(records, request.settles, left, answers)
  return answers
}

/** Answers the completions that it can; gives back the places of all other settles. */
function completeAll(records: Records, settles: readonly SettleRequest[], answers: SettleAnswer[]): number[] {
  const places = [...settles.keys()].filter((place) => settles[place]?.outcome.kind === "completed")
  if (places.length === 0) return [...settles.keys()]
  const found = new Map(records.loadBrief(places.map((place) => settles[place]?.id ?? "")).map((task, i) => [places[i], task]))
  const done: Completion[] = []
  const left: number[] = []
  for (const [place, { fence, outcome }] of settles.entries()) {
    const task = found.get(place)
    // A history that has to be trimmed is not just appended to.
    if (outcome.kind !== "completed" || (task && task.version >= historyLimit)) left.push(place)
    else {
      const verdict = task ? judge(task, fence, outcome.kind) : "stale"
      if (task && verdict === "ok") done.push({ task, output: outcome.output })
      answers[place] =
        verdict === "stale" || !task ? { kind: "stale" } : { kind: "ok", status: verdict === "ok" ? "completed" : task.status }
    }
  }
  records.complete(done)
  return left
}

function settleEach(records: Records, settles: readonly SettleRequest[], places: readonly number[], answers: SettleAnswer[]): void {
  const found = records.load(places.map((place) => settles[place]?.id ?? ""))
  const latest = new Map<string, TaskRecord>()
  const changes: Change[] = []
  for (const [i, place] of places.entries()) {
    const { id, fence, outcome } = settles[place] as SettleRequest
    const task = latest.get(id) ?? found[i]
    const result = task ? settle(task, fence, outcome, records.nowMs) : null
    if (!task || !result || result.kind === "stale") answers[place] = { kind: "stale" }
    else if (result.kind === "repeat") answers[place] = { kind: "ok", status: task.status }
    else {
      latest.set(id, result.change.task)
      changes.push(result.change)
      answers[place] = { kind: "ok", status: result.change.task.status }
    }
  }
  records.save(changes)
}

function keepAll(records: Records, request: ExchangeRequest): ("ok" | "stale")[] {
  if (request.heartbeats.length === 0) return []
  const found = records.load(request.heartbeats.map(({ id }) => id))
  const latest = new Map<string, TaskRecord>()
  const answers = request.heartbeats.map(({ id, fence, progress }, i) => {
    const task = latest.get(id) ?? found[i]
    const renewed = task ? renew(task, fence, records.nowMs, request.leaseMs, progress) : null
    if (renewed) latest.set(id, renewed)
    return renewed ? "ok" : "stale"
  })
  records.keep([...latest.values()])
  return answers
}

type ClaimAnswer = Pick<ExchangeAnswer, "claimed" | "more" | "nextAtMs" | "blockedBy" | "touched">

const nothing: ClaimAnswer = { claimed: [], more: false, nextAtMs: null, blockedBy: null, touched: 0 }

/** A claim whose answer was lost is asked again with its number, and gets what it got. */
function claimOnce(records: Records, request: ExchangeRequest, asked: ClaimRequest): ClaimAnswer {
  if (asked.number <= records.claimNumber(request.workerId)) {
    const claimed = records.claimedBy(request.workerId, asked.number)
    return { ...nothing, claimed, more: true, touched: claimed.length }
  }
  records.saveWorker(
    request.workerId,
    asked.number,
    asked.types.map(({ type }) => type),
  )
  const promoted = promoteDue(records, asked)
  const chosen = choose(records.backlog(), asked, records.nowMs)
  const lease = { workerId: request.workerId, claimNumber: asked.number, expiresAtMs: records.nowMs + request.leaseMs }
  const changes = chosen.tasks.map((task) => claim(task, records.nowMs, lease))
  records.save([...changes, ...chosen.overdue.map((task) => expire(task, records.nowMs))])
  if (chosen.served.length > 0) records.serve(chosen)
  const more = chosen.more || promoted === budgets.promotions
  return {
    claimed: changes.map(({ task }) => task),
    more,
    nextAtMs: more ? null : earliest(asked.types.map(({ type }) => records.nextDueAtMs(type))),
    blockedBy: null,
    touched: chosen.touched + promoted,
  }
}

/** Moves what has become due into the lanes, for the types that this worker serves. */
function promoteDue(records: Records, asked: ClaimRequest): number {
  let left: number = budgets.promotions
  for (const { type } of asked.types) {
    if (left === 0) break
    const due = records.due(type, left)
    left -= due.length
    const late = due.filter((task) => isExpiredAt(task, records.nowMs))
    if (late.length > 0) records.save(late.map((task) => expire(task, records.nowMs)))
    if (due.length > late.length) records.promote(due.filter((task) => !late.includes(task)))
  }
  return budgets.promotions - left
}

function earliest(times: readonly (number | null)[]): number | null {
  return times.reduce((least, time) => (time !== null && (least === null || time < least) ? time : least), null)
}
