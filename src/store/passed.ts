// What a run leaves behind at the gates that it has passed: slots given back, charges corrected, cooldowns begun, further requests.

import {
  type GateState,
  type GateToAsk,
  hasSlotsAlone,
  isContent,
  isMetered,
  largestCost,
  learnCost,
  neverUs,
  releaseHolder,
  renewHolder,
  reserveAll,
  settleGate,
} from "../limits/index.ts"
import type { GateRef, TaskRecord } from "../task/index.ts"
import { latestUs } from "./aged.ts"
import { closedBy, delayUsOf, isLearned } from "./costs.ts"
import type { SettleRequest } from "./exchange-contract.ts"
import type { OpenGate } from "./gates.ts"
import { answersOf, hearAtGate, hearEverywhere } from "./heard.ts"
import type { PermitAnswer, PermitRequest } from "./limits-contract.ts"
import type { Records } from "./records.ts"

/** As much of a task as its gates have to know. */
export type Passed = Pick<TaskRecord, "id" | "type" | "fence" | "gates" | "startedAtMs">

export function settleAtGates(records: Records, task: Passed, settle: SettleRequest): void {
  const { gates, nowMs } = records
  const nowUs = nowMs * 1_000
  const admittedAtUs = (task.startedAtMs ?? 0) * 1_000
  for (const ref of task.gates ?? []) {
    // One that was forgotten meanwhile is made anew: the other side may have said "too fast".
    const gate = gates.gate(ref)
    if (!gate) continue
    // As nearly all are: a slot is given back, and there is nothing else to say or to learn.
    if (isQuiet(settle) && hasSlotsAlone(gate.force.policy, gate.state) && isContent(gate.force.policy, gate.state)) {
      gates.change(gate, releaseHolder(gate.state, task.id, task.fence, nowUs, admittedAtUs))
      continue
    }
    const reserved = ref.reserved ?? ref.cost
    const actual = settle.spent.find(({ limit }) => limit === ref.limit)?.actual ?? null
    const settled = settleGate(gate.force.policy, gate.state, nowUs, {
      id: task.id,
      fence: task.fence,
      // Where it was charged, which is how the charge is found.
      admittedAtUs: admittedAtUs + (ref.lateMs ?? 0) * 1_000,
      reserved,
      actual,
      sentAtUs: latestUs(records, settle.sentAgoMs, admittedAtUs),
      respondedAtUs: latestUs(records, settle.respondedAgoMs, admittedAtUs),
      rttUs: settle.rttMs === null ? null : Math.round(settle.rttMs * 1_000),
    })
    const isLearning = actual !== null && isLearned(gate, ref)
    gates.change(gate, isLearning ? learnCost(settled, nowUs, task.type, actual - ref.cost) : settled)
    hearAtGate(records, gate, task, ref, answersOf(settle))
  }
}

/** It was served, and the other side said no more. */
function isQuiet({ outcome, heard }: SettleRequest): boolean {
  return outcome.kind === "completed" && (heard === undefined || heard.length === 0)
}

/** The lease ran out: its slot is back, its charge stays. */
export function loseAtGates({ gates, nowMs }: Records, task: Passed): void {
  for (const ref of task.gates ?? []) {
    const gate = gates.gate(ref)
    if (gate && gate.number > 0)
      gates.change(gate, releaseHolder(gate.state, task.id, task.fence, nowMs * 1_000, (task.startedAtMs ?? 0) * 1_000))
  }
}

export function renewAtGates({ gates }: Records, task: TaskRecord): void {
  for (const ref of task.gates ?? []) {
    const gate = gates.gate(ref)
    if (!gate || gate.number === 0 || gate.force.policy.concurrency === null) continue
    const { id, fence, leaseExpiresAtMs } = task
    const passage = { id, fence, cost: ref.cost, untilUs: (leaseExpiresAtMs ?? 0) * 1_000 }
    gates.change(gate, renewHolder(gate.force.policy, gate.state, passage))
  }
}

/** One more request, at gates that the task has passed. */
export function permitAtGates(records: Records, task: TaskRecord, request: PermitRequest): PermitAnswer {
  const { gates, nowMs } = records
  const nowUs = nowMs * 1_000
  // First, and whatever becomes of the request: who asks does not tell it again.
  hearEverywhere(records, task, request.heard ?? [])
  const asked = (task.gates ?? []).flatMap((ref) => {
    const gate = request.limit === null || request.limit === ref.limit ? gates.gate(ref) : null
    return gate ? [{ ...toAsk(gate, ref, request.cost), gate }] : []
  })
  if (asked.length === 0 && request.limit !== null) return { kind: "not_passed" }
  for (const { gate, policy, cost } of asked) {
    const largest = largestCost(policy)
    if (isMetered(policy) && cost > largest) return { kind: "cost_above_limit", gate: gate.name, cost, largest }
  }
  const closedUs = Math.max(0, ...asked.map(({ gate }) => closedBy(gate).closedUntilUs))
  if (closedUs > nowUs) return { kind: "later", waitMs: closedUs >= neverUs ? null : Math.ceil((closedUs - nowUs) / 1_000) }
  const { atUs, states } = reserveAll(asked, nowUs, (records.clockErrorMs ?? 0) * 1_000)
  const waitMs = Math.ceil((atUs - nowUs) / 1_000)
  if (waitMs > request.withinMs) return { kind: "later", waitMs }
  for (const [i, { gate }] of asked.entries()) gates.change(gate, states[i] as GateState)
  return { kind: "ok", nowMs, waitMs }
}

/** A gate with slots alone has nothing to charge, unless rates are counted that an override replaces: the run has its slot. */
function toAsk(gate: OpenGate, ref: GateRef, cost: number | null): GateToAsk {
  const { policy } = gate.force
  return {
    policy,
    state: gate.state,
    cost: isMetered(policy) || policy.counted ? (cost ?? ref.reserved ?? ref.cost) : 0,
    delayUs: delayUsOf(gate, ref),
  }
}
