// What a drain is made of: tasks, workers, how runs end, and what happens meanwhile.

import fc from "fast-check"
import type { SettleRequest } from "../../src/store/exchange-contract.ts"
import type { NewTask } from "../../src/task/index.ts"
import { act, type GateSpec, mostly, type } from "./commands.ts"
import { type Declared, declared, keys, limitNames } from "./gate-commands.ts"

const limit = fc.constantFrom(...limitNames)
const key = mostly<string>(...keys)
const gates = fc.uniqueArray(fc.record({ limit, key, cost: mostly(1, 2, 3) }), {
  maxLength: 3,
  selector: (gate: GateSpec) => `${gate.limit}/${gate.key}`,
})

const task = fc
  .record({
    type,
    flow: fc.constantFrom("red", "green", "blue"),
    priority: mostly(0, 1, -1),
    gates,
    schedule: mostly<{ inMs: number } | null>(null, { inMs: 700 }, { inMs: 4_000 }),
    expiry: mostly<{ inMs: number } | null>(null, null, null, { inMs: 9_000 }),
  })
  .map((drawn) => ({ ...drawn, ...plain }))

const plain = {
  input: "1",
  tags: [],
  jobId: null,
  maxRetries: 20,
  maxReschedules: null,
  maxThrottles: null,
  timeoutMs: 60_000,
  idempotencyKey: null,
  inputDigest: null,
}
type DrawnTask = Omit<NewTask, "id" | "gates"> & { readonly gates: readonly GateSpec[] }

export interface DrawnRun {
  readonly takesMs: number
  readonly settle: Omit<SettleRequest, "id" | "fence">
}

const agoMs = fc.constantFrom(null, 0, 30)
const outcome = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: "completed" as const, output: null }) },
  { weight: 1, arbitrary: fc.constant({ kind: "failed" as const, error: "broken" }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("retried" as const), error: fc.constant("one"), delayMs: fc.constantFrom(0, 900) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "released" as const, reason: "late" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("rescheduled" as const),
      delayMs: fc.constantFrom(0, 1_500),
      extendExpirationMs: fc.constant(0),
      reason: fc.constant(null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("throttled" as const),
      error: fc.constant("429"),
      status: fc.constant(429),
      limit: fc.oneof(fc.constant(null), limit),
      retryAfterMs: fc.constantFrom(null, 800),
      delayMs: fc.constantFrom(0, 500),
      random: fc.constantFrom(0, 0.5),
    }),
  },
)
const settle = fc.record({
  outcome,
  spent: fc.array(fc.record({ limit, actual: fc.nat(3) }), { maxLength: 1 }),
  sentAgoMs: agoMs,
  respondedAgoMs: agoMs,
  rttMs: fc.constantFrom(null, 20),
})
const run = fc.record({ takesMs: fc.constantFrom(0, 1, 60, 700, 5_000), settle })

export interface DrawnWorker {
  /** Places in the list of types. */
  readonly serves: readonly number[]
  readonly capacity: number
  /** Not there from the beginning: what it serves may be served by nobody for a while. */
  readonly isLate: boolean
}

const worker = fc.record({
  serves: mostly<readonly number[]>([0, 1], [0], [1]),
  capacity: fc.constantFrom(1, 2, 9),
  isLate: mostly(false, true),
})

const forMs = fc.constantFrom(300, 2_500)
const happening = fc.oneof(
  act("submit", { tasks: fc.array(task, { minLength: 1, maxLength: 4 }) }),
  act("cancel", { pick: fc.nat(30) }),
  act("crash", { pick: fc.nat(5) }),
  act("start", {}),
  act("sweep", {}),
  act("pause", { limit, key }),
  act("resume", { limit, key }),
  act("close", { limit, key, forMs }),
  act("reset", { limit, key }),
  act("set", { limit: fc.constant("cpu" as const), key, forMs, concurrency: fc.integer({ min: 1, max: 4 }) }),
)
export type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never

export interface Drawn {
  readonly policies: Declared
  readonly tasks: readonly DrawnTask[]
  readonly workers: readonly DrawnWorker[]
  readonly runs: readonly DrawnRun[]
  readonly happenings: readonly (Happening & { readonly inMs: number })[]
}

export const drains: fc.Arbitrary<Drawn> = fc.record(
  {
    policies: declared,
    tasks: fc.array(task, { minLength: 1, maxLength: 25, size: "max" }),
    workers: fc.array(worker, { minLength: 1, maxLength: 3 }),
    runs: fc.array(run, { maxLength: 40, size: "max" }),
    happenings: fc.array(
      fc.tuple(fc.nat(12_000), happening).map(([inMs, what]) => ({ ...what, inMs })),
      { maxLength: 8 },
    ),
  },
  { noNullPrototype: true },
)
