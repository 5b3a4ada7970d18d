// The laws of a short window that the other side tells of, whatever it tells: no more than its limit in any window while it stays the
// same, within the bounds of the policy, never closed for longer than the caps, and small. Its state stays whole numbers.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { emptyGate, gateOpensAtUs, type HeardQuota, scoutDefaults } from "../../src/limits/index.ts"
import { mostResetUs, mostRetryAfterUs } from "../../src/limits/learning/quota.ts"
import { runs } from "./runs.ts"
import { numbersIn, play, type Seen, type Side, second } from "./short-window.ts"

const leastUs = 2_000
const mostUs = 120 * second
/** Of a window that is longer no account is taken; and how long a request may be under way. */
const longestUs = 5 * second + 500_000 + 20_000
const policy = { rates: [], concurrency: null, adaptive: { ...scoutDefaults, leastUs, mostUs } }

/** One that counts a window, and tells the truth of it but for some lies. */
interface Telling {
  readonly limit: number
  readonly perUs: number
  readonly isTold: boolean
  readonly isWhole: boolean
  readonly lies: readonly { readonly at: number; readonly quota: HeardQuota }[]
  readonly took: readonly number[]
}

const odd = fc.constantFrom(0, 1, 0.5, -1, 1_000, 999_999, 1e9, 1e12, 1e18, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE)
const some = fc.oneof({ arbitrary: fc.nat(40), weight: 2 }, { arbitrary: odd, weight: 3 }, fc.constant(null))
const oddUs = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 6 }).map((seconds) => seconds * second), weight: 2 },
  { arbitrary: some, weight: 3 },
)
const lie = fc.record({ at: fc.nat(400), quota: fc.record({ limit: some, remaining: some, resetUs: oddUs, windowUs: oddUs }) })
const telling: fc.Arbitrary<Telling> = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(1_000, 1e9)),
  perUs: fc.oneof(
    fc.integer({ min: 1, max: 5 }).map((seconds) => seconds * second),
    fc.integer({ min: 1_000, max: 5 * second }),
  ),
  isTold: fc.boolean(),
  isWhole: fc.boolean(),
  lies: fc.oneof(fc.constant([]), fc.array(lie, { maxLength: 10 })),
  took: fc.array(fc.integer({ min: 20_000, max: 400_000 }), { minLength: 1, maxLength: 10 }),
})

function sideOf({ limit, perUs, isTold, isWhole, lies, took }: Telling): Side {
  return {
    limit,
    perUs,
    took,
    refuses: () => false,
    idleUs: () => 0,
    tell(request, truth) {
      const resetUs = isWhole ? Math.ceil((truth.resetUs ?? 0) / second) * second : truth.resetUs
      return lies.find(({ at }) => at === request)?.quota ?? { ...truth, resetUs, windowUs: isTold ? perUs : null }
    },
  }
}

const playTold = (drawn: Telling, see: (seen: Seen) => void) =>
  play(sideOf(drawn), { policy, state: emptyGate(policy), requests: 400 }, see)

describe("a gate that is told of a short window", () => {
  it("lets no more than its limit pass in any window, as long as that is the same", () => {
    let kept = 0
    fc.assert(
      fc.property(telling, (drawn) => {
        let [known, passed] = ["", [] as number[]]
        playTold(drawn, ({ state: { window }, admittedAtUs }) => {
          const name = window ? `${window.limit} ${window.counted.perUs}` : ""
          if (name !== known) [known, passed] = [name, []]
          if (!window || admittedAtUs === null) return
          kept++
          passed = [...passed.filter((one) => one > admittedAtUs - window.counted.perUs), admittedAtUs]
          assert.ok(passed.length <= window.limit, `${passed.length} of ${window.limit} in ${window.counted.perUs} µs`)
        })
      }),
      { numRuns: runs(400) },
    )
    assert.ok(kept > 1_000, `it is about windows that were kept: ${kept}`)
  })

  it("stays within its bounds, opens again, and stays small, whatever it is told", () => {
    fc.assert(
      fc.property(telling, (drawn) => {
        playTold(drawn, ({ state, nowUs }) => {
          const { pace, window, closedUntilUs, learned } = state
          assert.ok(!pace || (pace.everyUs >= leastUs && pace.everyUs <= mostUs), `${pace?.everyUs} µs`)
          assert.ok(closedUntilUs - nowUs <= Math.max(mostResetUs, mostRetryAfterUs))
          const windowUs = window ? longestUs : 0
          const latestUs = Math.max(closedUntilUs, pace?.nextAtUs ?? 0, nowUs + windowUs)
          assert.ok(gateOpensAtUs(policy, state, nowUs, 1) <= latestUs)
          if (window) assert.ok(window.counted.perUs >= 250_000 && window.counted.perUs <= 5 * second && window.limit >= 1)
          assert.ok((window?.counted.free.length ?? 0) <= 3_000)
          for (const number of numbersIn({ pace, window, learned, closedUntilUs })) assert.ok(Number.isSafeInteger(number), `${number}`)
        })
      }),
      { numRuns: runs(400) },
    )
  })
})
