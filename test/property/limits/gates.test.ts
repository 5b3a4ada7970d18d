// The laws of holders, of several gates together, of forecasts and of cooldowns.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import {
  admit,
  admitAll,
  cooldown,
  emptyGate,
  forecast,
  type GatePolicy,
  type GateState,
  type Provider,
  type RatePolicy,
  relax,
  renewHolder,
  settleGate,
} from "../../../src/limits/index.ts"
import { only, ratePolicy, runs, startUs } from "./policies.ts"

const second = 1_000_000

describe("concurrency", () => {
  it("never has more than its bound held, through crashes, renewals, late and repeated settles", () => {
    const command = fc.record({
      do: fc.constantFrom("take", "take", "take", "settle", "settle", "renew"),
      pick: fc.nat(20),
      cost: fc.integer({ min: 1, max: 3 }),
      waitUs: fc.nat(400),
      leaseUs: fc.integer({ min: 1, max: 900 }),
    })
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 8 }), fc.array(command, { maxLength: 80, size: "max" }), (bound, commands) => {
        const policy: GatePolicy = { rates: [], concurrency: bound }
        let [state, nowUs]: [GateState, number] = [emptyGate(policy), startUs]
        const seen: { id: string; fence: number }[] = []
        // Kept apart from the gate: who holds, and until when.
        const holding = new Map<string, { cost: number; untilUs: number }>()
        for (const [i, { do: what, pick, cost, waitUs, leaseUs }] of commands.entries()) {
          nowUs += waitUs
          for (const [id, { untilUs }] of holding) if (untilUs <= nowUs) holding.delete(id)
          const held = () => [...holding.values()].reduce((sum, holder) => sum + holder.cost, 0)
          const known = seen[pick % Math.max(1, seen.length)]
          if (what === "take") {
            const admission = admit(policy, state, nowUs, { id: `t${i}`, fence: i, cost, untilUs: nowUs + leaseUs })
            assert.equal(admission.kind, held() + cost <= bound ? "admitted" : "refused")
            if (admission.kind === "refused") {
              const earliestUs = Math.min(...[...holding.values()].map(({ untilUs }) => untilUs))
              assert.ok(admission.atUs >= earliestUs, "a slot comes back by itself when a lease ends")
              continue
            }
            state = admission.state
            seen.push({ id: `t${i}`, fence: i })
            holding.set(`t${i}`, { cost, untilUs: nowUs + leaseUs })
          } else if (known && what === "settle") {
            const settlement = {
              ...known,
              admittedAtUs: nowUs,
              reserved: 1,
              actual: null,
              sentAtUs: null,
              respondedAtUs: null,
              rttUs: null,
            }
            state = settleGate(policy, settleGate(policy, state, nowUs, settlement), nowUs, settlement)
            state = settleGate(policy, state, nowUs, { ...settlement, fence: known.fence + 1 })
            holding.delete(known.id)
          } else if (known && holding.has(known.id)) {
            state = renewHolder(policy, state, { ...known, cost: 1, untilUs: nowUs + leaseUs })
            const before = holding.get(known.id)
            if (before) holding.set(known.id, { ...before, untilUs: Math.max(before.untilUs, nowUs + leaseUs) })
          }
          assert.ok(held() <= bound)
        }
      }),
      { numRuns: runs(10_000) },
    )
  })
})

describe("several gates", () => {
  it("charge all or none, and name the one that opens last", () => {
    const gate = fc.record({ rate: ratePolicy("sliding"), charged: fc.nat(6), concurrency: fc.option(fc.integer({ min: 1, max: 4 })) })
    fc.assert(
      fc.property(fc.array(gate, { minLength: 1, maxLength: 5 }), (drawn) => {
        const gates = drawn.map(({ rate, charged, concurrency }, i) => {
          const policy: GatePolicy = { rates: [rate], concurrency }
          let state = emptyGate(policy)
          for (let n = 0; n < charged; n++) {
            const admission = admit(policy, state, startUs, { id: `before${n}`, fence: 1, cost: 1, untilUs: startUs + second })
            if (admission.kind === "admitted") state = admission.state
          }
          return { name: `g${i}`, policy, state, passage: { id: "t", fence: 1, cost: 1, untilUs: startUs + second } }
        })
        const before = JSON.stringify(gates)
        const alone = gates.map(({ policy, state, passage }) => admit(policy, state, startUs, passage))
        const together = admitAll(gates, startUs)
        assert.equal(JSON.stringify(gates), before, "what was handed in is not changed")
        const refusals = alone.flatMap((admission, i) => (admission.kind === "refused" ? [{ name: `g${i}`, atUs: admission.atUs }] : []))
        if (together.kind === "admitted") {
          assert.equal(refusals.length, 0)
          assert.equal(together.states.length, gates.length)
        } else {
          assert.equal(together.atUs, Math.max(...refusals.map(({ atUs }) => atUs)))
          assert.ok(refusals.some(({ name, atUs }) => name === together.blockedBy && atUs === together.atUs))
        }
      }),
      { numRuns: runs(10_000) },
    )
  })
})

