// While the store is out of reach: what this process may go on with. At each gate that has slots
//
//   the slots that it was granted, one for one, until their leases end (a slot whose release has been sent may be somebody else's);
//   as many of those as its share has, from then on: the store keeps the share free from before the leases end;
//   all of its share, when everybody else is down to his: the store keeps it free from two thirds of a lease after it was lost, and what
//   others were granted until then ends a lease later, also where they have lost the store meanwhile.
//
// A rate has no leases: what others were admitted before counts for as long as the rate remembers. From then on it is kept by the
// same algebra as in the store, with the share's numbers.

import { admit, emptyGate, type GateState, isMetered, longestMemoryUs, neverUs, slotsFor } from "../../limits/index.ts"
import type { Call } from "./call.ts"
import { type CallsSettings, marginMs } from "./settings.ts"
import type { GateAllowance, Shares } from "./shares.ts"

interface Lease {
  readonly slots: number
  readonly endsAtMs: number
}

interface LocalGate {
  /** What it was granted when the store went away, and is not known to have given back. */
  leases: Lease[]
  /** Charged under the share. */
  rates: GateState
}

export interface GateKey {
  readonly limit: string
  readonly key: string
  readonly gate: string
}

export class Detached {
  readonly sinceMs: number
  readonly error: Error
  private readonly settings: CallsSettings
  private readonly shares: Shares
  private readonly byGate = new Map<string, LocalGate>()

  constructor(settings: CallsSettings, shares: Shares, error: Error, nowMs: number, running: Iterable<Call>) {
    this.settings = settings
    this.shares = shares
    this.error = error
    this.sinceMs = nowMs
    for (const call of running) {
      const allowance = shares.allowance(call.wanted.limit, call.wanted.key, nowMs)
      if (!call.isLost) this.local(call.gate).leases.push({ slots: slotsOf(call, allowance), endsAtMs: call.leaseEndsAtMs })
    }
  }

  /** A request with releases goes out: what is not in use may be somebody else's from now on. */
  giveUpUnused(inUse: (gate: string) => number): void {
    for (const [gate, local] of this.byGate) {
      let left = inUse(gate)
      local.leases.sort((a, b) => b.endsAtMs - a.endsAtMs)
      local.leases = local.leases.filter(({ slots }) => {
        left -= slots
        return left >= 0
      })
    }
  }

  /** How many slots may be in use at the gate; infinite where it has none to count. */
  slots({ limit, key, gate }: GateKey, nowMs: number): number {
    const leases = this.byGate.get(gate)?.leases ?? []
    const live = leases.filter(({ endsAtMs }) => endsAtMs > nowMs)
    const allowance = this.shares.allowance(limit, key, nowMs)
    if (!allowance) return sum(live)
    if (allowance.policy.concurrency === null) return Number.POSITIVE_INFINITY
    const share = allowance.share?.concurrency ?? 0
    const isAll = nowMs >= this.startsAtMs(allowance)
    return Math.max(sum(live), Math.min(sum(leases), share), isAll ? share : 0)
  }

  /** Lets the call pass (null), or tells when it is worth asking again. */
  admit(call: Call, inUse: number, nowMs: number): number | null {
    const { limit, key, cost } = call.wanted
    const allowance = this.shares.allowance(limit, key, nowMs)
    if (!allowance || allowance.isClosed) return Number.POSITIVE_INFINITY
    if (inUse + slotsOf(call, allowance) > this.slots({ limit, key, gate: call.gate }, nowMs))
      return this.nextAtMs(call.gate, allowance, nowMs)
    if (!isMetered(allowance.policy)) return null
    const fromMs = this.keptFromMs + Math.ceil(longestMemoryUs(allowance.policy) / 1_000) + marginMs(this.settings)
    if (!allowance.share) return Number.POSITIVE_INFINITY
    if (nowMs < fromMs) return fromMs
    const local = this.local(call.gate)
    const rates = { rates: allowance.share.rates, concurrency: null }
    const passage = { id: call.id, fence: 1, cost, untilUs: neverUs }
    const admission = admit(rates, local.rates, allowance.nowUs, passage)
    if (admission.kind === "admitted") {
      local.rates = admission.state
      return null
    }
    return admission.atUs >= neverUs ? Number.POSITIVE_INFINITY : nowMs + Math.ceil((admission.atUs - allowance.nowUs) / 1_000)
  }

  /** When something changes at the gate by itself. */
  nextAtMs(gate: string, allowance: GateAllowance | null, nowMs: number): number {
    const times = (this.byGate.get(gate)?.leases ?? []).map(({ endsAtMs }) => endsAtMs)
    if (allowance) times.push(this.startsAtMs(allowance), allowance.endsAtMs)
    return Math.min(Number.POSITIVE_INFINITY, ...times.filter((atMs) => atMs > nowMs))
  }

  /** The store has not seen us since the failure at the latest: from now on it keeps our share free. */
  private get keptFromMs(): number {
    return this.sinceMs + (this.settings.leaseMs * 2) / 3
  }

  /** Everybody who was granted something before has lost it, or has it within his share. */
  private startsAtMs({ leasesMs }: GateAllowance): number {
    return this.keptFromMs + Math.max(this.settings.leaseMs, leasesMs)
  }

  private local(gate: string): LocalGate {
    const known = this.byGate.get(gate) ?? { leases: [], rates: emptyGate({ rates: [], concurrency: null }) }
    this.byGate.set(gate, known)
    return known
  }
}

/** As many as the call takes of what the gate has. */
export function slotsOf({ wanted }: Call, allowance: GateAllowance | null): number {
  if (wanted.isFurther) return 0
  return allowance ? slotsFor(allowance.policy, wanted.cost) : wanted.cost
}

function sum(leases: readonly Lease[]): number {
  return leases.reduce((all, { slots }) => all + slots, 0)
}
