// One gate as an observer keeps it: every charge and every holder, written down one by one and added up anew for each question.
// Slow and plain; nothing here comes from src. Of `unknown` rates the observer knows only between which bounds a charge is free
// again, so it tells what surely and what perhaps counts.

export interface Rate {
  readonly limit: number
  readonly perUs: number
  readonly provider: "unknown" | "sliding" | "fixed" | "bucket"
  readonly burst: number
  readonly phaseUs: number
  readonly guardUs: number
  readonly slackUs: number
}

export interface Policy {
  readonly rates: readonly Rate[]
  readonly concurrency: number | null
}

export interface Charge {
  readonly id: string
  readonly fence: number
  readonly atUs: number
  readonly reserved: number
  readonly isPermit: boolean
  /** What counts at each rate. */
  readonly costs: number[]
  /** When it may have gone out at the latest, as far as is known. */
  sentAtUs: number
}

interface Holder {
  readonly id: string
  readonly fence: number
  readonly slots: number
  untilUs: number
}

/** What counts at most and at least. */
export type View = "most" | "least"

export function largestCost({ rates, concurrency }: Policy): number {
  if (rates.length === 0) return concurrency ?? Number.POSITIVE_INFINITY
  return Math.min(...rates.map(({ provider, burst, limit }) => (provider === "bucket" ? burst : limit)))
}

const windowOf = ({ perUs, phaseUs }: Rate, atUs: number) => Math.floor((atUs - phaseUs) / perUs)
const steps = [2_000_000, 4_000_000, 8_000_000, 16_000_000, 30_000_000]

export class Book {
  readonly charges: Charge[] = []
  holders: Holder[] = []
  /** By the other side's word. */
  closedUntilUs = 0
  refusals = 0
  private reactedAtUs = -1
  /** For each rate: what a bucket is owed and when that was reckoned, and the latest window that a fixed one was charged in. */
  private readonly owed: { units: number; atUs: number }[] = []
  private readonly latest: number[] = []

  /** What counts against a rate. */
  level(policy: Policy, i: number, nowUs: number, view: View): number {
    const rate = policy.rates[i] as Rate
    if (rate.provider === "bucket") return Math.min(rate.burst, Math.ceil(this.owes(rate, i, nowUs) / rate.perUs))
    if (rate.provider === "fixed") {
      const window = windowOf(rate, nowUs)
      if ((this.latest[i] ?? 0) > window) return rate.limit
      return Math.min(
        rate.limit,
        this.sum(i, ({ atUs }) => windowOf(rate, atUs) === window),
      )
    }
    if (rate.provider === "unknown" && view === "most") return this.sum(i, ({ sentAtUs }) => sentAtUs + rate.perUs + rate.slackUs > nowUs)
    return this.sum(i, ({ atUs }) => atUs + rate.perUs > nowUs)
  }

  private sum(i: number, counts: (charge: Charge) => boolean): number {
    return this.charges.filter(counts).reduce((sum, charge) => sum + (charge.costs[i] ?? 0), 0)
  }

  private owes(rate: Rate, i: number, nowUs: number): number {
    const { units, atUs } = this.owed[i] ?? { units: 0, atUs: 0 }
    return Math.max(0, units - Math.max(0, nowUs - atUs) * rate.limit)
  }

  held(nowUs: number): number {
    return this.holders.filter(({ untilUs }) => untilUs > nowUs).reduce((sum, { slots }) => sum + slots, 0)
  }

  /** Whether the cost may pass, by the sum of what is written down. */
  admits(policy: Policy, nowUs: number, cost: number, view: View): boolean {
    if (cost > largestCost(policy) || this.closedUntilUs > nowUs) return false
    const slots = policy.rates.length > 0 ? 1 : cost
    if (policy.concurrency !== null && this.held(nowUs) + slots > policy.concurrency) return false
    return policy.rates.every((rate, i) => this.fits(policy, rate, i, nowUs, cost, view))
  }

  private fits(policy: Policy, rate: Rate, i: number, nowUs: number, cost: number, view: View): boolean {
    if (rate.provider === "bucket") {
      return nowUs >= (this.owed[i]?.atUs ?? 0) && this.owes(rate, i, nowUs) + cost * rate.perUs <= rate.burst * rate.perUs
    }
    if (rate.provider === "fixed") {
      const intoUs = nowUs - (windowOf(rate, nowUs) * rate.perUs + rate.phaseUs)
      if (intoUs < rate.guardUs || intoUs > rate.perUs - rate.guardUs) return false
    }
    return this.level(policy, i, nowUs, view) + cost <= rate.limit
  }

