// The part of the contract that is about calls: whoever passes a gate without being a task. All calls of a process go through one
// operation, `hold`, which is to calls what `exchange` is to tasks. Plain JSON like the rest.

import type { GatePolicy, Interval } from "../limits/index.ts"
import type { Answer } from "./exchange-contract.ts"

export interface HoldRequest {
  /** The process, as far as calls go. */
  readonly ownerId: string
  /** Grows with each hold of this owner. One that arrives late, behind a later one, takes nothing. */
  readonly number: number
  readonly leaseMs: number
  /** Carried out in this order: adopted, released, renewed, acquired. */
  readonly release: readonly CallRelease[]
  readonly renew: readonly { readonly id: string }[]
  /** Calls that run already, on the process's own share: held from now on, even where the gate is full. */
  readonly adopt: readonly CallAsked[]
  readonly acquire: readonly (CallAsked & {
    /** 0: now or not at all. Else it waits in line for as long as its owner renews it. */
    readonly waitMs: number
  })[]
  /** Calls that were granted at this time or later are told: `nowMs` of an earlier answer. */
  readonly sinceMs: number
  /** The limits of which the process wants a share. */
  readonly shares: readonly ShareSaid[]
}

export interface CallAsked {
  /** From the caller, and never used twice. */
  readonly id: string
  readonly limit: string
  readonly key: string
  readonly cost: number
  /** A further request of a call that has passed the gate: charged, and takes no slot. */
  readonly isFurther: boolean
}

/** The end of a call: of one that runs, or that waits. Ages as in a settle. */
export interface CallRelease {
  readonly id: string
  /** What was really spent; null: what was charged. */
  readonly spent: number | null
  readonly sentAgoMs: number | null
  readonly respondedAgoMs: number | null
  readonly rttMs: number | null
  /** What the other side has answered. */
  readonly heard: readonly Answer[]
}

/** What a process thinks that its share is: what it uses while the store is away. */
export interface ShareSaid extends Interval {
  readonly limit: string
  /** For how long after it was last seen it may use it. */
  readonly fallbackMs: number
  /** It may be using it, and will until it has the answer: it is kept for it, whoever comes first. */
  readonly isUsing: boolean
  /** It uses it no more, and wants no other. */
  readonly isLeaving: boolean
}

export interface HoldAnswer {
  readonly nowMs: number
  /** How long the request waited in the store before its step began. */
  readonly waitedMs: number
  /** One for each, in its order. `stale`: there is no such call, or its time was over. */
  readonly released: readonly ("ok" | "stale")[]
  readonly kept: readonly ("granted" | "waiting" | "stale")[]
  readonly adopted: readonly ("ok" | "unknown_limit")[]
  readonly acquired: readonly Acquired[]
  /** Calls of this owner that were granted since, whoever made the step. */
  readonly granted: readonly { readonly id: string; readonly untilMs: number }[]
  /** When one of its calls that are first in line may pass, if nothing else happens; null: nobody knows, or none is. */
  readonly nextAtMs: number | null
  /** One for each share that was said and not left. */
  readonly shares: readonly ShareTold[]
}

export type Acquired =
  | { readonly kind: "granted"; readonly untilMs: number }
  /** In line. What is told of the gate is as of now. */
  | { readonly kind: "waiting"; readonly ahead: number; readonly slots: HeldSlots | null; readonly opensAtMs: number | null }
  /** It was not to wait, and could not pass. */
  | { readonly kind: "refused"; readonly ahead: number; readonly slots: HeldSlots | null; readonly opensAtMs: number | null }
  | { readonly kind: "unknown_limit"; readonly known: readonly string[] }
  | { readonly kind: "cost_above_limit"; readonly gate: string; readonly cost: number; readonly largest: number }

export interface HeldSlots {
  readonly held: number
  readonly of: number
}

/** What a process may use while the store is away, and what of: nobody else is told a share that overlaps with it. */
export interface ShareTold extends Interval {
  readonly limit: string
  readonly whole: Allowed
  /** Keys for which people have set something else. */
  readonly keys: Readonly<Record<string, Allowed>>
  /** So long the leases of those who hold gates of this limit last at most, as far as this step has seen. */
  readonly leasesMs: number
}

export interface Allowed {
  readonly policy: GatePolicy
  /** Closed by hand for so long; null: until somebody opens it. */
  readonly closedMs: number | null
}
