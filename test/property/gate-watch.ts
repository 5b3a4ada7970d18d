// Follows a queue from outside: from requests and answers alone it knows who has passed which gate, who holds it, what people
// have set. Nothing here comes from src.

import { Book, largestCost, type Policy, type View } from "./gate-book.ts"

export interface Gate {
  readonly limit: string
  readonly key: string
  readonly cost: number
}

export interface Task {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly flow: string
  readonly priority: number
  readonly gates: readonly Gate[] | null
  readonly fence: number
  readonly availableAtMs: number
  readonly readyAtMs: number
  readonly leaseExpiresAtMs: number | null
}

export interface Settle {
  readonly id: string
  readonly fence: number
  readonly outcome: {
    readonly kind: string
    readonly limit?: string | null
    readonly retryAfterMs?: number | null
    readonly random?: number
  }
  readonly spent: readonly { readonly limit: string; readonly actual: number }[]
  readonly sentAgoMs: number | null
}

export interface Exchange {
  readonly settles: readonly Settle[]
  readonly heartbeats: readonly { readonly id: string; readonly fence: number }[]
  readonly leaseMs: number
  readonly claim: { readonly types: readonly { readonly type: string; readonly room: number }[]; readonly max: number } | null
}

export interface Exchanged {
  readonly nowMs: number
  readonly settled: readonly { readonly kind: string }[]
  readonly kept: readonly string[]
  readonly claimed: readonly Task[]
  readonly more: boolean
  readonly nextAtMs: number | null
}

interface Setting {
  override: Partial<Policy>
  overrideUntilMs: number | null
  isPaused: boolean
  closedUntilMs: number
}

interface Change {
  readonly kind: string
  readonly override?: Partial<Policy>
  readonly untilMs?: number | null
}

interface Run {
  readonly task: Task
  readonly startedAtMs: number
  leaseEndsAtMs: number
}

/** Completions go before everything else, unless a task is settled twice. */
function inTurn(settles: readonly Settle[]): readonly Settle[] {
  if (new Set(settles.map(({ id }) => id)).size < settles.length) return settles
  const isDone = ({ outcome }: Settle) => outcome.kind === "completed"
  return [...settles.filter(isDone), ...settles.filter((settle) => !isDone(settle))]
}

const noSetting: Setting = { override: {}, overrideUntilMs: null, isPaused: false, closedUntilMs: 0 }
export const nameOf = ({ limit, key }: { limit: string; key: string }) => `${limit}/${key}`

export class Watcher {
  nowMs = 0
  /** Who runs, by id. */
  readonly running = new Map<string, Run>()
  /** Whatever was spent beyond what was reserved: of these limits nobody can promise much. */
  readonly overspent = new Set<string>()
  private readonly base: Readonly<Record<string, Policy>>
  private readonly books = new Map<string, Book>()
  private readonly settings = new Map<string, Setting>()
  /** The distance that a gate says it keeps since it was refused what it had called safe: how long is its own affair. */
  private readonly paces = new Map<string, { readonly everyUs: number; readonly nextAtMs: number }>()

  constructor(base: Readonly<Record<string, Policy>>) {
    this.base = base
  }

  book(gate: { limit: string; key: string }): Book {
    const known = this.books.get(nameOf(gate)) ?? new Book()
    this.books.set(nameOf(gate), known)
    return known
  }

  setting(limit: string, key: string): Setting {
    return this.settings.get(nameOf({ limit, key })) ?? noSetting
  }

  /** What holds for a gate: the code, then what was set for the limit, then for the key. */
  policy({ limit, key }: { limit: string; key: string }, nowMs = this.nowMs): Policy {
    const settings = [this.setting(limit, ""), this.setting(limit, key)]
    const inForce = settings.filter(({ overrideUntilMs }) => overrideUntilMs === null || overrideUntilMs > nowMs)
    return Object.assign({}, this.base[limit], ...inForce.map(({ override }) => override)) as Policy
  }

  /** By hand; infinite while paused. */
  closedUntilMs({ limit, key }: { limit: string; key: string }): number {
    const settings = [this.setting(limit, ""), this.setting(limit, key)]
    if (settings.some(({ isPaused }) => isPaused)) return Number.POSITIVE_INFINITY
    return Math.max(...settings.map(({ closedUntilMs }) => closedUntilMs))
  }

  keepsPace(gate: { limit: string; key: string }, pace: { readonly everyUs: number; readonly nextAtMs: number } | null): void {
    if (pace) this.paces.set(nameOf(gate), pace)
    else this.paces.delete(nameOf(gate))
  }

  admits(gate: Gate, nowMs: number, view: View): boolean {
    if (view === "most" && (this.paces.get(nameOf(gate))?.nextAtMs ?? 0) > nowMs) return false
    return this.closedUntilMs(gate) <= nowMs && this.book(gate).admits(this.policy(gate, nowMs), nowMs * 1_000, gate.cost, view)
  }

  settled({ settles }: Exchange, answer: Exchanged): void {
    for (const settle of inTurn(settles)) {
      const run = this.running.get(settle.id)
      if (answer.settled[settles.indexOf(settle)]?.kind !== "ok" || run?.task.fence !== settle.fence) continue
      this.running.delete(settle.id)
      for (const gate of run.task.gates ?? []) this.settleAt(gate, run, settle)
    }
  }