  charge(policy: Policy, { atUs, cost, ...who }: { id: string; fence: number; atUs: number; cost: number; isPermit: boolean }): void {
    this.charges.push({ ...who, atUs, reserved: cost, costs: policy.rates.map(() => cost), sentAtUs: atUs })
    for (const [i, rate] of policy.rates.entries()) {
      this.owe(rate, i, atUs, cost)
      this.latest[i] = Math.max(this.latest[i] ?? 0, windowOf(rate, atUs))
    }
  }

  private owe(rate: Rate, i: number, atUs: number, cost: number): void {
    const fromUs = Math.max(atUs, this.owed[i]?.atUs ?? 0)
    this.owed[i] = { units: this.owes(rate, i, fromUs) + cost * rate.perUs, atUs: fromUs }
  }

  /** More is owed at once; less only as far as time has not paid for it already. */
  private repay(rate: Rate, i: number, nowUs: number, { atUs, reserved }: Charge, actual: number): void {
    if (actual > reserved) this.owe(rate, i, nowUs, actual - reserved)
    if (actual >= reserved) return
    const fromUs = Math.max(nowUs, this.owed[i]?.atUs ?? 0)
    const unpaid = Math.max(0, reserved * rate.perUs - (fromUs - atUs) * rate.limit)
    const back = Math.min((reserved - actual) * rate.perUs, unpaid)
    this.owed[i] = { units: Math.max(0, this.owes(rate, i, fromUs) - back), atUs: fromUs }
  }

  /** When a bucket would let the cost pass. */
  bucketOpensAtUs(rate: Rate, i: number, nowUs: number, cost: number): number {
    const fromUs = Math.max(nowUs, this.owed[i]?.atUs ?? 0)
    return fromUs + Math.max(0, Math.ceil((this.owes(rate, i, fromUs) + (cost - rate.burst) * rate.perUs) / rate.limit))
  }

  hold(policy: Policy, id: string, fence: number, cost: number, untilUs: number): void {
    if (policy.concurrency !== null) this.holders.push({ id, fence, slots: policy.rates.length > 0 ? 1 : cost, untilUs })
  }

  renew(id: string, fence: number, untilUs: number): void {
    for (const holder of this.holders) {
      if (holder.id === id && holder.fence === fence) holder.untilUs = Math.max(holder.untilUs, untilUs)
    }
  }

  release(id: string, fence: number): void {
    this.holders = this.holders.filter((holder) => holder.id !== id || holder.fence !== fence)
  }

  /** What was really spent, while the charge still counts. */
  correct(policy: Policy, id: string, fence: number, nowUs: number, { actual, sentAtUs }: { actual: number; sentAtUs: number }): void {
    const charge = this.charges.findLast((one) => one.id === id && one.fence === fence && !one.isPermit)
    if (!charge) return
    charge.sentAtUs = Math.max(charge.atUs, sentAtUs)
    for (const [i, rate] of policy.rates.entries()) {
      const slackUs = rate.provider === "unknown" ? rate.slackUs : 0
      if (rate.provider === "bucket") {
        this.repay(rate, i, nowUs, charge, actual)
        charge.costs[i] = actual
      } else if (rate.provider === "fixed" ? windowOf(rate, charge.atUs) === this.latest[i] : charge.atUs + rate.perUs + slackUs > nowUs) {
        charge.costs[i] = actual
      }
    }
  }

  /** "Too fast": once for each request that was sent after the last time. */
  cool(nowUs: number, sentAtUs: number, retryAfterUs: number | null, random: number, mostUs: (refusals: number) => number): void {
    if (sentAtUs <= this.reactedAtUs) return
    const stepUs = steps[Math.min(this.refusals, steps.length - 1)] as number
    const baseUs = retryAfterUs ?? Math.min(stepUs, mostUs(this.refusals))
    this.refusals++
    this.reactedAtUs = nowUs
    this.closedUntilUs = Math.max(this.closedUntilUs, nowUs + baseUs + Math.ceil((baseUs * random) / 10))
  }

  relax(sentAtUs: number): void {
    if (sentAtUs > this.reactedAtUs) this.refusals = 0
  }

  reopen(): void {
    this.closedUntilUs = 0
    this.refusals = 0
  }
}
