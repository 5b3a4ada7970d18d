// What this process has been told of the limits that it uses: its share of each, and what holds for them. What it says that it has, the
// store gives to nobody else.

import { type GatePolicy, type Interval, noShare, sharePolicy } from "../../limits/index.ts"
import type { Allowed, ShareSaid, ShareTold } from "../../store/index.ts"
import { type CallsSettings, marginMs } from "./settings.ts"

interface Told extends ShareTold {
  /** On the monotonic clock: when the request that was answered so was sent, and when the answer came; and the store's time then. */
  readonly sentAtMs: number
  readonly answeredAtMs: number
  readonly nowMs: number
}

interface Used {
  usedAtMs: number
  /** Null before the first answer. */
  told: Told | null
  saidAtMs: number
}

/** What a gate allows while the store is away. */
export interface GateAllowance {
  readonly policy: GatePolicy
  /** Null: nothing. */
  readonly share: GatePolicy | null
  readonly isClosed: boolean
  /** The store's time, as far as one can tell. */
  readonly nowUs: number
  /** When the share is over, on the monotonic clock. */
  readonly endsAtMs: number
  readonly leasesMs: number
}

/** A limit that was not used for so long is given up. */
const usedForMs = 60_000

export class Shares {
  private readonly settings: CallsSettings
  private readonly byLimit = new Map<string, Used>()

  constructor(settings: CallsSettings) {
    this.settings = settings
  }

  get limits(): string[] {
    return [...this.byLimit.keys()]
  }

  use(limit: string, nowMs: number): void {
    if (this.settings.fallback === "refuse") return
    const known = this.byLimit.get(limit)
    if (known) known.usedAtMs = nowMs
    else this.byLimit.set(limit, { usedAtMs: nowMs, told: null, saidAtMs: Number.NEGATIVE_INFINITY })
  }

  /** When there is something to say, if nothing else happens; null: never. */
  get nextAtMs(): number | null {
    const times = [...this.byLimit.values()].map(({ saidAtMs }) => saidAtMs + this.settings.leaseMs / 3)
    return times.length > 0 ? Math.min(...times) : null
  }

  /** For a request that goes out now. `isUsing`: the store was out of reach, and what is there is in use. */
  say(nowMs: number, isUsing: boolean): ShareSaid[] {
    const list: ShareSaid[] = []
    for (const [limit, used] of this.byLimit) {
      const isLeaving = nowMs - used.usedAtMs >= usedForMs && !isUsing
      if (!isUsing && !isLeaving && nowMs - used.saidAtMs < this.settings.leaseMs / 6) continue
      if (isLeaving) used.told = null
      const { from, to } = this.interval(used, nowMs)
      list.push({ limit, from, to, fallbackMs: this.settings.fallbackForMs, isUsing: isUsing && to > from, isLeaving })
    }
    return list
  }

  /** The answer to what was said. */
  told(said: readonly ShareSaid[], shares: readonly ShareTold[], nowMs: number, times: { sentAtMs: number; answeredAtMs: number }): void {
    for (const { limit, isLeaving, isUsing } of said) {
      const used = this.byLimit.get(limit)
      if (isLeaving) this.byLimit.delete(limit)
      if (!used || isLeaving) continue
      // Said again at once: until then it is kept for us.
      used.saidAtMs = isUsing ? Number.NEGATIVE_INFINITY : times.sentAtMs
      const told = shares.find((one) => one.limit === limit)
      if (told) used.told = { ...told, leasesMs: Math.max(told.leasesMs, used.told?.leasesMs ?? 0), nowMs, ...times }
    }
  }

  /** While the store is away: what is over, and was not used for a while, need not be told any more. */
  forget(nowMs: number): void {
    for (const [limit, used] of this.byLimit) {
      const { from, to } = this.interval(used, nowMs)
      if (to <= from && nowMs - used.usedAtMs >= usedForMs) this.byLimit.delete(limit)
    }
  }

  /** Everything is left: what is said of it then. */
  leave(): ShareSaid[] {
    const list = this.limits.map((limit) => ({ limit, ...noShare, fallbackMs: 0, isUsing: false, isLeaving: true }))
    this.byLimit.clear()
    return list
  }

  /** Null where nothing is known of it. */
  allowance(limit: string, key: string, nowMs: number): GateAllowance | null {
    const used = this.byLimit.get(limit)
    const told = used?.told
    if (!used || !told) return null
    // A key may be called like something that every object has.
    const { policy, closedMs }: Allowed = (Object.hasOwn(told.keys, key) ? told.keys[key] : null) ?? told.whole
    return {
      policy,
      share: sharePolicy(policy, this.interval(used, nowMs)),
      isClosed: closedMs === null || told.answeredAtMs + closedMs > nowMs,
      nowUs: Math.floor((told.nowMs + nowMs - told.answeredAtMs) * 1_000),
      endsAtMs: this.endsAtMs(told),
      leasesMs: told.leasesMs,
    }
  }

  private endsAtMs({ sentAtMs }: Told): number {
    return sentAtMs + this.settings.fallbackForMs - marginMs(this.settings)
  }

  private interval({ told }: Used, nowMs: number): Interval {
    return told && nowMs < this.endsAtMs(told) ? { from: told.from, to: told.to } : noShare
  }
}
