// What was really spent takes the place of what was reserved, for as long as that still counts.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GateState, largestCost, levels, type RatePolicy, settleGate } from "../../../src/limits/index.ts"
import { only, ratePolicy, runs, startUs } from "./policies.ts"
import { isWithin } from "./within.ts"

const step = fc.record({
  wait: fc.oneof({ arbitrary: fc.constant(0), weight: 2 }, fc.nat(50), fc.nat(1_200)),
  size: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(1_000)),
  /** Thousandths of what was reserved. */
  spent: fc.oneof(fc.constant(1_000), fc.nat(1_000), fc.integer({ min: 1_000, max: 2_500 })),
  /** Thousandths of the window until it is told. */
  takes: fc.nat(1_500),
})
const steps = fc.array(step, { minLength: 1, maxLength: 40, size: "max" })
const thrifty = fc.array(
  step.map((drawn) => ({ ...drawn, spent: Math.min(1_000, drawn.spent) })),
  { minLength: 1, maxLength: 40, size: "max" },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface Run {
  readonly id: string
  readonly atUs: number
  readonly reserved: number
  readonly actual: number
  readonly endsAtUs: number
  /** What counts of it. */
  counted: number
}

/** Plays the trace, and shows each moment to the law: the state, the time, and all that was admitted so far. */
function play(
  rate: RatePolicy,
  trace: readonly Step[],
  counts: (run: Run, nowUs: number, latestUs: number) => boolean = () => true,
  look: (state: GateState, nowUs: number, runs: readonly Run[]) => void = () => {},
): Run[] {
  const policy = only(rate)
  let [state, nowUs]: [GateState, number] = [emptyGate(policy), startUs]
  const seen: Run[] = []
  let open: Run[] = []
  for (const [i, { wait, size, spent, takes }] of trace.entries()) {
    nowUs += Math.floor((rate.perUs * wait) / 1_000)
    for (const run of open.filter(({ endsAtUs }) => endsAtUs <= nowUs)) {
      const { id, atUs, reserved, actual } = run
      const heard = { sentAtUs: null, respondedAtUs: null, rttUs: null }
      state = settleGate(policy, state, nowUs, { id, fence: 1, admittedAtUs: atUs, reserved, actual, ...heard })
      if (counts(run, nowUs, seen.at(-1)?.atUs ?? 0)) run.counted = actual
    }
    open = open.filter(({ endsAtUs }) => endsAtUs > nowUs)
    const cost = 1 + Math.floor(((largestCost(policy) - 1) * size) / 1_000)
    const admission = admit(policy, state, nowUs, { id: `t${i}`, fence: 1, cost, untilUs: nowUs + 1 })
    if (admission.kind === "admitted") {
      state = admission.state
      const actual = Math.floor((cost * spent) / 1_000)
      const run = {
        id: `t${i}`,
        atUs: nowUs,
        reserved: cost,
        actual,
        endsAtUs: nowUs + Math.floor((rate.perUs * takes) / 1_000),
        counted: cost,
      }
      seen.push(run)
      open.push(run)
    }
    look(state, nowUs, seen)
  }
  return seen
}

describe("what was spent", () => {
  it("is the level of a sliding rate", () => {
    fc.assert(
      fc.property(ratePolicy("sliding"), steps, (rate, trace) => {
        const grainUs = rate.limit <= 256 ? 1_000 : Math.ceil(rate.perUs / 256)
        const counts = ({ atUs }: Run, nowUs: number) => Math.ceil((atUs + rate.perUs) / grainUs) * grainUs > nowUs
        play(rate, trace, counts, (state, nowUs, seen) => {
          const sum = seen.filter((run) => counts(run, nowUs)).reduce((total, { counted }) => total + counted, 0)
          assert.deepEqual(levels(only(rate), state, nowUs), [sum])
        })
      }),
      { numRuns: runs(10_000) },
    )
  })

  it("is the level of a fixed window, unless it is told when a later one has begun", () => {
    fc.assert(
      fc.property(ratePolicy("fixed"), steps, (rate, trace) => {
        const windowOf = (atUs: number) => Math.floor((atUs - rate.phaseUs) / rate.perUs)
        const counts = ({ atUs }: Run, _nowUs: number, latestUs: number) => windowOf(atUs) === windowOf(latestUs)
        play(rate, trace, counts, (state, nowUs, seen) => {
          const own = seen.filter(({ atUs }) => windowOf(atUs) === windowOf(nowUs))
          const sum = own.reduce((total, { counted }) => total + counted, 0)
          assert.deepEqual(levels(only(rate), state, nowUs), [Math.min(rate.limit, sum)])
        })
      }),
      { numRuns: runs(10_000) },
    )
  })

  it("is never less than the level of a bucket that was charged with it at once", () => {
    fc.assert(
      fc.property(ratePolicy("bucket"), steps, (rate, trace) => {
        const policy = only(rate)
        play(rate, trace, undefined, (state, nowUs, seen) => {
          let atOnce = emptyGate(policy)
          for (const { atUs, counted } of seen) {
            const spent = {
              id: "t",
              fence: 1,
              admittedAtUs: atUs,
              reserved: 0,
              actual: counted,
              sentAtUs: null,
              respondedAtUs: null,
              rttUs: null,
            }
            atOnce = settleGate(policy, atOnce, atUs, spent)
          }
          const [told = -1, exact = -1] = [...levels(policy, state, nowUs), ...levels(policy, atOnce, nowUs)]
          assert.ok(told >= exact, `${told} told, ${exact} spent`)
        })
      }),
      { numRuns: runs(3_000) },
    )
  })

  for (const provider of ["sliding", "unknown", "fixed", "bucket"] as const) {
    it(`keeps to a rate that is ${provider}, where nobody spends more than was reserved`, () => {
      fc.assert(
        fc.property(ratePolicy(provider), thrifty, (rate, trace) => {
          const seen = play(rate, trace)
          assert.ok(
            isWithin(
              rate,
              seen.map(({ atUs, actual }) => ({ atUs, cost: actual })),
            ),
          )
        }),
        { numRuns: runs(10_000) },
      )
    })
  }
})
