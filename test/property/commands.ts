// Random commands for a queue. They are abstract ("settle the third lease ago") so that a failing run shrinks to a short one
// that still means something; the script turns them into requests from what was answered so far.

import fc from "fast-check"

export const types = ["mail", "resize"] as const
const flows = ["red", "green", "blue"] as const

/** Values as they come up in life: the first most of the time, so that a run gets somewhere before it meets the rare ones. */
function mostly<T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: rare.length * 3, arbitrary: fc.constant(usual) },
    ...rare.map((value) => ({ weight: 1, arbitrary: fc.constant(value) })),
  )
}

const delayMs = mostly(0, 1, 1_000, 5_000)
/** A place in a list of things seen so far, counted from the latest. */
const pick = fc.oneof({ arbitrary: fc.nat(3), weight: 2 }, { arbitrary: fc.nat(30), weight: 1 })
const worker = fc.constantFrom("w1", "w2")
const type = fc.constantFrom(...types)

const newTask = fc.record({
  type,
  flow: fc.constantFrom(...flows),
  priority: mostly(0, 1, -1),
  gate: mostly(null, "a", "b"),
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

const outcome = fc.oneof(
  fc.record({ kind: fc.constant("completed" as const), output: fc.constantFrom(null, "7") }),
  fc.record({ kind: fc.constant("failed" as const), error: fc.constant("broken") }),
  fc.record({ kind: fc.constant("retried" as const), error: fc.constantFrom("one", "two"), delayMs }),
  fc.record({
    kind: fc.constant("rescheduled" as const),
    delayMs,
    extendExpirationMs: fc.constantFrom(0, 2_000),
    reason: fc.constantFrom(null, "later"),
  }),
  fc.record({ kind: fc.constant("throttled" as const), delayMs, error: fc.constant("429"), status: fc.constantFrom(null, 429) }),
  fc.record({ kind: fc.constant("released" as const), reason: fc.constant("drain") }),
  fc.record({ kind: fc.constant("cancelled" as const) }),
)

/** Of the leases that were not settled yet, or of all that there ever were. */
const of = mostly<"open" | "all">("open", "all")
const settle = fc.record({ pick, of, outcome, skew: mostly(0, 1, -1) })
const heartbeat = fc.record({ pick, of, progress: fc.constantFrom(null, "1", "2") })
const claim = fc.record({
  rooms: fc.tuple(mostly(9, 0, 1), mostly(9, 0, 1)),
  asks: mostly<readonly number[]>([0, 1], [0], [1], [1, 0]),
  max: fc.constantFrom(1, 2, 3, 9),
  /** How many claims ago this one was asked first: 0 is a new one. */
  repeats: mostly(0, 1, 2),
})

const submit = fc.record({ do: fc.constant("submit" as const), tasks: fc.array(newTask, { minLength: 1, maxLength: 5, size: "max" }) })

const command = fc.oneof(
  { weight: 5, arbitrary: submit },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("submit-again" as const), pick }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant("exchange" as const),
      worker,
      settles: fc.array(settle, { maxLength: 3 }),
      heartbeats: fc.array(heartbeat, { maxLength: 2 }),
      leaseMs: fc.constantFrom(2_000, 10_000),
      claim: fc.option(claim, { freq: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("cancel" as const, "retry" as const, "archive" as const, "expire" as const),
      picks: fc.array(fc.record({ pick, of: fc.constantFrom("open" as const, "all" as const) }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("sweep" as const),
      random: fc.constantFrom(0, 0.3, 0.999),
      retentionMs: mostly<number | null>(null, 0, 10_000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      ms: fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom(1, 999, 1_000, 3_000, 9_000) },
        { weight: 1, arbitrary: fc.constant(90_000_000) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("step-clock" as const), ms: fc.constantFrom(-1_000, -60_000, 5_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("get" as const), picks: fc.array(pick, { maxLength: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      statuses: fc.constantFrom(null, ["pending" as const], ["running" as const, "failed" as const]),
      type: fc.option(type),
      tag: fc.constantFrom(null, null, "x"),
      limit: fc.constantFrom(1, 2, 50),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("history" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("counts" as const), type: fc.option(type) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("now" as const) }) },
)

export type NewTaskSpec = typeof newTask extends fc.Arbitrary<infer T> ? T : never
export type ExchangeSpec = Extract<Command, { do: "exchange" }>
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Something to begin with, then anything. */
export const commands = fc
  .tuple(submit, fc.array(command, { maxLength: 50, size: "max" }))
  .map(([first, rest]): readonly Command[] => [first, ...rest])
