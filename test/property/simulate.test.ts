// Whatever limits, keys, costs, durations and arrivals there are: a simulation ends when a real run does.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { defineLimit, type LimitUse, type SimulateOptions } from "../../src/index.ts"
import { planFor } from "../../src/queue/simulate.ts"
import { draw, type Plan, run, simulatePlan } from "../../src/simulate/index.ts"
import { virtualStartMs } from "../../src/testing/virtual-world.ts"
import { realRun } from "../integration/simulate/real-run.ts"
import { runs } from "./runs.ts"

const rate = fc.record({ limit: fc.integer({ min: 3, max: 20 }), per: fc.integer({ min: 1, max: 100 }).map((n) => `${n * 100}ms`) })
const provider = fc.constantFrom("sliding", "unknown", "bucket", "fixed")

const policy = fc.oneof(
  fc.record({ rate, provider }),
  fc.record({ concurrency: fc.integer({ min: 3, max: 8 }) }),
  fc.record({ rate, provider, concurrency: fc.integer({ min: 3, max: 8 }) }),
)

const use = fc.record({
  policy,
  keys: fc.option(fc.oneof(fc.integer({ min: 1, max: 6 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })), {
    nil: undefined,
  }),
  cost: fc.integer({ min: 1, max: 3 }),
})

const duration = fc.oneof(
  fc.integer({ min: 1, max: 3_000 }).map((ms) => `${ms}ms`),
  fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 9 })).map(([ms, n]) => ({ p50: `${ms}ms`, p99: `${ms * n}ms` })),
)

type Use = typeof use extends fc.Arbitrary<infer T> ? T : never

function casesOf(tasks: fc.Arbitrary<number>, uses: fc.Arbitrary<Use[]>): fc.Arbitrary<SimulateOptions> {
  const others = {
    duration,
    concurrency: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    arrivals: fc.option(
      fc.integer({ min: 1, max: 20 }).map((n) => `${n}/1s`),
      { nil: undefined },
    ),
    seed: fc.nat(),
  }
  return fc.record({ tasks, uses, ...others }).map(({ uses: some, concurrency, arrivals, ...rest }): SimulateOptions => {
    const limits = some.map(({ policy: options, keys, cost }, i): LimitUse => {
      return { limit: defineLimit(`limit-${i}`, options), cost, ...(keys === undefined ? {} : { keys }) }
    })
    return { ...rest, limits, ...(concurrency === undefined ? {} : { concurrency }), ...(arrivals === undefined ? {} : { arrivals }) }
  })
}

/** Fixed windows are counted from the epoch, so both start at the same time. */
function planAtStart(options: SimulateOptions): Plan {
  return { ...planFor(options), startMs: virtualStartMs }
}

describe("a simulation and a real run of the same case", () => {
  it("with up to one limit, start every task in the same millisecond and end together", { timeout: 300_000 }, async () => {
    const cases = casesOf(fc.integer({ min: 1, max: 60 }), fc.array(use, { maxLength: 1 }))
    await fc.assert(
      fc.asyncProperty(cases, async (options) => {
        const real = await realRun(options, "memory:")
        const plan = planAtStart(options)
        deepEqual([...run(plan, draw(plan)).startsMs], real.startsMs)
        equal(simulatePlan(plan).endMs, real.endMs)
      }),
      { numRuns: runs(40) },
    )
  })

  // Who is called first where several lanes wait at several gates is not the same everywhere: a store looks at many at once.
  it("with several limits, end within 5 % of each other", { timeout: 300_000 }, async () => {
    const cases = casesOf(fc.integer({ min: 40, max: 80 }), fc.array(use, { minLength: 2, maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(cases, async (options) => {
        const { endMs } = await realRun(options, "memory:")
        const told = simulatePlan(planAtStart(options)).endMs ?? 0
        ok(Math.abs(told - endMs) <= endMs * 0.05, `${told} ms were told, ${endMs} ms it took`)
      }),
      { numRuns: runs(40) },
    )
  })
})
