// C5 and C6: every admission of every gate, counted anew. Two pointers for windows, a sum that time pays off for buckets, and a walk
// over all beginnings and ends for slots.

import type { RateSet } from "./events.ts"
import type { PolicyLine } from "./policy-line.ts"
import type { Violation } from "./report.ts"

export interface Admission {
  readonly atMs: number
  readonly cost: number
  readonly who: string
  /** Granted ahead of its time: what was closed since does not take it back. */
  readonly isAhead: boolean
  /** When its handler began, where somebody has written it down. */
  readonly startMs: number | null
}

export interface Holding {
  readonly fromMs: number
  readonly untilMs: number
  readonly slots: number
  readonly who: string
}

export interface GateFacts {
  readonly name: string
  readonly line: PolicyLine
  readonly admissions: Admission[]
  readonly holdings: Holding[]
}

export function judgeGate(gate: GateFacts, startWithinMs: number | null): Violation[] {
  const found: Violation[] = []
  const say = (kind: Violation["kind"], message: string) => found.push({ kind, about: gate.name, message: `gate ${gate.name}: ${message}` })
  const admissions = [...gate.admissions].sort((a, b) => a.atMs - b.atMs)
  for (const rate of gate.line.rates()) {
    const excess = excessOf(rate, gate.line, admissions)
    if (excess) say("window_excess", excess)
    const starts = startWithinMs === null || rate.provider === "fixed" || rate.provider === "bucket" ? [] : startsOf(admissions)
    const bunched = excessOf({ ...rate, perMs: rate.perMs - (startWithinMs ?? 0) }, gate.line, starts, rate)
    if (bunched) say("start_excess", `of starts, ${bunched}`)
  }
  // Also where the late start happens to bunch with no other.
  const late =
    startWithinMs === null ? undefined : admissions.find(({ atMs, startMs }) => startMs !== null && startMs - atMs > startWithinMs)
  if (late) say("start_excess", `${late.who} was admitted at ${late.atMs}, and its handler began at ${late.startMs}`)
  for (const { atMs, who, isAhead } of admissions) {
    if (!isAhead && gate.line.isClosedAt(atMs)) say("closed_gate", `${who} was let through at ${atMs}, while it was closed`)
  }
  const crowd = slotExcess(gate)
  if (crowd) say("slot_excess", crowd)
  return found
}

function startsOf(admissions: readonly Admission[]): Admission[] {
  const started = admissions.flatMap((one) => (one.startMs === null ? [] : [{ ...one, atMs: one.startMs }]))
  return started.sort((a, b) => a.atMs - b.atMs)
}

/** The first window that has let too much through, in words. `kind`: under which rate the limit is looked up. */
function excessOf(rate: RateSet, line: PolicyLine, admissions: readonly Admission[], kind = rate): string | null {
  if (rate.provider === "bucket") return bucketExcess(rate, line, admissions)
  let sum = 0
  let first = 0
  for (const { atMs, cost } of admissions) {
    const sinceMs =
      rate.provider === "fixed" ? Math.floor((atMs - rate.phaseMs) / rate.perMs) * rate.perMs + rate.phaseMs - 1 : atMs - rate.perMs
    sum += cost
    for (let early = admissions[first]; early && early.atMs <= sinceMs; early = admissions[++first]) sum -= early.cost
    const { limit } = line.mostDuring(kind, sinceMs + 1, atMs)
    if (sum > limit) return `${sum} passed from ${sinceMs + 1} to ${atMs}, within ${rate.perMs} ms (${rate.provider}), and ${limit} may`
  }
  return null
}

/** burst + rate · t, from whatever moment it is counted. */
function bucketExcess(rate: RateSet, line: PolicyLine, admissions: readonly Admission[]): string | null {
  let owed = 0
  let lastMs = 0
  for (const { atMs, cost } of admissions) {
    const { limit, burst } = line.mostDuring(rate, lastMs, atMs)
    owed = Math.max(0, owed - ((atMs - lastMs) * limit) / rate.perMs) + cost
    lastMs = atMs
    // What a float adds up to is a hair off.
    if (owed > burst + 1e-6) return `at ${atMs} it had let through ${owed} more than has come in, and its burst is ${burst}`
  }
  return null
}

function slotExcess({ line, holdings }: GateFacts): string | null {
  const ends = holdings.map(({ untilMs, slots }) => ({ atMs: untilMs, slots })).sort((a, b) => a.atMs - b.atMs)
  const begins = [...holdings].sort((a, b) => a.fromMs - b.fromMs)
  let held = 0
  let ended = 0
  for (const { fromMs, slots, who } of begins) {
    for (let end = ends[ended]; end && end.atMs <= fromMs; end = ends[++ended]) held -= end.slots
    held += slots
    const most = line.slotsAt(fromMs)
    if (most !== null && held > most) return `${who} came in at ${fromMs}; that makes ${held} slots, and there are ${most}`
  }
  return null
}
