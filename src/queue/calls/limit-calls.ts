// `queue.limit(api)`: a limit for whoever is no task. The same stored gates, in order, with leases that renew themselves.

import { SluiceError, shown } from "../../errors/index.ts"
import { type Duration, parseDuration, parseKey, readOptions } from "../../units/index.ts"
import type { World } from "../../world/index.ts"
import { readCost } from "../limit.ts"
import { Call, type CallWanted, nothingToTell } from "./call.ts"
import type { CallStats } from "./counters.ts"
import type { Holder } from "./holder.ts"
import { type CallContext, HeldSlot, type Slot } from "./slot.ts"

export interface TryOptions {
  /** How much it takes of the rates, or of the slots where there is nothing else; 1 if not given. */
  readonly cost?: number
  /** Gives up waiting, and fires the signal of what runs. */
  readonly signal?: AbortSignal
}

export interface AcquireOptions extends TryOptions {
  /** How long it waits in line; what the connection says if not given, else "30s". */
  readonly wait?: Duration
}

type Work<Result> = (context: CallContext) => Result | Promise<Result>

const readSignal = (name: string, value: unknown): AbortSignal => {
  if (value instanceof AbortSignal) return value
  throw new SluiceError("invalid_option", `${name}: expected an AbortSignal, got ${shown(value)}`)
}
const tryReaders = { cost: readCost, signal: readSignal }
const acquireReaders = { ...tryReaders, wait: parseDuration }

export class LimitCalls {
  /** The name of the limit. */
  readonly name: string
  private readonly holder: Holder
  private readonly world: World
  private readonly waitMs: number

  constructor(name: string, holder: Holder, world: World, waitMs: number) {
    this.name = name
    this.holder = holder
    this.world = world
    this.waitMs = waitMs
  }

  /** Runs the function when the gate lets it; rejects with a RateLimitError if it does not within `wait`. */
  run<Result>(key: string, work: Work<Result>, options?: AcquireOptions): Promise<Result>
  /** For a limit that is not split. */
  run<Result>(work: Work<Result>, options?: AcquireOptions): Promise<Result>
  async run<Result>(...given: readonly unknown[]): Promise<Result> {
    const [key, work, options] = typeof given[0] === "function" ? [unsplit, given[0], given[1]] : [given[0], given[1], given[2]]
    if (typeof work !== "function")
      throw new SluiceError("invalid_option", `${this.where}: run: expected a function to run, got ${shown(work)}`)
    const slot = await this.held(key, options)
    try {
      const result = await (work as Work<Result>)(slot.view)
      slot.served()
      return result
    } catch (error) {
      slot.failed(error)
      throw error
    }
  }

  /** A slot, to be released by the caller. */
  acquire(key: string, options?: AcquireOptions): Promise<Slot>
  acquire(options?: AcquireOptions): Promise<Slot>
  async acquire(...given: readonly unknown[]): Promise<Slot> {
    const [key, options] = keyed(given)
    return (await this.held(key, options)).view
  }

  /** A slot if there is one at once and nobody waits for it; else null. */
  tryAcquire(key: string, options?: TryOptions): Promise<Slot | null>
  tryAcquire(options?: TryOptions): Promise<Slot | null>
  async tryAcquire(...given: readonly unknown[]): Promise<Slot | null> {
    const [key, options] = keyed(given)
    const { cost, signal } = readOptions(`${this.where}: tryAcquire`, options, tryReaders)
    const call = await this.holder.ask(this.wanted(key, cost, 0, signal))
    return call && this.slotOf(call).view
  }

  /** What has become of its calls in this process. */
  stats(): CallStats & { readonly isDetached: boolean } {
    return this.holder.stats(this.name)
  }

  private async held(key: unknown, options: unknown): Promise<HeldSlot> {
    const { cost, wait, signal } = readOptions(this.where, options, acquireReaders)
    const waitMs = wait ?? this.waitMs
    const wanted = this.wanted(key, cost, waitMs, signal)
    const call = await this.holder.ask(wanted)
    if (!call) throw this.holder.refusal(new Call("", wanted, this.world.monotonicMs()))
    return this.slotOf(call)
  }

  private wanted(key: unknown, cost: number | undefined, waitMs: number, signal: AbortSignal | undefined): CallWanted {
    const parsed = key === unsplit ? "" : parseKey(`${this.where}: key`, key)
    return { limit: this.name, key: parsed, cost: cost ?? 1, isFurther: false, waitMs, signal: signal ?? null }
  }

  private slotOf(call: Call): HeldSlot {
    return new HeldSlot(call, {
      world: this.world,
      roundTrips: this.holder.roundTrips,
      end: (ended, ending) => this.holder.end(ended, ending),
      further: async ({ wanted }, cost, signal) => {
        // As long as it takes: whoever has a slot is not refused halfway.
        const further = await this.holder.ask({ ...wanted, cost, isFurther: true, waitMs: furtherWaitMs, signal })
        if (further) this.holder.end(further, nothingToTell(further.id))
      },
    })
  }

  private get where(): string {
    return `limit ${shown(this.name)}`
  }
}

const furtherWaitMs = 3_600_000

/** Of a limit that is not split. A key that is missing is no such thing: of a tenant that is undefined the limit would not hold. */
const unsplit = Symbol("unsplit")

/** The key may be left out. */
function keyed(given: readonly unknown[]): readonly [key: unknown, options: unknown] {
  const isLeftOut = given.length < 2 && (given[0] === undefined || (typeof given[0] === "object" && given[0] !== null))
  return isLeftOut ? [unsplit, given[0]] : [given[0], given[1]]
}
