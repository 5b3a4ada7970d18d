// The laws of the preset `linear`, whatever is sent and whatever comes back, in any order.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { admit, emptyGate, type GatePolicy, type GateState, type Heard, type LinearPolicy, learn } from "../../src/limits/index.ts"
import { runs } from "./runs.ts"

const startUs = 1_769_601_600_000_000

const drawnPolicy = fc.record({
  stepMs: fc.constantFrom(1, 250, 1_000, 7_000),
  mostMs: fc.constantFrom(1_000, 5_000, 20_000, 60_000),
  probeAfter: fc.integer({ min: 1, max: 5 }),
  baseMs: fc.constantFrom(0, 500, 1_500, 30_000),
  slotMs: fc.constantFrom(400, 5_000),
  floorDecayMs: fc.constantFrom(2_000, 600_000),
  concurrency: fc.option(fc.integer({ min: 1, max: 12 })),
})
const step = fc.record({
  do: fc.constantFrom("send", "send", "send", "answer", "answer", "answer", "wait"),
  waitMs: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(300), fc.nat(20_000)),
  pick: fc.nat(3),
  /** Refusals come in rows, and so do answers. */
  kind: fc.oneof(
    { arbitrary: fc.constant("served" as const), weight: 8 },
    { arbitrary: fc.constant("refused" as const), weight: 2 },
    { arbitrary: fc.constant("told" as const), weight: 1 },
  ),
  retryAfterMs: fc.option(fc.nat(90_000)),
  random: fc.integer({ min: 0, max: 99 }).map((hundredths) => hundredths / 100),
})
const steps = fc.array(step, { minLength: 1, maxLength: 120, size: "max" })

interface Sent {
  readonly atUs: number
  /** The distance that was in force when it went out. */
  readonly delayMs: number
}

interface Moment {
  readonly before: GateState
  readonly after: GateState
  readonly nowUs: number
  readonly heard: Heard
  readonly sent: Sent
  readonly own: LinearPolicy
  readonly policy: GatePolicy
}

function play(drawn: typeof drawnPolicy extends fc.Arbitrary<infer T> ? T : never, trace: readonly Step[], look: (moment: Moment) => void) {
  const own: LinearPolicy = {
    preset: "linear",
    stepUs: drawn.stepMs * 1_000,
    mostUs: drawn.mostMs * 1_000,
    probeAfter: drawn.probeAfter,
    baseDelayUs: drawn.baseMs * 1_000,
    slotUs: drawn.slotMs * 1_000,
    floorDecayUs: drawn.floorDecayMs * 1_000,
    maxRetries: 3,
  }
  const policy: GatePolicy = { rates: [], concurrency: drawn.concurrency, adaptive: own }
  const delayUs = own.baseDelayUs
  let [state, nowUs] = [emptyGate(policy), startUs]
  const open: Sent[] = []
  for (const { do: what, waitMs, pick, kind, retryAfterMs, random } of trace) {
    if (what === "wait") nowUs += waitMs * 1_000
    if (what === "send") {
      let admission = admit(policy, state, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs, delayUs })
      if (admission.kind === "refused") {
        nowUs = Math.ceil(admission.atUs / 1_000) * 1_000
        admission = admit(policy, state, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs, delayUs })
      }
      assert.ok(admission.kind === "admitted")
      open.push({ atUs: nowUs, delayMs: Math.max(drawn.baseMs, (state.pace?.everyUs ?? 0) / 1_000) })
      state = admission.state
    }
    if (what !== "answer") continue
    const [sent] = open.splice(pick % Math.max(1, open.length), 1)
    if (!sent) continue
    nowUs += 1_000
    const heard: Heard = {
      sentAtUs: sent.atUs,
      respondedAtUs: nowUs,
      cost: 1,
      delayUs,
      kind,
      reason: "rate",
      retryAfterUs: retryAfterMs === null ? null : retryAfterMs * 1_000,
      quota: null,
      random,
    }
    const before = state
    state = learn(policy, before, nowUs, heard)
    look({ before, after: state, nowUs, heard, sent, own, policy })
  }
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function holds(law: (moment: Moment) => void): void {
  fc.assert(
    fc.property(drawnPolicy, steps, (drawn, trace) => play(drawn, trace, law)),
    { numRuns: runs(3_000) },
  )
}

