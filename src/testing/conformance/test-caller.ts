// A process that makes calls outside the queue and does nothing by itself: it numbers its holds, as processes do, and says what a test
// has it say.

import type { Acquired, CallRelease, HoldAnswer, HoldRequest, ShareSaid, ShareTold } from "../../store/calls-contract.ts"
import type { Store } from "../../store/contract.ts"
import { only } from "./assertions.ts"

export const callLeaseMs = 30_000
export const fallbackMs = 120_000

type Asked = Partial<HoldRequest["acquire"][number]>

export class TestCaller {
  readonly id: string
  private readonly store: Store
  private holds = 0
  private made = 0

  constructor(store: Store, id: string) {
    this.store = store
    this.id = id
  }

  hold(request: Partial<HoldRequest> = {}): Promise<HoldAnswer> {
    const nothing = { release: [], renew: [], adopt: [], acquire: [], shares: [], sinceMs: 0 }
    const whole = { ownerId: this.id, number: ++this.holds, leaseMs: callLeaseMs, ...nothing, ...request }
    // What runs already waits for nothing: a store that looks closely refuses to be told how long.
    const adopt = whole.adopt.map(({ id, limit, key, cost, isFurther }) => ({ id, limit, key, cost, isFurther }))
    return this.store.hold({ ...whole, adopt })
  }

  asked(limit: string, fields: Asked = {}): HoldRequest["acquire"][number] {
    return { id: `${this.id}-${++this.made}`, limit, key: "", cost: 1, isFurther: false, waitMs: 60_000, ...fields }
  }

  /** Gets it, or comes to stand in line. */
  async acquire(limit: string, fields: Asked = {}): Promise<{ readonly id: string } & Acquired> {
    const asked = this.asked(limit, fields)
    return { id: asked.id, ...only((await this.hold({ acquire: [asked] })).acquired) }
  }

  /** Now or not at all. */
  async tries(limit: string, fields: Asked = {}): Promise<Acquired["kind"]> {
    return (await this.acquire(limit, { ...fields, waitMs: 0 })).kind
  }

  async release({ id }: { readonly id: string }, fields: Partial<CallRelease> = {}): Promise<"ok" | "stale"> {
    return only((await this.hold({ release: [released(id, fields)] })).released)
  }

  async renew({ id }: { readonly id: string }): Promise<"granted" | "waiting" | "stale"> {
    return only((await this.hold({ renew: [{ id }] })).kept)
  }

  /** What it has been granted, of all that it has and that were not released. */
  async granted(): Promise<string[]> {
    return (await this.hold()).granted.map(({ id }) => id)
  }

  /** Says which share it has, and is told one. */
  async share(limit: string, said: Partial<ShareSaid> = {}): Promise<ShareTold> {
    return only((await this.hold({ shares: [shareSaid(limit, said)] })).shares)
  }
}

export function released(id: string, fields: Partial<CallRelease> = {}): CallRelease {
  return { id, spent: null, sentAgoMs: null, respondedAgoMs: null, rttMs: null, heard: [], ...fields }
}

export function shareSaid(limit: string, fields: Partial<ShareSaid> = {}): ShareSaid {
  return { limit, from: 0, to: 0, fallbackMs, isUsing: false, isLeaving: false, ...fields }
}