/** Admits so many single units as early as they may pass, one after the other; answers with the start of the last. */
function replay(policy: GatePolicy, from: GateState, units: number): number {
  let [state, nowUs] = [from, startUs]
  for (let n = 0; n < units; n++) {
    const passage = { id: `r${n}`, fence: 1, cost: 1, untilUs: nowUs + second }
    let admission = admit(policy, state, nowUs, passage)
    if (admission.kind === "refused") {
      nowUs = admission.atUs
      admission = admit(policy, state, nowUs, passage)
    }
    assert.equal(admission.kind, "admitted")
    if (admission.kind === "admitted") state = { ...admission.state, holders: [] }
  }
  return nowUs
}

/** A gate with a past: units admitted at random moments of the last window. */
function used(rate: RatePolicy, moments: readonly number[]): GateState {
  const policy = only(rate)
  let state = emptyGate(policy)
  for (const thousandths of [...moments].sort((a, b) => a - b)) {
    const atUs = startUs - rate.perUs + Math.floor((rate.perUs * thousandths) / 1_000)
    const admission = admit(policy, state, atUs, { id: `p${atUs}`, fence: 1, cost: 1, untilUs: atUs + 1 })
    if (admission.kind === "admitted") state = { ...admission.state, holders: [] }
  }
  return state
}

describe("a forecast", () => {
  const moments = fc.array(fc.nat(1_000), { maxLength: 30, size: "max" })
  const check = (provider: Provider, law: (rate: RatePolicy, forecastUs: number, replayedUs: number) => void) =>
    fc.assert(
      fc.property(ratePolicy(provider), moments, fc.nat(150), (rate, past, ahead) => {
        const state = used(rate, past)
        law(rate, forecast(only(rate), state, startUs, { tasks: ahead, cost: ahead }, 1), replay(only(rate), state, ahead + 1))
      }),
      { numRuns: runs(10_000) },
    )

  for (const provider of ["sliding", "fixed", "bucket"] as const) {
    it(`equals the replayed start, on ${provider}`, () => check(provider, (_rate, told, true_) => assert.equal(told, true_)))
  }

  it("lies within one window of the replayed start, on unknown", () => {
    check("unknown", (rate, told, true_) => assert.ok(Math.abs(told - true_) <= rate.perUs))
  })
})

describe("a cooldown", () => {
  const policy: GatePolicy = { rates: [], concurrency: null }
  const refuse = (state: GateState, nowUs: number, sentAtUs = nowUs, retryAfterUs: number | null = null) =>
    cooldown(policy, state, nowUs, { sentAtUs, retryAfterUs, random: 0 })

  it("lasts 2, 4, 8, 16, 30 and 30 seconds when nobody says how long", () => {
    let [state, nowUs] = [emptyGate(policy), startUs]
    const lasted: number[] = []
    for (let n = 0; n < 6; n++) {
      state = refuse(state, nowUs)
      lasted.push((state.closedUntilUs - nowUs) / second)
      nowUs = state.closedUntilUs
    }
    assert.deepEqual(lasted, [2, 4, 8, 16, 30, 30])
  })

  it("lasts one window of the limit's own at first, where that is shorter", () => {
    const rates = [{ limit: 5, perUs: second, provider: "sliding", burst: 5, phaseUs: 0, guardUs: 0, slackUs: 0 } as const]
    let [state, nowUs] = [emptyGate({ rates, concurrency: null }), startUs]
    const lasted: number[] = []
    for (let n = 0; n < 6; n++) {
      state = cooldown({ rates }, state, nowUs, { sentAtUs: nowUs, retryAfterUs: null, random: 0 })
      lasted.push((state.closedUntilUs - nowUs) / second)
      nowUs = state.closedUntilUs
    }
    assert.deepEqual(lasted, [1, 2, 4, 8, 16, 30])
  })

  it("lasts as long as the other side says, and up to a tenth longer", () => {
    const state = cooldown(policy, emptyGate(policy), startUs, { sentAtUs: startUs, retryAfterUs: 7 * second, random: 0.5 })
    assert.equal(state.closedUntilUs, startUs + 7.35 * second)
    assert.equal(admit(policy, state, startUs + 7 * second, { id: "t", fence: 1, cost: 1, untilUs: startUs }).kind, "refused")
  })

  it("reacts once to a burst that was under way together", () => {
    const first = refuse(emptyGate(policy), startUs, startUs - 100)
    assert.equal(refuse(first, startUs + 50, startUs - 50), first)
    assert.equal(refuse(first, startUs + 60, startUs), first)
    assert.equal(refuse(first, startUs + 3 * second, startUs + second).cooldown.count, 2)
  })

  it("begins anew after a success of a later request, not of an earlier one", () => {
    const twice = refuse(refuse(emptyGate(policy), startUs), startUs + 3 * second)
    assert.equal(relax(twice, startUs + second), twice)
    const relaxed = relax(twice, startUs + 8 * second)
    assert.equal(refuse(relaxed, startUs + 9 * second).closedUntilUs, startUs + 11 * second)
  })
})
