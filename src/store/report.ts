// What is told about gates, limits and waiting tasks. Nothing here changes anything.

import { type GateState, gateOpensAtUs, heldSlots, levels, neverUs, seedFields, slotsOf, usedOfTold } from "../limits/index.ts"
import { gateName, type TaskRecord } from "../task/index.ts"
import { closedBy } from "./costs.ts"
import { aheadOf, behindCalls, forecastGate, forecastTask } from "./forecast.ts"
import type { OpenGate } from "./gates.ts"
import type { Explanation, GateReport, GatesAnswer, GatesRequest, LimitReport, LimitsRequest } from "./limits-contract.ts"
import { basePolicy, declarationLivesMs, type LimitRecord, liveDeclarations, toldPolicy } from "./policies.ts"
import type { Records } from "./records.ts"

export function reportLimits(records: Records, request: LimitsRequest): { nowMs: number; limits: LimitReport[] } {
  const names = request.names ?? records.limits.limitNames()
  return { nowMs: records.nowMs, limits: names.flatMap((name) => reportLimit(records, records.limits.limit(name)) ?? []) }
}

export function reportLimit(records: Records, limit: LimitRecord | null): LimitReport | null {
  if (!limit) return null
  const { gates, waitingTasks } = records.limits.countGates(limit.name)
  return {
    name: limit.name,
    base: basePolicy(limit, records.nowMs),
    declarations: liveDeclarations(limit, records.nowMs),
    settings: limit.settings,
    gateCount: gates,
    waitingTasks,
  }
}

export function reportGates(records: Records, { limit, keys, afterKey, count, withStates }: GatesRequest): GatesAnswer {
  const { nowMs } = records
  const report = (gate: OpenGate) => ({ ...reportGate(records, gate), ...(withStates ? { state: closedBy(gate) } : {}) })
  if (keys) {
    const found = keys.slice(0, count).flatMap((key) => records.gates.gate({ limit, key }) ?? [])
    return { nowMs, gates: found.map(report), nextAfterKey: null }
  }
  const stored = records.limits.gatesOf(limit, afterKey, count)
  const gates = stored.flatMap((one) => records.gates.gate(one) ?? []).map(report)
  return { nowMs, gates, nextAfterKey: stored.length < count ? null : (stored.at(-1)?.key ?? null) }
}

export function reportGate(records: Records, gate: OpenGate): GateReport {
  const { policy, isOverridden, isPaused, closedUntilUs } = gate.force
  const { state } = gate
  const nowUs = records.nowMs * 1_000
  const used = levels(policy, state, nowUs)
  const slots = slotsOf(policy, state)
  const waiting = gate.number === 0 ? { tasks: 0, cost: 0 } : records.limits.demand(gate.number, lowestPriority, null)
  return {
    gate: gate.name,
    limit: gate.limit,
    key: gate.key,
    policy: toldPolicy(policy),
    isOverridden,
    levels: [
      ...policy.rates.map((rate, i) => ({
        used: used[i] ?? 0,
        of: rate.provider === "bucket" ? rate.burst : rate.limit,
        perMs: rate.perUs / 1_000,
      })),
      ...toldLevels(state, nowUs),
    ],
    slots: slots === null ? null : { held: heldSlots(state, nowUs), of: slots },
    waitingTasks: waiting.tasks,
    waitingCost: waiting.cost,
    waitingCalls: gate.hasCalls ? records.calls.waitingAt(gate.number).calls : 0,
    opensAtMs: opens(gate, nowUs, 1),
    isPaused,
    closedUntilMs: !isPaused && closedUntilUs > nowUs ? closedUntilUs / 1_000 : null,
    cooldown: state.closedUntilUs > nowUs ? { untilMs: Math.ceil(state.closedUntilUs / 1_000), count: state.cooldown.count } : null,
    refusals: state.refusals ?? 0,
    pace: state.pace ? { everyUs: state.pace.everyUs, nextAtMs: Math.ceil(state.pace.nextAtUs / 1_000) } : null,
    learned: state.learned ?? null,
    adaptive: seedFields(policy, state, nowUs),
  }
}

/** Of a window that nobody has declared. */
function toldLevels({ window }: GateState, nowUs: number): GateReport["levels"] {
  return window ? [{ used: usedOfTold(window, nowUs), of: window.limit, perMs: window.counted.perUs / 1_000 }] : []
}

const lowestPriority = -32_768

function opens(gate: OpenGate, nowUs: number, cost: number): number | null {
  const atUs = gateOpensAtUs(gate.force.policy, closedBy(gate), nowUs, cost)
  return atUs >= neverUs ? null : Math.ceil(atUs / 1_000)
}

export function explain(records: Records, id: string): Explanation | null {
  const task = records.load([id]).get(id)
  if (!task) return null
  const forecast = forecastTask(records, task, aheadOf(records, task))
  const startsAtMs = forecast ? (forecast.atMs ?? Number.POSITIVE_INFINITY) : null
  return {
    nowMs: records.nowMs,
    task,
    forecast,
    gates: explainGates(records, task),
    heldBy: forecast && forecast.basis !== "now" ? forecast.gate : null,
    tasksAhead: task.status === "pending" ? (records.place(task)?.before ?? null) : null,
    liveWorkers: records.workersSince(task.type, records.nowMs - declarationLivesMs),
    isUnrouted: task.status === "pending" && task.gates === null,
    expiresFirst: startsAtMs !== null && task.expiresAtMs !== null && startsAtMs >= task.expiresAtMs,
  }
}

function explainGates(records: Records, task: TaskRecord): Explanation["gates"] {
  const aheadAt = aheadOf(records, task)
  const isWaiting = task.status === "pending"
  return (task.gates ?? []).flatMap((ref) => {
    const gate = records.gates.gate(ref)
    if (!gate || gateName(ref) !== gate.name) return []
    const ahead = isWaiting ? behindCalls(records, gate, aheadAt(gate)) : { tasks: 0, cost: 0 }
    const opensForTaskAtMs = isWaiting ? forecastGate(records.nowMs, gate, task.type, ahead, ref).atMs : null
    return [{ ...reportGate(records, gate), cost: ref.cost, aheadCost: ahead.cost, opensForTaskAtMs }]
  })
}
