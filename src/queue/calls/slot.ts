// A slot that a call has got: what its holder is given, and what the gate hears of it when it is over.

import { isSluiceError, SluiceError, shown } from "../../errors/index.ts"
import type { RateLimitError } from "../../task/index.ts"
import { readOptions } from "../../units/index.ts"
import { type Noted, Requests } from "../../worker/requests.ts"
import type { RoundTrips } from "../../worker/round-trips.ts"
import type { World } from "../../world/index.ts"
import type { FetchOptions, Observed, ObserveOptions } from "../context.ts"
import { type CostOptions, readCost } from "../limit.ts"
import type { Call, Ending } from "./call.ts"

/** What a call outside the queue is given. */
export interface CallContext {
  /** "" where the limit is not split. */
  readonly key: string
  /** Fires when the slot is lost, or the caller asks to stop. */
  readonly signal: AbortSignal
  /** What this call has really cost, where that differs from what was charged. */
  spent(actual: number): void
  /** One more request: resolves when it may go out. The slot has paid for the first. */
  permit(options?: CostOptions): Promise<void>
  /** As in a handler: the platform's fetch, and the gate hears what the answer says of limits. A further request waits for its permit. */
  fetch(input: string | URL, init?: RequestInit, options?: Omit<FetchOptions, "limit">): Promise<Response>
  /** The same for the answer of another client, or for the error that it has thrown. */
  observe(answer: unknown, options?: Omit<ObserveOptions, "limit">): Observed
}

export interface Slot extends CallContext, AsyncDisposable {
  /** Gives it back. A second time changes nothing. */
  release(): void
}

export interface SlotHooks {
  readonly world: World
  readonly roundTrips: RoundTrips
  end(call: Call, ending: Ending): void
  /** Resolves when one more request may go out. */
  further(call: Call, cost: number, signal: AbortSignal): Promise<void>
}

export class HeldSlot {
  private readonly signal: AbortSignal
  private readonly call: Call
  private readonly hooks: SlotHooks
  private readonly heard: Noted[] = []
  private readonly requests: Requests
  private sentAtMs: number
  private actual: number | null = null

  constructor(call: Call, hooks: SlotHooks) {
    const { limit, key, cost, signal } = call.wanted
    this.call = call
    this.hooks = hooks
    this.sentAtMs = call.startedAtMs
    this.signal = signal ? AbortSignal.any([call.lost.signal, signal]) : call.lost.signal
    const slot = this
    this.requests = new Requests({
      name: `limit ${shown(limit)}`,
      task: { type: "", gates: [{ limit, key, cost }] },
      world: hooks.world,
      signal: this.signal,
      get sentAtMs() {
        return slot.sentAtMs
      },
      permit: (_limit, asked) => this.further(asked ?? cost),
      note: (answer) => this.note(answer),
    })
  }

  /** As its holder sees it: functions that need no `this`. */
  get view(): Slot {
    return {
      key: this.call.wanted.key,
      signal: this.signal,
      spent: (actual) => this.spent(actual),
      permit: (options) => this.permit(options),
      fetch: (input, init, options) => this.requests.fetch(input, init, options),
      observe: (answer, options) => this.requests.observe(answer, options),
      release: () => this.end(null),
      [Symbol.asyncDispose]: async () => this.end(null),
    }
  }

  /** The work that it was for has come to an end by itself: without any answer that was noted, it was served. */
  served(): void {
    this.end(this.heard.length > 0 ? null : this.answer("served", null))
  }

  /** It has failed. Where the other side said "too fast", and nobody has noted that, the gate hears of it. */
  failed(error: unknown): void {
    const isRefusal = isSluiceError(error) && error.code === "rate_limited" && (error as RateLimitError).scope !== "task"
    const isNoted = this.heard.some(({ kind }) => kind === "refused")
    this.end(isRefusal && !isNoted ? this.answer("refused", (error as RateLimitError).retryAfterMs) : null)
  }

  private spent(actual: number): void {
    if (typeof actual !== "number" || !Number.isSafeInteger(actual) || actual < 0)
      throw new SluiceError(
        "invalid_cost",
        `limit ${shown(this.call.wanted.limit)}: spent: expected a whole number, 0 or more, got ${shown(actual)}`,
      )
    this.actual = actual
  }

  private async permit(options?: CostOptions): Promise<void> {
    const { cost } = readOptions(`limit ${shown(this.call.wanted.limit)}: permit`, options, { cost: readCost })
    await this.further(cost ?? 1)
  }

  private async further(cost: number): Promise<void> {
    await this.hooks.further(this.call, cost, this.signal)
    this.sentAtMs = this.hooks.world.monotonicMs()
  }

  private note(answer: Noted): void {
    this.sentAtMs = Math.max(this.sentAtMs, answer.sentAtMs)
    if (this.heard.length >= mostHeard) this.heard.shift()
    this.heard.push(answer)
  }

  private answer(kind: "served" | "refused", retryAfterMs: number | null): Noted {
    const last = this.heard.at(-1)
    const times = { sentAtMs: last?.sentAtMs ?? this.sentAtMs, respondedAtMs: last?.respondedAtMs ?? this.hooks.world.monotonicMs() }
    return { limit: null, kind, reason: "rate", retryAfterMs, quotas: [], random: this.hooks.world.random(), ...times }
  }

  private end(last: Noted | null): void {
    const first = this.heard[0]
    const heard = last ? [...this.heard, last] : this.heard
    const paidFor = first
      ? {
          sentAtMs: first.sentAtMs,
          respondedAtMs: first.respondedAtMs,
          rttMs: this.hooks.roundTrips.leastMs([this.call.wanted], first.sentAtMs, first.respondedAtMs),
        }
      : { sentAtMs: this.sentAtMs, respondedAtMs: last ? last.respondedAtMs : null, rttMs: null }
    this.hooks.end(this.call, { id: this.call.id, spent: this.actual, ...paidFor, heard })
  }
}

/** Answers that a call keeps until it is over. */
const mostHeard = 100
