// Forecasts: when a task will start if nothing more arrives and workers have room, and which gate decides.

import { type Ahead, forecast, type GatePolicy, type GateState, neverUs } from "../limits/index.ts"
import type { GateRef, TaskRecord } from "../task/index.ts"
import { closedBy, costToReserve, delayUsOf, refAt } from "./costs.ts"
import type { OpenGate } from "./gates.ts"
import type { Demand } from "./limit-records.ts"
import type { Forecast, ForecastBasis } from "./limits-contract.ts"
import type { Records } from "./records.ts"

/** An error below 2^b ms is counted in bucket b. */
export function errorBucket(errorMs: number): number {
  return Math.ceil(Math.log2(Math.abs(errorMs) + 1))
}

/** What stands before a task at a gate, as far as its own flow and the others are concerned. */
export type AheadAt = (gate: OpenGate) => Ahead

export function forecastTask(records: Records, task: TaskRecord, aheadAt: AheadAt): Forecast | null {
  if (task.status !== "pending") return null
  if (task.gates === null) return { atMs: null, latestMs: null, basis: "unrouted", gate: null }
  const isDue = task.availableAtMs <= records.nowMs
  let last = exact(Math.max(task.availableAtMs, records.nowMs), isDue ? "now" : "schedule", null)
  for (const ref of task.gates) {
    const gate = records.gates.gate(ref)
    const own = gate && forecastGate(records.nowMs, gate, task.type, behindCalls(records, gate, aheadAt(gate)), ref)
    if (own && isLater(own, last)) last = own
  }
  return last
}

/** Calls that wait at the gate go before every task. */
export function behindCalls({ calls }: Records, gate: OpenGate, ahead: Ahead): Ahead {
  if (!gate.hasCalls) return ahead
  const line = calls.waitingAt(gate.number)
  return { tasks: ahead.tasks + line.calls, cost: ahead.cost + line.cost }
}

function isLater(a: Forecast, b: Forecast): boolean {
  return (a.atMs ?? Number.POSITIVE_INFINITY) > (b.atMs ?? Number.POSITIVE_INFINITY)
}

export function forecastGate(nowMs: number, gate: OpenGate, type: string, waiting: Ahead, ref: GateRef): Forecast {
  const { force, name } = gate
  const cost = costToReserve(gate, type, ref)
  const delayUs = delayUsOf(gate, ref)
  // What waits is counted by what was known of it beforehand; it will be charged for what was learned since.
  const ahead = cost === ref.cost ? waiting : { ...waiting, cost: Math.round((waiting.cost * cost) / ref.cost) }
  const nowUs = nowMs * 1_000
  const state = closedBy(gate)
  if (force.isPaused) return { atMs: null, latestMs: null, basis: "paused", gate: name }
  const atUs = forecast(force.policy, state, nowUs, ahead, cost, delayUs)
  if (atUs >= neverUs) return { atMs: null, latestMs: null, basis: "rate", gate: name }
  const atMs = Math.ceil(atUs / 1_000)
  if (atMs <= nowMs) return exact(nowMs, "now", name)
  if (atUs === state.closedUntilUs) return exact(atMs, force.closedUntilUs >= atUs ? "closed" : "cooldown", name)
  const ratesUs = forecast({ ...force.policy, concurrency: null }, state, nowUs, ahead, cost, delayUs)
  if (force.policy.concurrency !== null && ratesUs < atUs) return { atMs, latestMs: 2 * atMs - nowMs, basis: "slots", gate: name }
  // A learned pace goes up and down: twice as long is no surprise.
  if (isPaced(gate, nowUs, ahead, cost, atUs)) return { atMs, latestMs: 2 * atMs - nowMs, basis: "pace", gate: name }
  return { atMs, latestMs: atMs + uncertainMs(force.policy, state), basis: "rate", gate: name }
}

/** Whether it is the pace that decides, and not the rates. */
function isPaced({ force, state }: OpenGate, nowUs: number, ahead: Ahead, cost: number, atUs: number): boolean {
  if (!state.pace && !force.policy.adaptive) return false
  const { pace: _pace, ...unpaced } = state
  const { adaptive: _adaptive, ...declared } = force.policy
  return forecast(declared, unpaced, nowUs, ahead, cost) < atUs
}

export function exact(atMs: number, basis: ForecastBasis, gate: string | null): Forecast {
  return { atMs, latestMs: atMs, basis, gate }
}

