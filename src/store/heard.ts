// What the other side has answered, told to the gates of the task that asked. The gate learns in the same step that settles, so that
// nothing is learned twice, and nothing is lost between two who learn at once.

import { type GateState, type Heard, type HeardQuota, learn, seedFields, slotsOf } from "../limits/index.ts"
import { type GateRef, jobLimit, type Outcome } from "../task/index.ts"
import { delayUsOf } from "./costs.ts"
import type { Answer, AnsweredQuota, PacedGate, SettleRequest } from "./exchange-contract.ts"
import type { OpenGate } from "./gates.ts"
import type { Passed } from "./passed.ts"
import type { Records } from "./records.ts"

/** Those that were noted, and what the outcome says where they do not: a run that completes without any was served. */
export function answersOf(settle: SettleRequest): readonly Answer[] {
  const { heard = [], outcome } = settle
  if (outcome.kind === "completed") return heard.length > 0 ? heard : [answerOf(settle, "served", null, null, 0)]
  if (outcome.kind !== "throttled" || outcome.scope === "task") return heard
  return [...heard, answerOf(settle, "refused", outcome.limit, outcome.retryAfterMs, outcome.random)]
}

function answerOf(settle: SettleRequest, kind: Answer["kind"], limit: string | null, retryAfterMs: number | null, random: number): Answer {
  // A refusal is about the latest request: of those that were noted, the last.
  const last = settle.heard?.at(-1)
  const sentAgoMs = last?.sentAgoMs ?? settle.sentAgoMs ?? Number.POSITIVE_INFINITY
  const respondedAgoMs = last?.respondedAgoMs ?? settle.respondedAgoMs ?? 0
  return { limit, kind, reason: "rate", retryAfterMs, quotas: [], sentAgoMs, respondedAgoMs, random }
}

export function hearEverywhere(records: Records, task: Passed, answers: readonly Answer[]): void {
  if (answers.length === 0) return
  for (const ref of task.gates ?? []) {
    const gate = records.gates.gate(ref)
    if (gate) hearAtGate(records, gate, task, ref, answers)
  }
}

export function hearAtGate({ gates, nowMs }: Records, gate: OpenGate, task: Passed, ref: GateRef, answers: readonly Answer[]): void {
  const nowUs = nowMs * 1_000
  const admittedAtUs = (task.startedAtMs ?? 0) * 1_000
  const atUs = (agoMs: number) => Math.min(nowUs, Math.max(admittedAtUs, nowUs - Math.round(agoMs * 1_000)))
  for (const answer of answers) {
    if (!isAbout(answer.limit, ref)) continue
    const sentAtUs = atUs(answer.sentAgoMs)
    const respondedAtUs = atUs(answer.respondedAgoMs)
    const heard: Heard = {
      sentAtUs,
      respondedAtUs,
      cost: ref.reserved ?? ref.cost,
      delayUs: delayUsOf(gate, ref),
      kind: answer.kind,
      reason: answer.reason,
      retryAfterUs: answer.retryAfterMs === null ? null : Math.round(answer.retryAfterMs * 1_000),
      quota: quotaFor(gate, answer.quotas),
      random: answer.random,
    }
    const before = gate.state
    const after = learn(gate.force.policy, before, nowUs, heard)
    gates.change(gate, answer.kind === "refused" ? { ...after, refusals: (after.refusals ?? 0) + 1 } : after)
    if (isAnotherPace(before, gate.state)) gates.paced.add(gate)
  }
}

/** Null: every limit that the task passes. A job's own is nothing that the other side knows of. */
function isAbout(limit: string | null, ref: GateRef): boolean {
  return limit === null ? ref.limit !== jobLimit : ref.limit === limit
}

/** By a tenth or more: what changes with every answer is nothing to tell. */
function isAnotherPace(before: GateState, after: GateState): boolean {
  if (before.slots !== after.slots) return true
  const [wasUs, isUs] = [before.pace?.everyUs ?? 0, after.pace?.everyUs ?? 0]
  return Math.abs(isUs - wasUs) * 10 >= Math.max(1, wasUs)
}

/** What has changed in this step for those who pass. */
export function pacedGates({ gates, nowMs }: Records): readonly PacedGate[] {
  return [...gates.paced].map(({ name, state, force }) => {
    const { errorStreak } = seedFields(force.policy, state, nowMs * 1_000)
    return { gate: name, everyMs: (state.pace?.everyUs ?? 0) / 1_000, slots: slotsOf(force.policy, state), errorStreak }
  })
}

/** The quota that the limit is about; of several the one that holds longest for what is left of it. */
function quotaFor({ force }: OpenGate, quotas: readonly AnsweredQuota[]): HeardQuota | null {
  const name = force.policy.quota ?? "requests"
  const named = quotas.filter((quota) => quota.name === name)
  const own = named.length > 0 || force.policy.quota !== undefined ? named : quotas.filter(isOfRequests)
  const tightest = [...own].sort((a, b) => tightness(b) - tightness(a))[0]
  if (!tightest) return null
  const { limit, remaining, resetMs, windowMs } = tightest
  const us = (ms: number | null) => (ms === null ? null : Math.round(ms * 1_000))
  return { limit, remaining, resetUs: us(resetMs), windowUs: us(windowMs) }
}

const otherThings = ["tokens", "concurrent", "points", "bytes"]

/** A policy may go by a name of its own; what counts something else is known by name. */
function isOfRequests({ name }: AnsweredQuota): boolean {
  return !otherThings.some((thing) => name.includes(thing))
}

function tightness({ remaining, resetMs }: AnsweredQuota): number {
  return (resetMs ?? 0) / ((remaining ?? Number.MAX_SAFE_INTEGER) + 1)
}

/** Whether a task that was throttled waits at one of its gates, or has to wait by itself. */
export function waitsAtGate(records: Records, task: Passed, outcome: Extract<Outcome, { kind: "throttled" }>): boolean {
  const refs = task.gates ?? []
  if (outcome.scope !== "task") return refs.some((ref) => isAbout(outcome.limit, ref))
  // No gate cools down for it. The distances of linear are long enough to space its next try; any other pace may be of milliseconds,
  // in which an overload would use up all of its tries.
  return refs.some((ref) => records.gates.gate(ref)?.force.policy.adaptive?.preset === "linear")
}

/** How often it may be refused: the least that one of its limits says. */
export function throttleCap(records: Records, task: Passed): number | null {
  const caps = (task.gates ?? []).flatMap((ref) => records.gates.gate(ref)?.force.policy.adaptive?.maxRetries ?? [])
  return caps.length > 0 ? Math.min(Number.POSITIVE_INFINITY, ...caps) : null
}
