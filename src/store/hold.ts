// Hold: everything a process has to say and to ask of its calls, in one atomic step. What is released comes before what is asked for, so
// that it can be given to the next in line in the same step.

import { heldSlots, largestCost, neverUs, releaseHolder, renewHolder, settleGate, slotsOf } from "../limits/index.ts"
import { latestUs } from "./aged.ts"
import type { CallRecord } from "./call-records.ts"
import type { Acquired, CallAsked, CallRelease, HoldAnswer, HoldRequest } from "./calls-contract.ts"
import { budgets } from "./contract.ts"
import type { OpenGate } from "./gates.ts"
import { hearAtGate } from "./heard.ts"
import { callFence, policyFor } from "./lines.ts"
import { type InForce, inForce } from "./policies.ts"
import type { Records } from "./records.ts"
import { sayShares, shareOf } from "./say-shares.ts"

export function hold(records: Records, request: HoldRequest): Omit<HoldAnswer, "waitedMs"> {
  const { calls, gates, nowMs } = records
  const { ownerId, number } = request
  const isLate = number < calls.holdNumber(ownerId)
  if (!isLate) calls.saveOwner(ownerId, number)
  gates.lines.owner = ownerId
  // First of all: what the process has back need not be kept for it any more.
  const saidShares = isLate ? [] : request.shares
  sayShares(records, request, saidShares)
  // Before anything is given back: what runs already may run in its place.
  const adopted = request.adopt.map((asked) => (isLate ? "unknown_limit" : adopt(records, request, asked)))
  const released = release(records, request.release)
  const kept = renew(records, request)
  dropEnded(records, budgets.stepRows)
  for (const due of calls.dueLines(ownerId, budgets.stepRows)) serve(records, due)
  // What was released goes to those who stand in line, before anybody new.
  gates.tell()
  const acquired = request.acquire.map((asked) => acquire(records, request, asked, isLate))
  gates.tell()
  const next = calls.nextLineAtMs(ownerId)
  return {
    nowMs,
    released,
    kept,
    adopted,
    acquired,
    granted: calls.grantedSince(ownerId, request.sinceMs).map(({ id, untilMs }) => ({ id, untilMs })),
    nextAtMs: next === null || next >= neverMs ? null : next,
    shares: saidShares.flatMap(({ limit, isLeaving }) => (isLeaving ? [] : (shareOf(records, ownerId, limit) ?? []))),
  }
}

const neverMs = Math.ceil(neverUs / 1_000)

/** Also for the sweep: calls whose owners have gone. Answers with how many there were. */
export function dropEnded(records: Records, limit: number): number {
  const ended = records.calls.ended(limit)
  if (ended.length === 0) return 0
  records.calls.remove(ended.map(({ id }) => id))
  for (const number of new Set(ended.flatMap(({ grantedAtMs, gate }) => (grantedAtMs === null ? [gate] : [])))) serve(records, number)
  return ended.length
}

function serve({ gates }: Records, number: number): void {
  const gate = gates.numbered(number)
  if (gate) gates.lines.changed(gate)
}

function release(records: Records, list: readonly CallRelease[]): ("ok" | "stale")[] {
  const found = records.calls.load(list.map(({ id }) => id))
  const answers = list.map((one) => {
    const call = found.get(one.id)
    if (call && call.grantedAtMs !== null) releaseAt(records, call, call.grantedAtMs, one)
    return call ? ("ok" as const) : ("stale" as const)
  })
  records.calls.remove([...found.keys()])
  for (const call of found.values()) if (call.grantedAtMs === null) serve(records, call.gate)
  return answers
}

/** What a task's settle leaves at its gate, of a call. */
function releaseAt(records: Records, call: CallRecord, grantedAtMs: number, told: CallRelease): void {
  const { gates, nowMs } = records
  const gate = gates.gate(call)
  if (!gate) return
  const nowUs = nowMs * 1_000
  const admittedAtUs = grantedAtMs * 1_000
  const settled = settleGate(gate.force.policy, gate.state, nowUs, {
    id: call.id,
    fence: callFence,
    // Where it was charged, which is how the charge is found.
    admittedAtUs: admittedAtUs + (call.lateMs ?? 0) * 1_000,
    reserved: call.cost,
    actual: told.spent,
    sentAtUs: latestUs(records, told.sentAgoMs, admittedAtUs),
    respondedAtUs: latestUs(records, told.respondedAgoMs, admittedAtUs),
    rttUs: told.rttMs === null ? null : Math.round(told.rttMs * 1_000),
  })
  gates.change(gate, settled)
  const { limit, key, cost } = call
  const ref = { limit, key, cost }
  hearAtGate(records, gate, { id: call.id, type: "", fence: callFence, gates: [ref], startedAtMs: grantedAtMs }, ref, told.heard)
}

