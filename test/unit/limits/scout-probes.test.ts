// What scout concludes from a probe: how long it has to hold, how long a refused one is waited for, and where the limit must be then.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { gateOpensAtUs, scoutDefaults } from "../../../src/limits/index.ts"
import { mode, type ScoutState, trusts } from "../../../src/limits/learning/scout-state.ts"
import { minute, second } from "./answers.ts"
import { rested, type Scouted } from "./scouted.ts"

const opensUs = (gate: Scouted) => gateOpensAtUs(gate.policy, gate.state, gate.nowUs, 1) - gate.nowUs

/** A probe that has just begun, one a second having held. */
function probing(step: number, given: Partial<ScoutState> = {}): Scouted {
  const gate = rested()
  const everyNs = Math.round(1_000_000_000 / (1 + step))
  const probe: Partial<ScoutState> = {
    mode: mode.verify,
    everyNs,
    heldNs: 1_000_000_000,
    refusedNs: null,
    gain: scoutDefaults.gainMost,
    spanUs: minute,
    restUs: scoutDefaults.restMostUs,
    answers: 0,
    steps: 2,
    sinceUs: gate.nowUs,
    sentAtUs: gate.nowUs,
    ...given,
  }
  const { learned } = gate.state
  ok(learned)
  const scout = { ...gate.scout, ...probe }
  gate.state = {
    ...gate.state,
    learned: { ...learned, scout },
    pace: { everyUs: Math.round(scout.everyNs / 1_000), nextAtUs: gate.nowUs, busy: 1_000 },
  }
  return gate
}

/** For how long it was probed until it was taken to hold. */
function verifiedAfterUs(gate: Scouted): number {
  const { sinceUs } = gate.scout
  gate.until(() => gate.scout.sinceUs !== sinceUs)
  return gate.scout.sinceUs - sinceUs
}

const isAbout = (value: number, wanted: number) => ok(Math.abs(value - wanted) <= 3 * second, `${value} µs, not ${wanted}`)

describe("a probe of scout", () => {
  it("has to hold for as long as the step that was made needs, not the gain that there was no room for", () => {
    const refusedNs = Math.round(1_000_000_000 / 1.12)
    isAbout(verifiedAfterUs(probing(0.06, { refusedNs })), (scoutDefaults.burst / 0.06) * (second / 1.06))
    isAbout(verifiedAfterUs(probing(0.03, { gain: 500, refusedNs })), (scoutDefaults.burst / 0.03) * (second / 1.03))
    isAbout(verifiedAfterUs(probing(0.001, { refusedNs })), (scoutDefaults.burst / 0.03) * second)
  })

  it("has to hold for a third of a rest, where it is a least one", () => {
    const fast: Partial<ScoutState> = { everyNs: 48_543_689, heldNs: 50_000_000, gain: scoutDefaults.gainLeast }
    isAbout(verifiedAfterUs(probing(0.03, fast)), scoutDefaults.restMostUs / 3)
  })

  it("goes far after half a span, while nothing above was refused; else it has to fill a window", () => {
    const spanUs = 4 * minute
    isAbout(verifiedAfterUs(probing(0.5, { spanUs })), spanUs / 2)
    isAbout(verifiedAfterUs(probing(0.5, { spanUs, refusedNs: 400_000_000 })), 1.5 * spanUs)
  })

  it("has to hold for two spans, where it is a guess: it began in the midst of a window", () => {
    const spanUs = 4 * minute
    isAbout(verifiedAfterUs(probing(0, { heldNs: null, gain: 80, spanUs, trust: trusts.guess })), 2 * spanUs)
    isAbout(verifiedAfterUs(probing(0, { heldNs: null, gain: 80, spanUs, trust: trusts.rough })), 1.5 * spanUs)
  })

  it("is waited for until what it sent too much has flowed in, if it is refused", () => {
    for (const [probedUs, waitedUs] of [
      [10 * second, 5 * second],
      [30 * second, 15 * second],
      [200 * second, 0.75 * 0.5 * minute],
    ] as const) {
      const gate = probing(0.5, { sinceUs: rested().nowUs - probedUs })
      gate.refused()
      isAbout(opensUs(gate), waitedUs)
    }
  })

  it("is waited for longer, where it was a guess: that may be far off", () => {
    const gate = probing(0, { heldNs: null, trust: trusts.guess })
    gate.refused()
    isAbout(opensUs(gate), 1.5 * (scoutDefaults.gain / 1_000) * minute)
  })

  it("shows that the limit is near what has held, if it is refused before it has sent much more", () => {
    const gate = probing(0.5)
    gate.refused()
    gate.served()
    equal(gate.scout.mode, mode.rest)
    equal(gate.scout.everyNs, 1_000_000_000)
    equal(gate.scout.refusedNs, Math.round(1_000_000_000 / 1.03))
    equal(gate.scout.restUs, scoutDefaults.restMostUs)
  })

  it("is followed by a smaller one, if it is refused after it has sent much more", () => {
    const gate = probing(0.5)
    const { everyNs } = gate.scout
    for (let i = 0; i < 40; i++) gate.served()
    gate.refused()
    gate.served()
    equal(gate.scout.mode, mode.verify)
    ok(gate.scout.everyNs > everyNs && gate.scout.everyNs < 1_000_000_000)
    equal(gate.scout.refusedNs, everyNs)
  })
})
