// Forecasts: when a task will start if nothing more arrives and workers have room, and which gate decides.

import { type Ahead, forecast, type GatePolicy, neverUs } from "../limits/index.ts"
import type { TaskRecord } from "../task/index.ts"
import { closedBy, type OpenGate } from "./gates.ts"
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
  let last: Forecast = { ...exact(Math.max(task.availableAtMs, records.nowMs), isDue ? "now" : "schedule"), gate: null }
  for (const ref of task.gates) {
    const gate = records.gates.gate(ref)
    const own = gate && forecastGate(records.nowMs, gate, aheadAt(gate), ref.cost)
    if (own && isLater(own, last)) last = own
  }
  return last
}

function isLater(a: Forecast, b: Forecast): boolean {
  return (a.atMs ?? Number.POSITIVE_INFINITY) > (b.atMs ?? Number.POSITIVE_INFINITY)
}

export function forecastGate(nowMs: number, gate: OpenGate, ahead: Ahead, cost: number): Forecast {
  const { force, name } = gate
  const nowUs = nowMs * 1_000
  const state = closedBy(gate)
  if (force.isPaused) return { atMs: null, latestMs: null, basis: "paused", gate: name }
  const atUs = forecast(force.policy, state, nowUs, ahead, cost)
  if (atUs >= neverUs) return { atMs: null, latestMs: null, basis: "rate", gate: name }
  const atMs = Math.ceil(atUs / 1_000)
  if (atMs <= nowMs) return { ...exact(nowMs, "now"), gate: name }
  if (atUs === state.closedUntilUs) return { ...exact(atMs, force.closedUntilUs >= atUs ? "closed" : "cooldown"), gate: name }
  const ratesUs = forecast({ ...force.policy, concurrency: null }, state, nowUs, ahead, cost)
  if (force.policy.concurrency !== null && ratesUs < atUs) return { atMs, latestMs: 2 * atMs - nowMs, basis: "slots", gate: name }
  return { atMs, latestMs: atMs + uncertainMs(force.policy), basis: "rate", gate: name }
}

function exact(atMs: number, basis: ForecastBasis): Omit<Forecast, "gate"> {
  return { atMs, latestMs: atMs, basis }
}

/** How long a request is under way decides when its charge is free again, where the other side's way of counting is not known. */
function uncertainMs({ rates }: GatePolicy): number {
  return Math.max(0, ...rates.map((rate) => (rate.provider === "unknown" ? Math.ceil(rate.perUs / 1_000) : 0)))
}

/** Of those who wait at a gate: all of its own flow, and of the others no more than their turn. */
function shared(total: Ahead, own: Ahead, flows: number): Ahead {
  return { tasks: Math.min(total.tasks, own.tasks * flows), cost: Math.min(total.cost, own.cost * flows) }
}

/** Before a task that stands in the store: as much of its flow as stands before it in its lane. */
export function aheadOf(records: Records, task: TaskRecord): AheadAt {
  const place = records.place(task)
  const share = place && place.of > 0 ? place.before / place.of : 1
  return (gate) => {
    const { own, all } = waiting(records, gate, task)
    const before = { tasks: Math.round(own.tasks * share), cost: Math.round(own.cost * share) }
    return shared(all, before, all.flows)
  }
}

function waiting(records: Records, gate: OpenGate, { type, flow, priority }: TaskRecord) {
  const nobody = { tasks: 0, cost: 0, flows: 0 }
  if (gate.number === 0) return { own: nobody, all: nobody }
  return { own: records.demand(gate.number, priority, { type, flow }), all: records.demand(gate.number, priority, null) }
}

/** Before tasks that are being submitted together, in their order: what waits already, and those before them in the batch. */
export class Arrivals {
  private readonly records: Records
  private readonly gates = new Map<string, Arrived>()

  constructor(records: Records) {
    this.records = records
  }

  /** Asked before the task is added. */
  aheadOf(task: TaskRecord): AheadAt {
    return (gate) => {
      const { all, own, flows } = this.at(gate, task)
      return shared(all, own, flows)
    }
  }

  add(task: TaskRecord): void {
    for (const ref of task.gates ?? []) {
      const gate = this.records.gates.gate(ref)
      if (!gate) continue
      const { all, own } = this.at(gate, task)
      for (const counted of [all, own]) {
        counted.tasks++
        counted.cost += ref.cost
      }
    }
  }

  /** What stands at the gate with at least the task's priority. */
  private at(gate: OpenGate, task: TaskRecord): { all: Counted; own: Counted; flows: number } {
    const key = `${task.priority} ${gate.name}`
    const flow = JSON.stringify([task.type, task.flow])
    const known = this.gates.get(key)
    const own = known?.flows.get(flow)
    if (known && own) return { all: known.all, own, flows: known.others + known.flows.size }
    const found = waiting(this.records, gate, task)
    const arrived = known ?? { all: { tasks: found.all.tasks, cost: found.all.cost }, flows: new Map(), others: found.all.flows }
    const counted = { tasks: found.own.tasks, cost: found.own.cost }
    this.gates.set(key, arrived)
    arrived.flows.set(flow, counted)
    // The store tells how many flows wait there; those that are known by name are not counted twice.
    if (found.own.tasks > 0) arrived.others--
    return { all: arrived.all, own: counted, flows: arrived.others + arrived.flows.size }
  }
}

interface Counted {
  tasks: number
  cost: number
}

interface Arrived {
  readonly all: Counted
  readonly flows: Map<string, Counted>
  others: number
}
