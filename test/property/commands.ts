// Random commands for a queue. They are abstract ("settle the third lease ago") so that a failing run shrinks to a short one
// that still means something; the script turns them into requests from what was answered so far.

import fc from "fast-check"

export const types = ["mail", "resize"] as const
const flows = ["red", "green", "blue"] as const

/** Values as they come up in life: the first most of the time, so that a run gets somewhere before it meets the rare ones. */
export function mostly<T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: rare.length * 3, arbitrary: fc.constant(usual) },
    ...rare.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  )
}

/** One object that says what to do, and with what. */
export function act<const Do extends string, Fields extends object>(what: Do, fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }) {
  return fc.record(fields).map((drawn) => ({ do: what, ...drawn }))
}

const delayMs = mostly(0, 1, 1_000, 5_000)
/** A place in a list of things seen so far, counted from the latest. */
export const pick = fc.oneof({ arbitrary: fc.nat(3), weight: 2 }, { arbitrary: fc.nat(30), weight: 1 })
export const worker = fc.constantFrom("w1", "w2")
export const type = fc.constantFrom(...types)

export interface GateSpec {
  readonly limit: string
  readonly key: string
  readonly cost: number
}

export function newTask(gates: fc.Arbitrary<readonly GateSpec[] | null>) {
  return fc.record({
    type,
    flow: fc.constantFrom(...flows),
    priority: mostly(0, 1, -1),
    gates,
    tag: fc.constantFrom(null, "x", "y"),
    schedule: mostly<{ inMs: number } | { atMs: number } | null>(null, { inMs: 1_000 }, { inMs: 6_000 }, { atMs: 0 }),
    expiry: mostly<{ inMs: number } | null>(null, { inMs: 0 }, { inMs: 1_000 }, { inMs: 8_000 }, { inMs: 60_000 }),
    key: mostly(null, null, null, "k1", "k2"),
    digest: mostly(null, "d1"),
    input: mostly("1", "2"),
    maxRetries: fc.constantFrom(0, 1, 3, 9),
    maxReschedules: mostly<number | null>(null, 0, 1),
    maxThrottles: mostly<number | null>(null, 0, 1),
  })
}

export function outcome(throttledBy: fc.Arbitrary<string | null>) {
  return fc.oneof(
    fc.record({ kind: fc.constant("completed" as const), output: fc.constantFrom(null, "7") }),
    fc.record({ kind: fc.constant("completed" as const), output: fc.constantFrom(null, "7") }),
    fc.record({ kind: fc.constant("failed" as const), error: fc.constant("broken") }),
    fc.record({ kind: fc.constant("retried" as const), error: fc.constantFrom("one", "two"), delayMs }),
    fc.record({
      kind: fc.constant("rescheduled" as const),
      delayMs,
      extendExpirationMs: fc.constantFrom(0, 2_000),
      reason: fc.constantFrom(null, "later"),
    }),
    fc.record({
      kind: fc.constant("throttled" as const),
      error: fc.constant("429"),
      status: fc.constantFrom(null, 429),
      limit: throttledBy,
      retryAfterMs: fc.constantFrom(null, null, 700, 3_000),
      delayMs,
      random: fc.constantFrom(0, 0.5, 0.999),
    }),
    fc.record({ kind: fc.constant("released" as const), reason: fc.constant("drain") }),
    fc.record({ kind: fc.constant("cancelled" as const) }),
  )
}

export interface SpentSpec {
  readonly limit: string
  readonly actual: number
}

/** Of the leases that were not settled yet, or of all that there ever were. */
const of = mostly<"open" | "all">("open", "all")
const agoMs = fc.constantFrom(null, null, 0, 40, 900)

/** The last one survives what others forget meanwhile. */
export const leaseMs = fc.constantFrom(2_000, 10_000, 200_000)

export function exchange(throttledBy: fc.Arbitrary<string | null>, spent: fc.Arbitrary<readonly SpentSpec[]>) {
  const settle = fc.record({
    pick,
    of,
    outcome: outcome(throttledBy),
    skew: mostly(0, 1, -1),
    spent,
    sentAgoMs: agoMs,
    respondedAgoMs: agoMs,
    rttMs: fc.constantFrom(null, 5, 120),
  })
  const heartbeat = fc.record({ pick, of, progress: fc.constantFrom(null, "1", "2") })
  const claim = fc.record({
    rooms: fc.tuple(mostly(9, 0, 1), mostly(9, 0, 1)),
    asks: mostly<readonly number[]>([0, 1], [0], [1], [1, 0]),
    max: fc.constantFrom<number[]>(1, 2, 3, 9),
    /** How many claims ago this one was asked first: 0 is a new one. */
    repeats: mostly(0, 1, 2),
  })
  return act("exchange", {
    worker,
    settles: fc.array(settle, { maxLength: 3 }),
    heartbeats: fc.array(heartbeat, { maxLength: 2 }),
    leaseMs,
    claim: fc.option(claim, { freq: 6 }),
  })
}

export function submit(gates: fc.Arbitrary<readonly GateSpec[] | null>) {
  return act("submit", { tasks: fc.array(newTask(gates), { minLength: 1, maxLength: 5, size: "max" }) })
}

/** What has nothing to do with gates. */
export const others = [
  { weight: 1, arbitrary: act("submit-again", { pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("cancel" as const, "retry" as const, "archive" as const, "expire" as const),
      picks: fc.array(fc.record({ pick, of: fc.constantFrom("open" as const, "all" as const) }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: act("sweep", { random: fc.constantFrom(0, 0.3, 0.999), retentionMs: mostly<number | null>(null, 0, 10_000) }),
  },
  { weight: 5, arbitrary: act("advance", { ms: fc.constantFrom(1, 999, 1_000, 3_000, 9_000) }) },
  { weight: 1, arbitrary: act("step-clock", { ms: fc.constantFrom(-1_000, -60_000, 5_000) }) },
  { weight: 1, arbitrary: act("get", { picks: fc.array(pick, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: act("list", {
      statuses: fc.constantFrom(null, ["pending" as const], ["running" as const, "failed" as const]),
      type: fc.option(type),
      tag: fc.constantFrom(null, null, "x"),
      limit: fc.constantFrom(1, 2, 50),
    }),
  },
  { weight: 1, arbitrary: act("history", { pick }) },
  { weight: 1, arbitrary: act("counts", { type: fc.option(type) }) },
  { weight: 1, arbitrary: act("now", {}) },
] as const

/** So long that whatever can be forgotten is. */
export const aDay = { weight: 1, arbitrary: act("advance", { ms: fc.constant(90_000_000) }) } as const

/** Somebody with the code says which gates; null where the code refuses the task. */
export function route(gates: fc.Arbitrary<readonly GateSpec[] | null>) {
  const one = fc.record({ pick, gates, flow: fc.constantFrom(null, null, "red") })
  return act("route", { routes: fc.array(one, { minLength: 1, maxLength: 4 }) })
}
