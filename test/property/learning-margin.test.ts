// The laws of the pace that a declared rate takes on after a refusal, whatever is sent and whatever comes back.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GatePolicy, type GateState, gateOpensAtUs, type Heard, learn, neverUs } from "../../src/limits/index.ts"
import { ratePolicy } from "./limits/policies.ts"
import { runs } from "./runs.ts"

const startUs = 1_769_601_600_000_000

const rate = fc.constantFrom("unknown" as const, "sliding" as const, "bucket" as const, "fixed" as const).chain(ratePolicy)
const rates = fc.array(rate, { minLength: 1, maxLength: 3 })
const step = fc.record({
  do: fc.constantFrom("send", "send", "send", "answer", "answer", "answer", "wait"),
  /** Thousandths of the longest window. */
  wait: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(50), fc.nat(1_500)),
  pick: fc.nat(3),
  kind: fc.oneof(
    { arbitrary: fc.constant("served" as const), weight: 8 },
    { arbitrary: fc.constant("refused" as const), weight: 3 },
    { arbitrary: fc.constant("told" as const), weight: 1 },
  ),
  /** How much was answered: much of it at once, so that a margin shrinks within one trace. */
  worth: fc.constantFrom(1, 100, 1_000, 100_000),
})
const steps = fc.array(step, { minLength: 1, maxLength: 80, size: "max" })

interface Moment {
  readonly before: GateState
  readonly after: GateState
  readonly heard: Heard
  readonly policy: GatePolicy
}

function holds(law: (moment: Moment) => void): void {
  fc.assert(
    fc.property(rates, steps, (rates, trace) => {
      const policy: GatePolicy = { rates, concurrency: null }
      const longestUs = Math.max(...rates.map(({ perUs }) => perUs))
      let [state, nowUs] = [emptyGate(policy), startUs]
      const open: number[] = []
      for (const { do: what, wait, pick, kind, worth } of trace) {
        if (what === "wait") nowUs += Math.ceil((longestUs * wait) / 1_000)
        if (what === "send") {
          // Two fixed windows may leave no moment that is far enough from the ends of both.
          for (let look = 0; look < 5; look++) nowUs = Math.min(gateOpensAtUs(policy, state, nowUs, 1), neverUs / 2)
          const admission = admit(policy, state, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs })
          if (admission.kind === "refused") continue
          state = admission.state
          open.push(nowUs)
        }
        if (what !== "answer") continue
        const [sentAtUs] = open.splice(pick % Math.max(1, open.length), 1)
        if (sentAtUs === undefined) continue
        nowUs += 1_000
        const plain = { respondedAtUs: nowUs, delayUs: 0, reason: "rate" as const, retryAfterUs: null, quota: null, random: 0 }
        const heard: Heard = { ...plain, sentAtUs, cost: worth, kind }
        const before = state
        state = learn(policy, before, nowUs, heard)
        law({ before, after: state, heard, policy })
      }
    }),
    { numRuns: runs(3_000) },
  )
}

const spaced = ({ rates }: GatePolicy) => rates.filter(({ provider }) => provider !== "fixed")

describe("margin", () => {
  it("keeps its pace between the slowest rate and half of it", () => {
    holds(({ after, policy }) => {
      const every = after.pace?.everyUs
      if (every === undefined) return assert.equal(after.learned, undefined)
      const slowest = Math.max(...spaced(policy).map(({ perUs, limit }) => perUs / limit))
      assert.ok(every >= slowest, `${every} µs, and the rate has ${slowest}`)
      assert.ok(every <= Math.ceil(slowest * 2), `${every} µs, and the rate has ${slowest}`)
    })
  })

  it("begins with a refusal, never for aligned windows alone, and is kept from then on", () => {
    holds(({ before, after, heard, policy }) => {
      if (before.pace) return assert.ok(after.pace)
      const isNews = heard.kind === "refused" && heard.sentAtUs > before.cooldown.reactedAtUs
      assert.equal(after.pace !== undefined, isNews && spaced(policy).length > 0)
    })
  })

  it("reacts once to each episode, and a refusal makes nothing faster", () => {
    holds(({ before, after, heard }) => {
      if (heard.kind !== "refused") return
      if (heard.sentAtUs <= before.cooldown.reactedAtUs) return assert.equal(after, before)
      assert.ok((after.pace?.everyUs ?? 0) >= (before.pace?.everyUs ?? 0))
      assert.ok(after.closedUntilUs > before.closedUntilUs || before.closedUntilUs > heard.sentAtUs)
    })
  })

  it("is never faster while there is little to send, and never slower for an answer", () => {
    holds(({ before, after, heard }) => {
      if (heard.kind === "refused" || !before.pace) return
      assert.ok((after.pace?.everyUs ?? 0) <= before.pace.everyUs)
      if ((after.pace?.everyUs ?? 0) < before.pace.everyUs) assert.ok(before.pace.busy >= 600)
    })
  })

  it("is whole numbers, and survives being written down", () => {
    holds(({ after }) => {
      for (const [name, value] of Object.entries(after.learned?.margin ?? {}))
        assert.ok(Number.isSafeInteger(value) && value >= 0, `${name} is ${value}`)
      for (const value of Object.values(after.pace ?? {})) assert.ok(Number.isSafeInteger(value))
      assert.deepEqual(JSON.parse(JSON.stringify(after)), after)
    })
  })
})