const linearOf = ({ learned }: GateState) => learned?.linear

describe("linear", () => {
  it("never leaves its bounds: of the delay, of the floor, of the slots", () => {
    holds(({ after, own, policy, heard }) => {
      const { delayMs, floorMs, probedFromMs } = linearOf(after) ?? { delayMs: 0, floorMs: 0, probedFromMs: null }
      for (const ms of [delayMs, floorMs, probedFromMs ?? 0]) assert.ok(ms >= 0 && ms * 1_000 <= own.mostUs, `${ms} ms`)
      assert.equal(after.pace?.everyUs ?? 0, delayMs * 1_000)
      if (policy.concurrency === null) return assert.equal(after.slots, undefined)
      const fewer = Math.floor(Math.max(0, delayMs * 1_000 - heard.delayUs) / own.slotUs)
      assert.equal(after.slots ?? policy.concurrency, Math.max(1, policy.concurrency - fewer))
    })
  })

  it("reacts once to each episode, by a step, and closes for as long as it must", () => {
    holds(({ before, after, nowUs, heard, sent, own }) => {
      if (heard.kind !== "refused") return assert.ok((linearOf(after)?.delayMs ?? 0) <= (linearOf(before)?.delayMs ?? 0))
      if (sent.atUs <= before.cooldown.reactedAtUs) return assert.equal(after, before)
      const [was, is] = [linearOf(before), linearOf(after)]
      assert.equal(after.cooldown.reactedAtUs, nowUs)
      assert.equal(after.cooldown.count, is?.errorStreak)
      assert.equal(is?.errorStreak, (was?.errorStreak ?? 0) + 1)
      const inForceMs = Math.max(heard.delayUs / 1_000, was?.delayMs ?? 0, was?.probedFromMs ?? 0)
      assert.ok((is?.delayMs ?? 0) >= (was?.delayMs ?? 0), "a refusal makes nothing faster")
      assert.ok((is?.delayMs ?? 0) <= inForceMs + own.stepUs / 1_000, "by no more than a step")
      assert.ok(after.closedUntilUs >= nowUs + Math.max(heard.retryAfterUs ?? 0, (is?.delayMs ?? 0) * 1_000))
    })
  })

  it("never keeps a delay that failed as its floor", () => {
    holds(({ before, after, heard, sent }) => {
      const [was, is] = [linearOf(before)?.floorMs ?? 0, linearOf(after)?.floorMs ?? 0]
      if (heard.kind !== "refused") return assert.ok(is <= was, "floors come from refusals alone")
      if (sent.atUs <= before.cooldown.reactedAtUs) return
      // Refused again before anything passed, it may still pay for the probe.
      if (is > 0 && (linearOf(before)?.errorStreak ?? 0) === 0) assert.notEqual(is, sent.delayMs)
      if (is > was) assert.ok(is > sent.delayMs, `${is} is a floor, and ${sent.delayMs} failed`)
      if (is > was) assert.equal(is, linearOf(after)?.delayMs)
    })
  })

  it("is never faster while there is little to send, nor after fewer answers than it takes", () => {
    holds(({ before, after, own }) => {
      const [was, is] = [linearOf(before), linearOf(after)]
      if (!was || !is || is.delayMs >= was.delayMs) return
      assert.ok((before.pace?.busy ?? 0) >= 600)
      assert.ok(was.successStreak + 1 >= own.probeAfter)
      assert.ok(is.delayMs >= is.floorMs)
    })
  })

  it("is whole numbers or null, and survives being written down", () => {
    holds(({ after }) => {
      for (const [name, value] of Object.entries(linearOf(after) ?? {}))
        assert.ok(value === null || (Number.isSafeInteger(value) && value >= 0), `${name} is ${value}`)
      for (const value of Object.values(after.pace ?? {})) assert.ok(Number.isSafeInteger(value))
      assert.ok(Number.isSafeInteger(after.closedUntilUs))
      assert.deepEqual(JSON.parse(JSON.stringify(after)), after)
    })
  })
})
