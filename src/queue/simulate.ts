// A run of the gates before there is one: when a backlog ends, what binds, and what one unit more of each limit would buy. Nothing is
// submitted and nothing is changed.

import { SluiceError, shown } from "../errors/index.ts"
import { type GatePolicy, largestCost } from "../limits/index.ts"
import { nothingWaits, type Plan, type PlannedGate, type PlannedLimit, type Simulation, simulatePlan } from "../simulate/index.ts"
import type { Store } from "../store/index.ts"
import { gateName } from "../task/index.ts"
import type { AnyLimit } from "./limit.ts"
import { costAboveLimit } from "./refusals.ts"
import { nameOf, type ReadLimitUse, type ReadSimulation, readSimulation, type SimulateOptions } from "./simulate-options.ts"
import { storedGates } from "./stored-gates.ts"

/** With limits as the code has them; gates are empty at the start. */
export function simulate(options: SimulateOptions): Simulation {
  return simulatePlan(planFor(options))
}

export function planFor(options: SimulateOptions): Plan {
  const where = "simulate"
  const read = readSimulation(where, options)
  const limits = read.limits.map((use) => {
    if (typeof use.limit === "string")
      throw invalid(`${where}: expected what defineLimit gives, got ${shown(use.limit)}; queue.simulate takes the names of limits as well`)
    return planned(where, use, use.keys.map(freshGate(use.limit)))
  })
  return planOf(where, read, limits, 0)
}

/** Limits that are given by name are as the store has them now: what is in force, what has been charged, and what waits there already. */
export async function simulateOn(store: Store, options: SimulateOptions<AnyLimit | string>): Promise<Simulation> {
  const where = "queue.simulate"
  const read = readSimulation(where, options)
  const { nowMs } = await store.now({})
  const limits: PlannedLimit[] = []
  for (const use of read.limits) {
    const gates =
      typeof use.limit === "string" ? await storedGates(where, store, use.limit, use.keys, nowMs) : use.keys.map(freshGate(use.limit))
    limits.push(planned(where, use, gates))
  }
  return simulatePlan(planOf(where, read, limits, nowMs))
}

function freshGate({ policy }: AnyLimit): (key: ReadLimitUse["keys"][number]) => PlannedGate {
  return ({ weight }) => ({ weight, policy, later: [], state: null, waiting: nothingWaits })
}

function planned(where: string, { limit, cost }: ReadLimitUse, gates: readonly PlannedGate[]): PlannedLimit {
  const name = nameOf(limit)
  for (const { policy, state } of gates.filter((gate, i) => i === 0 || gate.policy !== gates[0]?.policy)) {
    if (!state?.pace && isUnheardOf(policy))
      throw invalid(
        `${where}: limit ${shown(name)}: expected a rate, because it learns its pace from answers, of which a simulation has none; give it one, or name it where it has learned`,
      )
    const largest = largestCost(policy)
    if (cost > largest) throw costAboveLimit(where, { kind: "cost_above_limit", gate: gateName({ limit: name, key: "" }), cost, largest })
  }
  return { name, cost, gates }
}

/** What is looked for begins slowly, and nobody knows where it would come to. */
function isUnheardOf({ rates, adaptive }: GatePolicy): boolean {
  return rates.length === 0 && adaptive?.preset === "scout"
}

function planOf(where: string, read: ReadSimulation, limits: readonly PlannedLimit[], startMs: number): Plan {
  const bounded = limits.find(({ gates }) => gates.some(({ policy }) => policy.concurrency !== null))
  const bound = bounded ? `limit ${shown(bounded.name)}` : read.room === null ? null : "concurrency"
  if (read.durations === null && bound !== null)
    throw invalid(
      `${where}: duration: expected how long a task runs, such as "1s", or its p50 and p99, because ${bound} bounds how many run at once, got none`,
    )
  const { tasks, room, arrivals, seed } = read
  return { tasks, limits, durations: read.durations ?? { kind: "constant", ms: 0 }, room, arrivals, seed, startMs }
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}
