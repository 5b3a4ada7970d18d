// The laws of a gate that scouts, whatever it hears: within its bounds, once per episode, never faster with little to send, and
// never closed for ever. Its state stays whole numbers.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  admit,
  emptyGate,
  type GatePolicy,
  type GateState,
  gateOpensAtUs,
  type Heard,
  type HeardQuota,
  learn,
  type RatePolicy,
  scoutDefaults,
} from "../../src/limits/index.ts"
import { mostResetUs, mostRetryAfterUs } from "../../src/limits/learning/quota.ts"
import { runs } from "./runs.ts"

const startUs = 1_769_601_600_000_000
const leastUs = 2_000
const mostUs = 120_000_000

/** Numbers as they come from the other side: usual ones, and such as no honest one would send. */
const told = fc.oneof(
  { arbitrary: fc.nat(100), weight: 3 },
  { arbitrary: fc.nat(120).map((seconds) => seconds * 1_000_000), weight: 3 },
  { arbitrary: fc.constantFrom(0, -1, 1, 0.5, 1e9, 1e18, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE), weight: 1 },
)
const maybe = fc.oneof({ arbitrary: told, weight: 8 }, fc.constant(null))
const quota: fc.Arbitrary<HeardQuota> = fc.record({ limit: maybe, remaining: maybe, resetUs: maybe, windowUs: maybe })

interface Step {
  /** Until the next request is sent, if the gate lets it. */
  readonly waitUs: number
  readonly tookUs: number
  readonly kind: Heard["kind"]
  readonly reason: Heard["reason"]
  readonly retryAfterUs: number | null
  readonly quota: HeardQuota | null
  readonly cost: number
  readonly delayUs: number
  readonly random: number
}

const step: fc.Arbitrary<Step> = fc.record({
  waitUs: fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, fc.nat(50_000_000)),
  tookUs: fc.oneof({ arbitrary: fc.nat(300_000), weight: 4 }, fc.nat(90_000_000)),
  kind: fc.oneof({ arbitrary: fc.constant("served" as const), weight: 12 }, fc.constantFrom("refused" as const, "told" as const)),
  reason: fc.oneof({ arbitrary: fc.constant("rate" as const), weight: 6 }, fc.constant("concurrency" as const)),
  retryAfterUs: fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, told),
  quota: fc.oneof({ arbitrary: fc.constant(null), weight: 1 }, quota),
  cost: fc.oneof({ arbitrary: fc.constant(1), weight: 4 }, fc.integer({ min: 1, max: 50 })),
  delayUs: fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, fc.nat(3_000_000)),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
})
const steps = fc.array(step, { minLength: 1, maxLength: 150, size: "max" })
const plainSteps = fc.array(
  step.map((drawn): Step => ({ ...drawn, quota: null, delayUs: 0, reason: "rate" })),
  { minLength: 1, maxLength: 150, size: "max" },
)

const declared: RatePolicy = { limit: 50, perUs: 10_000_000, provider: "sliding", burst: 50, phaseUs: 0, guardUs: 0, slackUs: 0 }
const policy: fc.Arbitrary<GatePolicy> = fc
  .record({
    isDeclared: fc.boolean(),
    concurrency: fc.option(fc.integer({ min: 1, max: 30 })),
    startUs: fc.integer({ min: leastUs, max: mostUs }),
  })
  .map(({ isDeclared, concurrency, startUs: firstUs }) => ({
    rates: isDeclared ? [declared] : [],
    concurrency,
    adaptive: { ...scoutDefaults, leastUs, mostUs, startUs: firstUs },
  }))

type See = (before: GateState, after: GateState, heard: Heard, nowUs: number) => void

/** A plain cooldown takes what it is asked for as it is: whoever calls it has bounded that. */
function askedUs({ adaptive, concurrency }: GatePolicy, { kind, reason, retryAfterUs }: Omit<Step, "waitUs" | "tookUs">): number | null {
  const isPlain = kind === "refused" && (!adaptive || (reason === "concurrency" && concurrency !== null))
  return isPlain && retryAfterUs !== null ? Math.min(mostRetryAfterUs, Math.max(0, Math.ceil(retryAfterUs))) : retryAfterUs
}

/** Sends whenever the gate lets it, hears each answer when it comes, and shows what it made of it. */
function play(gate: GatePolicy, trace: readonly Step[], see: See): GateState {
  let [state, nowUs] = [emptyGate(gate), startUs]
  const answers: Heard[] = []
  const hearUntil = (untilUs: number) => {
    answers.sort((a, b) => (a.respondedAtUs ?? 0) - (b.respondedAtUs ?? 0))
    for (let heard = answers[0]; heard && (heard.respondedAtUs ?? 0) <= untilUs; heard = answers[0]) {
      answers.shift()
      nowUs = Math.max(nowUs, heard.respondedAtUs ?? 0)
      const before = state
      state = learn(gate, before, nowUs, heard)
      see(before, state, heard, nowUs)
    }
    nowUs = Math.max(nowUs, untilUs)
  }
  for (const [i, { waitUs, tookUs, ...drawn }] of trace.entries()) {
    // As soon as it may, but nobody waits for days; and then as late as the trace wants.
    hearUntil(Math.min(gateOpensAtUs(gate, state, nowUs, drawn.cost), nowUs + 100_000_000_000) + waitUs)
    const admission = admit(gate, state, nowUs, { id: `t${i}`, fence: 1, cost: drawn.cost, untilUs: nowUs + 1 })
    if (admission.kind === "admitted") state = admission.state
    answers.push({ ...drawn, retryAfterUs: askedUs(gate, drawn), sentAtUs: nowUs, respondedAtUs: nowUs + tookUs })
  }
  hearUntil(nowUs + 100_000_000)
  return state
}