/**
 * How long a request is under way decides when its charge is free again, where the other side's way of counting is not known; and
 * of several rates each holds back what the others then see later.
 */
function uncertainMs({ rates }: GatePolicy, { window }: GateState): number {
  const toldMs = window ? Math.ceil(window.counted.perUs / 1_000) : 0
  return Math.max(
    toldMs,
    ...rates.map(({ provider, perUs }) => (provider === "unknown" || rates.length > 1 ? Math.ceil(perUs / 1_000) : 0)),
  )
}

/** Of those who wait at a gate: all of its own flow, and of each other flow no more than its turns until then. */
function shared(total: Ahead, own: Ahead, flows: number, cost: number): Ahead {
  return {
    tasks: Math.min(total.tasks, (own.tasks + 1) * flows - 1),
    cost: Math.min(total.cost, (own.cost + cost) * flows - cost),
  }
}

/** Before a task that stands in the store: as much of its flow as stands before it in its lane. */
export function aheadOf(records: Records, task: TaskRecord): AheadAt {
  // Counted by going through its lane: not for a task that no gate holds.
  const isGated = task.gates !== null && task.gates.length > 0
  const place = isGated ? records.place(task) : null
  const share = place && place.of > 0 ? place.before / place.of : 1
  return (gate) => {
    const { own, all } = waiting(records, gate, task)
    const before = { tasks: Math.round(own.tasks * share), cost: Math.round(own.cost * share) }
    return shared(all, before, Math.max(1, all.flows), refAt(task, gate).cost)
  }
}

const nobody: Demand = { tasks: 0, cost: 0, flows: 0 }

function waiting(records: Records, gate: OpenGate, { type, flow, priority }: TaskRecord): { own: Demand; all: Demand } {
  if (gate.number === 0) return { own: nobody, all: nobody }
  return { own: records.limits.demand(gate.number, priority, { type, flow }), all: records.limits.demand(gate.number, priority, null) }
}

/** Of one flow and one priority, among those that arrive together. */
interface Arrived {
  readonly flow: string
  readonly priority: number
  /** Whether others of the flow were there before. */
  readonly isKnown: boolean
  tasks: number
  cost: number
}

/** Before tasks that come to wait together, in their order: what waits already, and those of them that go first. */
export class Arrivals {
  private readonly records: Records
  private readonly stored = new Map<string, { own: Demand; all: Demand }>()
  private readonly arrived = new Map<string, Arrived[]>()

  constructor(records: Records) {
    this.records = records
  }

  /** Asked before the task is added. */
  aheadOf(task: TaskRecord): AheadAt {
    return (gate) => {
      const arrived = this.arrived.get(gate.name)
      if (gate.number === 0 && !arrived) return nobody
      const name = flowName(task)
      const { own, all } = this.before(gate, task)
      const total = { ...all }
      const mine = { ...own }
      const flows = new Set<string>(own.tasks > 0 ? [] : [name])
      for (const { flow, priority, isKnown, tasks, cost } of arrived ?? []) {
        if (priority < task.priority) continue
        for (const sum of flow === name ? [total, mine] : [total]) {
          sum.tasks += tasks
          sum.cost += cost
        }
        if (!isKnown) flows.add(flow)
      }
      return shared(total, mine, all.flows + flows.size, refAt(task, gate).cost)
    }
  }

  /** It will stand in its lane from now on. */
  add(task: TaskRecord): void {
    for (const ref of task.gates ?? []) {
      const gate = this.records.gates.gate(ref)
      if (!gate) continue
      const flow = flowName(task)
      const arrived = this.arrived.get(gate.name)
      const known = arrived?.find((one) => one.flow === flow && one.priority === task.priority)
      if (known) {
        known.tasks++
        known.cost += ref.cost
      } else {
        const isKnown = gate.number > 0 && this.before(gate, task).own.tasks > 0
        const first = { flow, priority: task.priority, isKnown, tasks: 1, cost: ref.cost }
        if (arrived) arrived.push(first)
        else this.arrived.set(gate.name, [first])
      }
    }
  }

  private before(gate: OpenGate, task: TaskRecord): { own: Demand; all: Demand } {
    const key = `${task.priority} ${gate.name} ${flowName(task)}`
    const known = this.stored.get(key) ?? waiting(this.records, gate, task)
    this.stored.set(key, known)
    return known
  }
}

function flowName({ type, flow }: TaskRecord): string {
  return `${type} ${flow}`
}