/** One whose lease has ended may have lost its slot to another; one that waits and was given up on has lost its place. */
function renew(records: Records, { renew: list, leaseMs }: HoldRequest): HoldAnswer["kept"] {
  const { calls, gates, nowMs } = records
  const untilMs = nowMs + leaseMs
  const found = calls.load(list.map(({ id }) => id))
  const live = [...found.values()].filter((call) => call.untilMs > nowMs)
  calls.renew(
    live.map(({ id }) => id),
    untilMs,
  )
  for (const call of live) {
    const gate = call.grantedAtMs === null || call.isFurther ? null : gates.gate(call)
    if (gate) holdAt(records, gate, call, untilMs)
  }
  for (const number of new Set(live.flatMap(({ grantedAtMs, gate }) => (grantedAtMs === null ? [gate] : [])))) serve(records, number)
  const now = calls.load(list.map(({ id }) => id))
  return list.map(({ id }) => {
    const call = now.get(id)
    if (!call || call.untilMs <= nowMs) return "stale"
    return call.grantedAtMs === null ? "waiting" : "granted"
  })
}

function holdAt({ gates }: Records, gate: OpenGate, { id, cost }: Pick<CallRecord, "id" | "cost">, untilMs: number): void {
  if (gate.force.policy.concurrency === null) return
  gates.change(gate, renewHolder(gate.force.policy, gate.state, { id, fence: callFence, cost, untilUs: untilMs * 1_000 }))
}

function adopt(records: Records, { ownerId, leaseMs }: HoldRequest, asked: CallAsked): "ok" | "unknown_limit" {
  const { gates, calls, nowMs } = records
  const gate = gates.gate(asked)
  if (!gate) return "unknown_limit"
  const before = calls.load([asked.id]).get(asked.id)
  const untilMs = nowMs + leaseMs
  const grantedAtMs = before?.grantedAtMs ?? nowMs
  const late = before?.lateMs === undefined ? {} : { lateMs: before.lateMs }
  const place = { gate: before?.gate ?? gate.number, seq: before?.seq ?? 0 }
  calls.save({ ...callOf(asked), ownerId, ...place, leaseMs, grantedAtMs, ...late, untilMs })
  if (before && before.grantedAtMs === null) serve(records, before.gate)
  holdAt(records, gate, asked, untilMs)
  return "ok"
}

function callOf({ id, limit, key, cost, isFurther }: CallAsked) {
  return { id, limit, key, cost, isFurther }
}

function acquire(records: Records, request: HoldRequest, asked: HoldRequest["acquire"][number], isLate: boolean): Acquired {
  const { gates, calls, nowMs } = records
  const { ownerId, leaseMs } = request
  const before = calls.load([asked.id]).get(asked.id)
  if (before && before.untilMs > nowMs) {
    if (before.grantedAtMs !== null) return { kind: "granted", untilMs: before.untilMs }
    calls.renew([asked.id], nowMs + leaseMs)
    const gate = gates.numbered(before.gate)
    return gate ? { kind: "waiting", ...seen(records, gate, asked, 0) } : { kind: "unknown_limit", known: [] }
  }
  if (before) giveUp(records, before)
  const limit = gates.limit(asked.limit)
  const gate = limit && gates.gate(asked)
  if (!limit || !gate) return { kind: "unknown_limit", known: records.limits.limitNames().slice(0, 20) }
  const largest = largestCost(policyOf(inForce(limit, asked.key, nowMs), asked))
  if (asked.cost > largest) return { kind: "cost_above_limit", gate: gate.name, cost: asked.cost, largest }
  const untilMs = nowMs + leaseMs
  const isBehind = gates.lines.serve(gate) !== null
  if (!isLate && !isBehind && gates.lines.admit(gate, asked, untilMs) === null) {
    calls.save({ ...callOf(asked), ownerId, gate: gate.number, seq: 0, leaseMs, ...gates.lines.granted(), untilMs })
    return { kind: "granted", untilMs }
  }
  if (isLate || asked.waitMs <= 0)
    return { kind: "refused", ...seen(records, gate, asked, gate.hasCalls ? calls.waitingAt(gate.number).calls : 0) }
  const ahead = gate.hasCalls ? calls.waitingAt(gate.number).calls : 0
  const number = gates.numberOf(gate)
  calls.save({ ...callOf(asked), ownerId, gate: number, seq: records.takeSequence(1), leaseMs, grantedAtMs: null, untilMs })
  gate.hasCalls = true
  gates.lines.changed(gate)
  return { kind: "waiting", ...seen(records, gate, asked, ahead) }
}

function policyOf({ policy }: InForce, { isFurther }: CallAsked) {
  return isFurther ? { ...policy, concurrency: null } : policy
}

/** Its time was over before it was asked for again: what it may have held is held no more. */
function giveUp(records: Records, call: CallRecord): void {
  const { gates, calls, nowMs } = records
  calls.remove([call.id])
  if (call.grantedAtMs === null) {
    serve(records, call.gate)
    return
  }
  const gate = gates.gate(call)
  if (gate) gates.change(gate, releaseHolder(gate.state, call.id, callFence, nowMs * 1_000, call.grantedAtMs * 1_000))
}

/** For people: why it has to wait. */
function seen({ nowMs, gates }: Records, gate: OpenGate, asked: CallAsked, ahead: number) {
  const of = slotsOf(policyFor(gate, asked.isFurther), gate.state)
  const slots = of === null ? null : { held: heldSlots(gate.state, nowMs * 1_000), of }
  return { ahead, slots, opensAtMs: gates.opensAtMs(gate, asked.cost) }
}
