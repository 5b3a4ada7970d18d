// What stands beside the state of a gate, for people and dashboards: what it has learned, in the seed's words, and how many hold it.

import { type GatePolicy, type GateState, seedFields } from "../../limits/index.ts"

export interface GateColumns {
  readonly adaptiveDelayMs: number | null
  readonly adaptiveDelayFloorMs: number | null
  readonly successStreak: number | null
  readonly errorStreak: number | null
  readonly nextAvailableAtMs: number | null
  readonly lastSuccessAtMs: number | null
  readonly inFlight: number
}

/** `policy`: what code declares; null where nobody does, as of the gates of jobs. Only rates and slots can be overridden. */
export function gateColumns(policy: GatePolicy | null, state: GateState, nowMs: number): GateColumns {
  const held = inFlight(state, nowMs)
  if (!isLearning(policy, state)) return { ...learnsNothing, inFlight: held }
  const { delayFloorMs: adaptiveDelayFloorMs, ...fields } = seedFields(policy ?? noPolicy, state, nowMs * 1_000)
  const { adaptiveDelayMs, successStreak, errorStreak, nextAvailableAtMs, lastSuccessAtMs } = fields
  return { adaptiveDelayMs, adaptiveDelayFloorMs, successStreak, errorStreak, nextAvailableAtMs, lastSuccessAtMs, inFlight: held }
}

/** Of a limit that is not adaptive a gate may still have learned to keep a distance. */
export function isLearning(policy: GatePolicy | null, { pace }: GateState): boolean {
  return policy?.adaptive !== undefined || pace !== undefined
}

export function inFlight({ holders }: GateState, nowMs: number): number {
  const nowUs = nowMs * 1_000
  let held = 0
  for (const { untilUs } of holders) if (untilUs > nowUs) held++
  return held
}

const noPolicy: GatePolicy = { rates: [], concurrency: null }

const learnsNothing = {
  adaptiveDelayMs: null,
  adaptiveDelayFloorMs: null,
  successStreak: null,
  errorStreak: null,
  nextAvailableAtMs: null,
  lastSuccessAtMs: null,
}
