// Whether a task that was read can be what was written. Too much to ask of each task in each step: it is asked where one that is damaged must
// not keep others from being swept, and where a step has failed, to tell whose fault that was.

import { storedOutcomes, storedStatuses } from "../layout.ts"
import { Live } from "./live.ts"
import type { Entry } from "./stored-task.ts"

/** Nothing is counted, and no time is, beyond this. */
const most = 2 * 8.64e15
const texts: readonly Live[] = [Live.jobId, Live.flow, Live.workerId, Live.past, Live.progress, Live.lastError]
const numbers: readonly Live[] = [
  ...[Live.seq, Live.createdAtMs, Live.availableAtMs, Live.readyAtMs, Live.version, Live.priority],
  ...[Live.standing, Live.lane, Live.expiresAtMs, Live.forecastAtMs, Live.fence, Live.attempt, Live.updatedAtMs, Live.startedAtMs],
  ...[Live.claimNumber, Live.leaseExpiresAtMs, Live.completedAtMs, Live.cancelRequestedAtMs],
  // The counts: retries, reschedules, throttles, crashes; and when it expired.
  ...[27, 28, 29, 30, 32],
]
/** The first so many of these are always there. */
const alwaysThere = 6

export function isSound({ live }: Entry): boolean {
  if (storedStatuses[live[Live.status] as number] === undefined || typeof live[Live.type] !== "string") return false
  for (let i = 0; i < numbers.length; i++) {
    const value = live[numbers[i] as number]
    if (!isWhole(value) && (i < alwaysThere || isThere(value))) return false
  }
  for (const place of texts) if (typeof live[place] !== "string" && isThere(live[place])) return false
  const [output, outcome] = [live[Live.output], live[Live.lastOutcome]]
  if (typeof output !== "string" && output !== true && isThere(output)) return false
  return areGates(live[Live.gates]) && (!isThere(outcome) || storedOutcomes[outcome as number] !== undefined)
}

function areGates(gates: unknown): boolean {
  if (gates === true || !isThere(gates)) return true
  if (typeof gates !== "object") return false
  for (const ref of gates as unknown[][])
    if (typeof ref !== "object" || typeof ref[0] !== "string" || typeof ref[1] !== "string" || !isWhole(ref[2])) return false
  return true
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== false
}

function isWhole(value: unknown): boolean {
  return typeof value === "number" && value === Math.floor(value) && value >= -most && value <= most
}
