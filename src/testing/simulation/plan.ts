// What a seed decides before anything happens: which faults there are and how often, the limits, and how much there is to do. Each
// seed leaves most faults out, so that some runs have nothing but one kind of trouble, and plenty of it.

import { defineLimit, type Limit } from "../../queue/index.ts"
import type { WorkerOptions } from "../../worker/index.ts"
import type { Dice } from "../dice.ts"

export interface Faults {
  /** Of each call. */
  readonly lostRequest: number
  readonly lostReply: number
  readonly duplicate: number
  readonly slow: number
  /** Of each moment at which trouble may come. */
  readonly kill: number
  readonly pause: number
  readonly stop: number
  readonly outage: number
  readonly clockStep: number
}

export interface Plan {
  readonly faults: Faults
  /** How many milliseconds trouble lasts. */
  readonly troubleMs: number
  readonly tasks: number
  readonly workers: number
  readonly concurrency: number
  readonly api: Limit<string>
  readonly slots: Limit<string>
  readonly keys: readonly string[]
  /** Clocks of processes are wrong by up to this, and run fast or slow by up to that. */
  readonly skewMs: number
  readonly drift: number
  /** How often people do something other than submit. */
  readonly meddling: number
  /** How many jobs people submit, and how many tasks of each run at once; null: any number. */
  readonly crews: number
  readonly crewConcurrency: number | null
  /** How many exchanges a worker has under way at once. */
  readonly exchanges: number
  /** Somebody schedules a task for every so many seconds; null: nobody does. */
  readonly tickSeconds: number | null
}

export const leaseMs = 6_000
export const startWithinMs = 250

export const workerOptions: WorkerOptions = {
  lease: `${leaseMs}ms`,
  heartbeat: "2s",
  sweep: "2s",
  hello: "10s",
  grace: "3s",
  startWithin: `${startWithinMs}ms`,
  retention: null,
  backoff: { base: "300ms", factor: 2, cap: "2s" },
}

export function drawPlan(dice: Dice): Plan {
  const some = (probability: number) => (dice.chance(0.4) ? probability * (0.3 + dice.random()) : 0)
  const faults: Faults = {
    lostRequest: some(0.1),
    lostReply: some(0.15),
    duplicate: some(0.1),
    slow: some(0.05),
    kill: some(0.3),
    pause: some(0.3),
    stop: some(0.1),
    outage: some(0.08),
    clockStep: some(0.1),
  }
  const keys = dice.pick([["a"], ["a", "b"], ["a", "b", "c"]])
  return {
    faults,
    troubleMs: dice.between(6_000, 20_000),
    tasks: dice.between(10, 45),
    workers: dice.between(1, 3),
    concurrency: dice.between(1, 6),
    api: drawApi(dice),
    slots: defineLimit<string>("slots", { concurrency: dice.between(1, 3) }),
    keys,
    skewMs: dice.pick([0, 5_000, 3_600_000]),
    drift: dice.pick([0, 0.01, 0.05]),
    meddling: dice.pick([0, 0.2, 0.5]),
    crews: dice.pick([0, 0, 1, 2]),
    crewConcurrency: dice.pick([null, 1, 2]),
    tickSeconds: dice.pick([null, null, 2, 3, 5]),
    exchanges: dice.pick([1, 2, 3]),
  }
}

/** From one to four a second, whatever the window; fewer in one that is longer than a lease, which is worth waiting for. */
function drawApi(dice: Dice): Limit<string> {
  const perMs = dice.pick([500, 1_000, 2_000, 3_000, 10_000])
  const limit = perMs > leaseMs ? dice.between(5, 9) : Math.max(2, Math.round((perMs / 1_000) * dice.between(1, 4)))
  const provider = dice.pick(["sliding", "unknown", "fixed", "bucket"] as const)
  const counting = {
    bucket: { burst: dice.between(2, limit + 2) },
    fixed: { guard: dice.pick(["0ms", "20ms"] as const) },
    sliding: {},
    unknown: {},
  }
  const rate = { limit, per: `${perMs}ms` as const, provider, ...counting[provider] }
  return defineLimit<string>("api", { rate, ...(dice.chance(0.3) ? { concurrency: dice.between(1, 3) } : {}) })
}
