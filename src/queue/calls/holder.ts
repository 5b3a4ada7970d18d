// Everything that a process says to the store of its calls: one hold at a time, for all of them. It speaks when there is something to
// say, when leases have to be renewed, when the store has told a time or has news; else it is silent, and with nothing to hold it
// has no timers.
//
//   attached ──a hold fails, or a lease ends without an answer──▶ detached ──a hold is answered──▶ attached
//
// Detached it goes on with what `detached.ts` allows, and asks again every second or so. What runs then is adopted by the store.

import { isSluiceError, SluiceError } from "../../errors/index.ts"
import type { HoldAnswer, HoldRequest, ShareSaid, Store } from "../../store/index.ts"
import { withDeadline } from "../../worker/line.ts"
import { RoundTrips } from "../../worker/round-trips.ts"
import { Waker } from "../../worker/waker.ts"
import { randomHex, type Timer, type World } from "../../world/index.ts"
import type { Declarations } from "../declarations.ts"
import type { Emitter } from "../emitter.ts"
import type { QueueEvents } from "../events.ts"
import { Call, type CallWanted, type Ending, nothingToTell } from "./call.ts"
import type { CallStats } from "./counters.ts"
import { Detached } from "./detached.ts"
import { Listener } from "./listener.ts"
import { callsClosed, couldNotAcquire } from "./refusals.ts"
import { Roster } from "./roster.ts"
import { type Said, toSay } from "./saying.ts"
import { serveUnderShare } from "./serving.ts"
import { type CallsSettings, holdDeadlineMs, marginMs } from "./settings.ts"
import { Shares } from "./shares.ts"
import { takeAnswer } from "./taking.ts"

/** A store that does not answer is asked again after this at most; and whether it is there, it has so long to say. */
const longestPauseMs = 1_000
const probeMs = 1_000
const never = Number.POSITIVE_INFINITY

export interface HolderParts {
  readonly store: Store
  readonly world: World
  readonly settings: CallsSettings
  readonly declarations: Declarations
  readonly events: Emitter<QueueEvents>
}

export class Holder {
  readonly roundTrips = new RoundTrips()
  private readonly parts: HolderParts
  private readonly world: World
  private readonly settings: CallsSettings
  private readonly ownerId: string
  private readonly shares: Shares
  private readonly roster: Roster
  private readonly waker: Waker
  private readonly listener: Listener
  private detached: Detached | null = null
  private number = 0
  private failures = 0
  private retryAtMs = 0
  /** The store's time of the latest answer, and when it came. */
  private told = { nowMs: 0, atMs: 0 }
  /** When the store has told us to come again. */
  private nextAtMs = never
  private timer: Timer | null = null
  private isWorking = false
  private isClosed = false

  constructor(parts: HolderParts) {
    this.parts = parts
    this.world = parts.world
    this.settings = parts.settings
    this.ownerId = `calls-${randomHex(parts.world, 16)}`
    this.shares = new Shares(parts.settings)
    this.roster = new Roster(this.shares, parts.world, parts.events)
    this.waker = new Waker(parts.world)
    this.listener = new Listener(parts.store, parts.world, this.ownerId, () => this.waker.wake())
  }

  stats(limit: string): CallStats & { readonly isDetached: boolean } {
    return { ...this.roster.counters.of(limit), isDetached: this.detached !== null }
  }

  /** A call that runs now; null where it was to try, and may not. Rejects when its time is over. */
  async ask(wanted: CallWanted): Promise<Call | null> {
    const nowMs = this.world.monotonicMs()
    const call = new Call(`call-${randomHex(this.world, 16)}`, wanted, nowMs)
    if (this.isClosed) throw callsClosed(call.gate)
    wanted.signal?.throwIfAborted()
    this.shares.use(wanted.limit, nowMs)
    this.roster.waiting.set(call.id, call)
    if (wanted.waitMs > 0) this.boundWaiting(call)
    if (this.detached) this.look()
    this.speak()
    return (await call.done) ? call : null
  }

  /** The call is over. A second time changes nothing. */
  end(call: Call, ending: Ending): void {
    this.shares.use(call.wanted.limit, this.world.monotonicMs())
    if (!this.roster.end(call, ending)) return
    if (this.detached) this.look()
    this.speak()
  }

  /** Of one that was not to wait, or has waited long enough. */
  refusal(call: Call): Error {
    const storeNowMs = this.told.nowMs + this.world.monotonicMs() - this.told.atMs
    return couldNotAcquire(call, { storeNowMs, away: this.detached?.error ?? null, fallback: this.settings.fallback })
  }

  /** What waits is refused, what runs has lost its slot, and the store is told so if it can be reached. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.dropAll((call) => callsClosed(call.gate))
    this.timer?.cancel()
    this.listener.stop()
    this.waker.wake()
    const isKnown = this.number > 0 && (this.roster.endings.length > 0 || this.shares.limits.length > 0)
    const { request } = this.prepare(this.shares.leave())
    if (isKnown && !this.detached) await this.hold(request).catch(() => {})
  }

  private dropAll(error: (call: Call) => unknown): void {
    for (const call of [...this.roster.waiting.values()]) this.roster.giveUp(call, error(call))
    for (const call of [...this.roster.running.values()]) {
      this.roster.lose(call)
      this.roster.end(call, nothingToTell(call.id))
    }
  }

  private boundWaiting(call: Call): void {
    const { signal, waitMs } = call.wanted
    const giveUp = (error: unknown) => {
      this.roster.giveUp(call, error)
      this.speak()
    }
    const timer = this.world.timer(waitMs, () => giveUp(this.refusal(call)))
    const stop = () => giveUp(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    call.onceDone(() => {
      timer.cancel()
      signal?.removeEventListener("abort", stop)
    })
  }

  /** There may be something to say. */
  private speak(): void {
    this.waker.wake()
    if (this.isWorking || this.isClosed) return
    this.isWorking = true
    void this.work()
  }

