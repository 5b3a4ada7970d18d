// The laws of a short window that the other side tells of, whatever it tells: no more than its limit in any window while it stays the
// same, within the bounds of the policy, never closed for longer than the caps, and small. Its state stays whole numbers.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  admit,
  emptyGate,
  type GateState,
  gateOpensAtUs,
  type HeardQuota,
  learn,
  scoutDefaults,
  settleGate,
} from "../../src/limits/index.ts"
import { mostResetUs, mostRetryAfterUs } from "../../src/limits/learning/quota.ts"
import { runs } from "./runs.ts"

const startUs = 1_769_601_600_000_000
const second = 1_000_000
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

interface Seen {
  readonly state: GateState
  readonly nowUs: number
  /** When it was admitted, where somebody just was. */
  readonly admittedAtUs: number | null
}

/** Sends as soon as it may, and hears each answer when it comes. The window slides; what does not fit is refused. */
function play({ limit, perUs, isTold, isWhole, lies, took }: Telling, see: (seen: Seen) => void): void {
  let [state, nowUs] = [emptyGate(policy) as GateState, startUs]
  let counted: number[] = []
  const coming: { sentAtUs: number; backAtUs: number; isIn: boolean; quota: HeardQuota }[] = []
  for (let sent = 0; sent < 400; ) {
    const opensAtUs = gateOpensAtUs(policy, state, nowUs, 1)
    const next = coming[0]
    if (next && next.backAtUs <= opensAtUs) {
      coming.shift()
      const { sentAtUs, backAtUs, isIn, quota } = next
      nowUs = Math.max(nowUs, backAtUs)
      const times = { admittedAtUs: sentAtUs, sentAtUs, respondedAtUs: backAtUs, rttUs: backAtUs - sentAtUs }
      const settled = settleGate(policy, state, nowUs, { id: "t", fence: 1, reserved: 1, actual: null, ...times })
      const said = { sentAtUs, respondedAtUs: backAtUs, cost: 1, delayUs: 0, reason: "rate" as const, retryAfterUs: null, random: 0.5 }
      state = learn(policy, settled, nowUs, { ...said, kind: isIn ? "served" : "refused", quota })
      see({ state, nowUs, admittedAtUs: null })
      continue
    }
    // Nobody waits for a day.
    nowUs = Math.max(nowUs, Math.min(opensAtUs, nowUs + 3_600 * second))
    const admission = admit(policy, state, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs + 1 })
    if (admission.kind === "refused") continue
    state = admission.state
    see({ state, nowUs, admittedAtUs: nowUs })
    const tookUs = took[sent % took.length] ?? 0
    const atUs = nowUs + Math.floor(tookUs / 2)
    counted = counted.filter((one) => one > atUs - perUs)
    const isIn = counted.length < limit
    if (isIn) counted.push(atUs)
    const leftUs = Math.max(0, Math.min(...counted) + perUs - atUs)
    const resetUs = isWhole ? Math.ceil(leftUs / second) * second : leftUs
    const truth = { limit, remaining: limit - counted.length, resetUs, windowUs: isTold ? perUs : null }
    const quota = lies.find(({ at }) => at === sent)?.quota ?? truth
    coming.push({ sentAtUs: nowUs, backAtUs: nowUs + tookUs, isIn, quota })
    coming.sort((a, b) => a.backAtUs - b.backAtUs)
    sent++
  }
}

function* numbersIn(value: unknown): Generator<number> {
  if (typeof value === "number") yield value
  else if (value !== null && typeof value === "object") for (const part of Object.values(value)) yield* numbersIn(part)
}

describe("a gate that is told of a short window", () => {
  it("lets no more than its limit pass in any window, as long as that is the same", () => {
    let kept = 0
    fc.assert(
      fc.property(telling, (drawn) => {
        let [known, passed] = ["", [] as number[]]
        play(drawn, ({ state: { window }, admittedAtUs }) => {
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
        play(drawn, ({ state, nowUs }) => {
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
