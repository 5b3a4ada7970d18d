// Gates of a limit that the store knows, as a simulation takes them: what is in force and until when, what has been charged, what waits.

import type { GatePolicy } from "../limits/index.ts"
import { nothingWaits, type PlannedGate } from "../simulate/index.ts"
import { type GateReport, inForce, type LimitReport, type Store } from "../store/index.ts"
import { unknownLimit } from "./refusals.ts"
import type { ReadLimitUse } from "./simulate-options.ts"

export async function storedGates(
  where: string,
  store: Store,
  limit: string,
  keys: ReadLimitUse["keys"],
  nowMs: number,
): Promise<PlannedGate[]> {
  const { limits } = await store.limits({ names: [limit] })
  const [known] = limits
  if (!known) {
    const all = (await store.limits({ names: null })).limits.map(({ name }) => name)
    throw unknownLimit(where, limit, all)
  }
  // Of keys that nobody has named nothing is known but what holds for all.
  const names = [...new Set(keys.map(({ name }) => name ?? ""))]
  const { gates } = await store.gates({ limit, keys: names, afterKey: null, count: names.length, withStates: true })
  const byKey = new Map(gates.map((gate) => [gate.key, { gate, later: laterPolicies(known, gate.key, nowMs) }]))
  return keys.flatMap(({ name, weight }) => {
    const found = byKey.get(name ?? "")
    if (!found) return []
    const { gate, later } = found
    return [{ weight, policy: gate.policy, later, ...(name === null ? { state: null, waiting: nothingWaits } : asItIs(gate)) }]
  })
}

function asItIs({ state, waitingTasks, waitingCost }: GateReport): Pick<PlannedGate, "state" | "waiting"> {
  return { state: state ?? null, waiting: { tasks: waitingTasks, cost: waitingCost } }
}

/** What overrides leave when they end. Who declares something now is taken to go on doing so. */
function laterPolicies(limit: LimitReport, key: string, nowMs: number): PlannedGate["later"] {
  const lasting = { ...limit, declarations: limit.declarations.map(({ policy }) => ({ policy, seenAtMs: Number.MAX_SAFE_INTEGER })) }
  const later: { readonly atMs: number; readonly policy: GatePolicy }[] = []
  let atMs = overrideEndMs(limit, key, nowMs)
  while (atMs !== null) {
    later.push({ atMs, policy: inForce(lasting, key, atMs).policy })
    atMs = overrideEndMs(limit, key, atMs)
  }
  return later
}

function overrideEndMs({ settings }: LimitReport, key: string, afterMs: number): number | null {
  const ends = [...new Set(["", key])].flatMap((one) => settings[one]?.overrideUntilMs ?? []).filter((ms) => ms > afterMs)
  return ends.length > 0 ? Math.min(...ends) : null
}