  private async work(): Promise<void> {
    while (!this.isClosed && !(this.roster.isEmpty && this.shares.limits.length === 0)) {
      const atMs = this.dueAtMs()
      if (atMs > this.world.monotonicMs()) await this.waker.sleepUntil(atMs === never ? null : atMs)
      else await this.say()
    }
    this.timer?.cancel()
    this.listener.stop()
    this.isWorking = false
  }

  private dueAtMs(): number {
    if (this.detached) return this.retryAtMs
    if (this.roster.hasNews) return Number.NEGATIVE_INFINITY
    const next = this.roster.hasLine ? Math.min(this.nextAtMs, this.listener.newsAtMs) : never
    return Math.min(next, this.roster.renewedAtMs + this.settings.leaseMs / 3, this.shares.nextAtMs ?? never)
  }

  private async say(): Promise<void> {
    let said: Said | null = null
    try {
      // Whatever was asked for in the same turn shares one hold. A store that was away is first asked whether it is there.
      if (this.detached) await withDeadline(this.world, probeMs, () => this.parts.store.now({}))
      else await new Promise<void>((resolve) => this.world.turn(resolve))
      const { declarations } = this.parts
      if (declarations.isDue) await withDeadline(this.world, holdDeadlineMs(this.settings), () => declarations.tell())
      if (this.isClosed) return
      said = this.prepare(this.shares.say(this.world.monotonicMs(), this.detached !== null))
      const answer = await this.hold(said.request)
      if (!this.isClosed) this.take(said, answer)
    } catch (error) {
      // Nobody knows whether it was carried out: everything is said again.
      if (said) this.roster.endings = [...said.endings, ...this.roster.endings]
      if (!this.isClosed) this.failed(error as Error)
    }
  }

  private hold(request: HoldRequest): Promise<HoldAnswer> {
    return withDeadline(this.world, holdDeadlineMs(this.settings), () => this.parts.store.hold(request))
  }

  private prepare(shares: readonly ShareSaid[]): Said {
    const sentAtMs = this.world.monotonicMs()
    this.detached?.giveUpUnused((gate) => this.roster.inUse(gate, sentAtMs))
    this.listener.heard()
    this.nextAtMs = never
    const { ownerId } = this
    const about = { ownerId, number: ++this.number, sinceMs: this.told.nowMs, shares, sentAtMs, isDetached: this.detached !== null }
    return toSay(this.roster, this.settings, about)
  }

  private take(said: Said, answer: HoldAnswer): void {
    const answeredAtMs = this.world.monotonicMs()
    this.told = { nowMs: answer.nowMs, atMs: answeredAtMs }
    this.failures = 0
    this.shares.told(said.request.shares, answer.shares, answer.nowMs, { sentAtMs: said.sentAtMs, answeredAtMs })
    this.attach()
    takeAnswer(this.roster, this.settings, this.parts.declarations, said, answer)
    if (answer.nextAtMs !== null) this.nextAtMs = answeredAtMs + Math.max(0, answer.nextAtMs - answer.nowMs)
    this.listener.keep(this.roster.hasLine)
    this.look()
  }

  private failed(error: Error): void {
    if (isSluiceError(error) && error.code === "store_closed") {
      this.dropAll(() => error)
      this.roster.endings = []
      this.shares.leave()
      return
    }
    if (isSluiceError(error) && !error.retryable) for (const call of [...this.roster.waiting.values()]) this.roster.giveUp(call, error)
    this.detach(error)
    this.shares.forget(this.world.monotonicMs())
    const mostMs = Math.min(longestPauseMs, 50 * 2 ** this.failures++)
    this.retryAtMs = this.world.monotonicMs() + (0.1 + this.world.random() * 0.9) * mostMs
    this.look()
  }

  private detach(error: Error): void {
    if (this.detached) return
    const nowMs = this.world.monotonicMs()
    this.detached = new Detached(this.settings, this.shares, error, nowMs, this.roster.running.values())
    this.retryAtMs = nowMs
    this.listener.stop()
    const { fallback } = this.settings
    for (const limit of this.limitsInUse()) {
      const slots = this.shares.allowance(limit, "", nowMs)?.share?.concurrency ?? null
      this.parts.events.emit("limit.detached", { limit, error, fallback, slots })
    }
  }

  private attach(): void {
    if (!this.detached) return
    const nowMs = this.world.monotonicMs()
    const awayMs = nowMs - this.detached.sinceMs
    this.detached = null
    // What has begun since the request was sent is within the share, which the store keeps for us until it has heard of it.
    for (const call of this.roster.running.values())
      if (!call.isKnown) call.leaseEndsAtMs = nowMs + this.settings.leaseMs - marginMs(this.settings)
    for (const limit of this.limitsInUse()) this.parts.events.emit("limit.attached", { limit, awayMs })
  }

  private limitsInUse(): Set<string> {
    return new Set([...this.shares.limits, ...this.roster.limits])
  }

  /** What time does to what this process has. It must work while the store does not answer. */
  private look(): void {
    this.timer?.cancel()
    const nowMs = this.world.monotonicMs()
    if (!this.detached && this.roster.firstLeaseEndMs <= nowMs)
      this.detach(new SluiceError("store_unavailable", "store: expected leases to be renewed in time, got no answer"))
    const nextMs = this.detached ? serveUnderShare(this.roster, this.shares, this.detached, nowMs) : this.roster.firstLeaseEndMs
    if (nextMs < never && !this.isClosed) this.timer = this.world.timer(Math.max(0, nextMs - nowMs), () => this.look())
    this.waker.wake()
  }
}