  private settleAt(gate: Gate, { task, startedAtMs }: Run, { spent, outcome, sentAgoMs }: Settle): void {
    const book = this.book(gate)
    const nowUs = this.nowMs * 1_000
    const actual = spent.find(({ limit }) => limit === gate.limit)?.actual ?? gate.cost
    if (actual > gate.cost) this.overspent.add(gate.limit)
    const sentAtUs = Math.max(startedAtMs * 1_000, sentAgoMs === null ? 0 : nowUs - sentAgoMs * 1_000)
    book.correct(this.policy(gate), task.id, task.fence, nowUs, { actual, sentAtUs })
    book.release(task.id, task.fence)
    if (outcome.kind === "completed") book.relax(sentAtUs)
    if (outcome.kind !== "throttled" || (outcome.limit ?? gate.limit) !== gate.limit) return
    const { retryAfterMs = null, random = 0 } = outcome
    book.cool(nowUs, sentAtUs, retryAfterMs === null ? null : retryAfterMs * 1_000, random, (refusals) => this.cooldownUs(gate, refusals))
  }

  /** A window of the limit's own, where that is shorter; three distances for the first at a gate that keeps one. */
  private cooldownUs(gate: Gate, refusals: number): number {
    const { rates } = this.policy(gate)
    const windowUs = rates.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...rates.map(({ perUs }) => perUs)) * 2 ** refusals
    const pace = this.paces.get(nameOf(gate))
    return pace && refusals === 0 ? Math.min(windowUs, 3 * pace.everyUs) : windowUs
  }

  kept({ heartbeats, leaseMs }: Exchange, answer: Exchanged): void {
    for (const [i, { id, fence }] of heartbeats.entries()) {
      const run = this.running.get(id)
      if (answer.kept[i] !== "ok" || run?.task.fence !== fence) continue
      run.leaseEndsAtMs = Math.max(run.leaseEndsAtMs, this.nowMs + leaseMs)
      for (const gate of run.task.gates ?? []) this.book(gate).renew(id, fence, run.leaseEndsAtMs * 1_000)
    }
  }

  claimed(task: Task): void {
    const leaseEndsAtMs = task.leaseExpiresAtMs ?? 0
    this.running.set(task.id, { task, startedAtMs: this.nowMs, leaseEndsAtMs })
    for (const gate of task.gates ?? []) {
      const policy = this.policy(gate)
      const who = { id: task.id, fence: task.fence, cost: gate.cost }
      this.book(gate).charge(policy, { ...who, atUs: this.nowMs * 1_000, isPermit: false })
      this.book(gate).hold(policy, who.id, who.fence, who.cost, leaseEndsAtMs * 1_000)
    }
  }

  /** Leases that have ended are lost by the sweep. */
  swept(): void {
    for (const [id, { task, leaseEndsAtMs }] of this.running) {
      if (leaseEndsAtMs > this.nowMs) continue
      this.running.delete(id)
      for (const gate of task.gates ?? []) this.book(gate).release(id, task.fence)
    }
  }

  /** Charged for when it goes out. */
  permitted({ id, fence, limit, cost }: { id: string; fence: number; limit: string; cost: number }, waitMs: number): void {
    // All gates of the limit, for one moment.
    const gates = this.running.get(id)?.task.gates?.filter((one) => one.limit === limit) ?? []
    const nowUs = this.nowMs * 1_000
    // Told in whole milliseconds; a bucket reckons in microseconds.
    const bucketUs = Math.max(0, ...gates.flatMap((gate) => this.bucketsOpenAtUs(gate, nowUs, cost)))
    const toldUs = nowUs + waitMs * 1_000
    const atUs = Math.ceil(bucketUs / 1_000) * 1_000 === toldUs ? bucketUs : toldUs
    for (const gate of gates) {
      const policy = this.policy(gate)
      if (policy.rates.length > 0) this.book(gate).charge(policy, { id, fence, atUs, cost, isPermit: true })
    }
  }

  private bucketsOpenAtUs(gate: Gate, nowUs: number, cost: number): number[] {
    const { rates } = this.policy(gate)
    return rates.map((rate, i) => (rate.provider === "bucket" ? this.book(gate).bucketOpensAtUs(rate, i, nowUs, cost) : 0))
  }

  changed({ limit, key, change }: { limit: string; key: string; change: Change }): void {
    const before = this.setting(limit, key)
    const name = nameOf({ limit, key })
    if (change.kind === "set") {
      this.settings.set(name, { ...before, override: { ...before.override, ...change.override }, overrideUntilMs: change.untilMs ?? null })
    }
    if (change.kind === "pause") this.settings.set(name, { ...before, isPaused: true })
    if (change.kind === "resume") this.settings.set(name, { ...before, isPaused: false, closedUntilMs: 0 })
    if (change.kind === "close") this.settings.set(name, { ...before, closedUntilMs: change.untilMs ?? 0 })
    if (change.kind !== "reset") return
    this.settings.delete(name)
    for (const [gate, book] of this.books) if (gate === name || (key === "" && gate.startsWith(`${limit}/`))) book.reopen()
  }

  allBooks(): readonly (readonly [string, Book])[] {
    return [...this.books]
  }

  /** Whether the cost could ever pass. */
  isAffordable(gate: Gate): boolean {
    return gate.cost <= largestCost(this.policy(gate))
  }
}
