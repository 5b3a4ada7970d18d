// The laws of a short window that a gate looks for by itself, whatever is refused and however much there is to send: no more than its
// limit in any window while that stays the same, once for each episode, no more with little to send, within the bounds of the policy. Its
// state stays whole numbers.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { emptyGate, type GatePolicy, type GateState, gateOpensAtUs, learn, scoutDefaults } from "../../src/limits/index.ts"
import { isCounting } from "../../src/limits/learning/found-window.ts"
import { mostRetryAfterUs } from "../../src/limits/learning/quota.ts"
import { mode, noScout, trusts } from "../../src/limits/learning/scout-state.ts"
import { runs } from "./runs.ts"
import { numbersIn, play, type Seen, second, startUs } from "./short-window.ts"

const leastUs = 2_000
const mostUs = 120 * second

interface Drawn {
  /** Of the pace that has held, and of the limit. */
  readonly held: number
  readonly limit: number
  readonly perUs: number
  readonly restUs: number
  readonly took: readonly number[]
  /** Requests that are refused though there is room, and those before which there is nothing to send. */
  readonly strays: readonly number[]
  readonly idle: ReadonlyMap<number, number>
}

const requests = 1_500
const drawn: fc.Arbitrary<Drawn> = fc.record({
  held: fc.integer({ min: 8, max: 60 }),
  limit: fc.integer({ min: 5, max: 90 }),
  perUs: fc.constantFrom(second, second, second, 300_000, 5 * second),
  restUs: fc.constantFrom(second, 5 * second),
  took: fc.array(fc.integer({ min: 5_000, max: 400_000 }), { minLength: 1, maxLength: 10 }),
  strays: fc.array(fc.nat(requests), { maxLength: 12 }),
  idle: fc.array(fc.tuple(fc.nat(requests), fc.nat(5 * second)), { maxLength: 20 }).map((pairs) => new Map(pairs)),
})

function policyOf({ restUs }: Drawn): GatePolicy {
  const adaptive = { ...scoutDefaults, leastUs, mostUs, restUs, restMostUs: 2 * restUs }
  return { rates: [], concurrency: null, adaptive }
}

/** At rest at a pace that has held, so that it tries a window soon. */
function restedAt({ held, restUs }: Drawn, policy: GatePolicy): GateState {
  const everyNs = Math.round(1_000_000_000 / held)
  const times = { sinceUs: startUs, sentAtUs: startUs, cycleAtUs: startUs }
  const known = {
    ...noScout,
    ...times,
    mode: mode.rest,
    trust: trusts.sure,
    everyNs,
    heldNs: everyNs,
    spanUs: 10 * second,
    gain: 80,
    restUs,
  }
  const pace = { everyUs: Math.round(everyNs / 1_000), nextAtUs: startUs, busy: 1_000 }
  return { ...emptyGate(policy), pace, learned: { version: 1, changedAtUs: startUs, scout: known } }
}

function playFound(one: Drawn, see: (seen: Seen, policy: GatePolicy) => void): void {
  const policy = policyOf(one)
  const { limit, perUs, took, strays, idle } = one
  const side = {
    limit,
    perUs,
    took,
    tell: () => null,
    refuses: (at: number) => strays.includes(at),
    idleUs: (at: number) => idle.get(at) ?? 0,
  }
  play(side, { policy, state: restedAt(one, policy), requests }, (seen) => see(seen, policy))
}

describe("a gate that looks for a short window", () => {
  it("lets no more than its limit pass in any window, as long as that is the same", () => {
    let kept = 0
    fc.assert(
      fc.property(drawn, (one) => {
        let [known, passed] = ["", [] as number[]]
        playFound(one, ({ state: { window }, admittedAtUs }) => {
          const name = window ? `${window.limit} ${window.counted.perUs}` : ""
          if (name !== known) [known, passed] = [name, []]
          if (!window || admittedAtUs === null) return
          kept++
          passed = [...passed.filter((at) => at > admittedAtUs - window.counted.perUs), admittedAtUs]
          assert.ok(passed.length <= window.limit, `${passed.length} of ${window.limit}`)
        })
      }),
      { numRuns: runs(200) },
    )
    assert.ok(kept > 1_000, `it is about windows that were kept: ${kept}`)
  })

  it("keeps a window exactly while it counts, stays within its bounds, and opens again", () => {
    fc.assert(
      fc.property(drawn, (one) => {
        playFound(one, ({ state, nowUs }, policy) => {
          const { pace, window, closedUntilUs, learned } = state
          assert.equal(window !== undefined, isCounting(learned?.found))
          if (window) assert.equal(window.limit, learned?.found?.limit)
          assert.ok(!pace || (pace.everyUs >= leastUs && pace.everyUs <= mostUs), `${pace?.everyUs} µs`)
          assert.ok(closedUntilUs - nowUs <= mostRetryAfterUs)
          const latestUs = Math.max(closedUntilUs, pace?.nextAtUs ?? 0, nowUs + (window ? 2 * second : 0))
          assert.ok(gateOpensAtUs(policy, state, nowUs, 1) <= latestUs)
          for (const number of numbersIn({ pace, window, learned, closedUntilUs })) assert.ok(Number.isSafeInteger(number), `${number}`)
        })
      }),
      { numRuns: runs(200) },
    )
  })

  it("reacts once to an episode, and lets nobody more in for a refusal or with little to send", () => {
    fc.assert(
      fc.property(drawn, (one) => {
        playFound(one, ({ state, before, nowUs }, policy) => {
          const [was, is] = [before?.learned?.found, state.learned?.found]
          if (!before || !was || !is) return
          const isRefusal = state.cooldown.reactedAtUs !== before.cooldown.reactedAtUs
          if (isRefusal) {
            const late = { kind: "refused" as const, sentAtUs: state.cooldown.reactedAtUs, respondedAtUs: nowUs, cost: 1, delayUs: 0 }
            const again = { ...late, reason: "rate" as const, retryAfterUs: null, quota: null, random: 0.5 }
            assert.deepEqual(learn(policy, state, nowUs + 1, again), state)
          }
          const wasBlocked = before.learned?.scout?.mode === mode.blocked
          const isFull = was.full * 1_000 >= was.passed * 500
          if (was.stage > 0 && (isRefusal || wasBlocked || !isFull)) assert.ok(is.limit <= was.limit, `${is.limit} after ${was.limit}`)
        })
      }),
      { numRuns: runs(200) },
    )
  })
})