/** Every number in it, with where it is. */
function* numbersIn(value: unknown, path = ""): Generator<[string, number]> {
  if (typeof value === "number") yield [path, value]
  else if (value !== null && typeof value === "object")
    for (const [key, part] of Object.entries(value)) yield* numbersIn(part, `${path}.${key}`)
}

describe("a gate that scouts", () => {
  it("keeps its distance within the bounds of its policy, whatever it hears", () => {
    fc.assert(
      fc.property(policy, steps, (gate, trace) => {
        play(gate, trace, (_before, { pace, learned }) => {
          const isUnpaced = gate.rates.length > 0 && pace?.everyUs === 0
          assert.ok(!pace || isUnpaced || (pace.everyUs >= leastUs && pace.everyUs <= mostUs), `${pace?.everyUs} µs`)
          const everyNs = learned?.scout?.everyNs ?? leastUs * 1_000
          assert.ok(everyNs >= leastUs * 1_000 && everyNs <= mostUs * 1_000, `${everyNs} ns`)
        })
      }),
      { numRuns: runs(2_000) },
    )
  })

  it("reacts once to an episode: a refusal of what was sent before changes nothing", () => {
    fc.assert(
      fc.property(policy, plainSteps, fc.nat(60_000_000), (gate, trace, earlierUs) => {
        play(gate, trace, (before, after, heard, nowUs) => {
          if (heard.kind !== "refused" || after === before) return
          const again = { ...heard, sentAtUs: after.cooldown.reactedAtUs - earlierUs }
          assert.deepEqual(learn(gate, after, nowUs + 1, again), after)
        })
      }),
      { numRuns: runs(1_000) },
    )
  })

  it("is never faster after an answer while there is little to send", () => {
    fc.assert(
      fc.property(policy, plainSteps, (gate, trace) => {
        play(gate, trace, (before, after) => {
          if (!before.learned?.scout || !after.learned?.scout || (before.pace?.busy ?? 0) >= 600) return
          assert.ok(after.learned.scout.everyNs >= before.learned.scout.everyNs)
        })
      }),
      { numRuns: runs(2_000) },
    )
  })

  it("is never faster for a refusal, nor for the end of an episode", () => {
    fc.assert(
      fc.property(policy, plainSteps, (gate, trace) => {
        play(gate, trace, (before, after, heard) => {
          const known = before.learned?.scout
          if (!known || (heard.kind !== "refused" && known.mode !== 1)) return
          assert.ok((after.learned?.scout?.everyNs ?? 0) >= known.everyNs)
        })
      }),
      { numRuns: runs(2_000) },
    )
  })

  it("is never closed for longer than the bounds, whatever it hears", () => {
    fc.assert(
      fc.property(policy, steps, (gate, trace) => {
        play(gate, trace, (before, after, heard, nowUs) => {
          if (after.closedUntilUs === before.closedUntilUs) return
          const mostClosedUs = heard.quota ? mostResetUs : mostRetryAfterUs
          assert.ok(after.closedUntilUs - nowUs <= Math.ceil(1.1 * mostClosedUs), `${after.closedUntilUs - nowUs} µs`)
          // What keeps the canaries apart does not keep them back for longer either.
          assert.ok((after.pace?.nextAtUs ?? 0) - nowUs <= Math.ceil(1.1 * mostResetUs))
        })
      }),
      { numRuns: runs(2_000) },
    )
  })

  it("has a state of whole numbers that survives being stored", () => {
    fc.assert(
      fc.property(policy, steps, (gate, trace) => {
        play(gate, trace, (_before, after) => {
          for (const [path, number] of numbersIn(after)) assert.ok(Number.isSafeInteger(number), `${path} is ${number}`)
          assert.deepEqual(JSON.parse(JSON.stringify(after)), after)
        })
      }),
      { numRuns: runs(1_000) },
    )
  })
})

describe("a gate with a declared rate", () => {
  it("is never closed for longer than the bounds, and never paced by a quota", () => {
    fc.assert(
      fc.property(steps, (trace) => {
        play({ rates: [declared], concurrency: null }, trace, (before, after, heard, nowUs) => {
          if (heard.kind !== "refused")
            assert.equal(after.pace?.everyUs ?? 0, Math.min(before.pace?.everyUs ?? 0, after.pace?.everyUs ?? 0))
          if (after.closedUntilUs !== before.closedUntilUs) assert.ok(after.closedUntilUs - nowUs <= Math.ceil(1.1 * mostResetUs))
        })
      }),
      { numRuns: runs(1_000) },
    )
  })
})
