// Scout, answer by answer: it starts, doubles, is refused, sends canaries, measures, verifies, probes and rests.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { gateOpensAtUs, type RatePolicy, scoutDefaults } from "../../../src/limits/index.ts"
import { mode } from "../../../src/limits/learning/scout-state.ts"
import { minute, second, startUs } from "./answers.ts"
import { rested, rttUs, Scouted, scouting } from "./scouted.ts"

/** Doubles up to about the rate, then is refused. */
function refusedAt(perSecond: number, gate = new Scouted()): Scouted {
  gate.served()
  gate.until(() => gate.perSecond >= perSecond)
  for (let i = 0; i < 20; i++) gate.served()
  gate.refused()
  return gate
}

const opensUs = (gate: Scouted) => gateOpensAtUs(gate.policy, gate.state, gate.nowUs, 1) - gate.nowUs

describe("scout at the start", () => {
  it("begins with its first distance", () => {
    const gate = new Scouted()
    gate.send()
    const second = gate.send()
    equal(gate.send() - second, scoutDefaults.startUs)
  })

  it("doubles its pace after so many answers and so long, and not before", () => {
    const gate = new Scouted()
    for (let i = 0; i < scoutDefaults.growAfter - 1; i++) gate.served()
    equal(gate.perSecond, 1)
    gate.until(() => gate.perSecond > 1)
    equal(gate.perSecond, 2)
    ok(gate.scout.sinceUs - gate.scout.cycleAtUs >= scoutDefaults.growEveryUs)
    const sinceUs = gate.scout.sinceUs
    gate.until(() => gate.perSecond > 2)
    ok(gate.scout.sinceUs - sinceUs >= scoutDefaults.growEveryUs)
  })

  it("does not grow while there is little to send", () => {
    const gate = new Scouted()
    for (let i = 0; i < 200; i++) {
      gate.nowUs += 3 * second
      gate.served()
    }
    equal(gate.perSecond, 1)
  })

  it("is no faster than a declared rate, and not paced before it is refused", () => {
    const rate: RatePolicy = { limit: 10, perUs: 10 * second, provider: "sliding", burst: 10, phaseUs: 0, guardUs: 0, slackUs: 0 }
    const gate = new Scouted(scouting({}, { rates: [rate] }))
    for (let i = 0; i < 10; i++) gate.served()
    equal(gate.state.pace?.everyUs, 0)
    gate.refused()
    gate.served()
    equal(gate.scout.mode, mode.verify)
    for (let i = 0; i < 2_000; i++) gate.served()
    ok(gate.perSecond <= 1)
    ok((gate.state.pace?.everyUs ?? 0) >= second)
  })

  it("is no faster than a task asks for itself", () => {
    const gate = new Scouted()
    for (let i = 0; i < 400; i++) gate.served({ delayUs: 300_000 })
    equal(gate.state.pace?.everyUs, 300_000)
  })
})

describe("scout that is refused", () => {
  it("sends one canary at a time, the first after a twelfth of the start, each other after two and a half times as long", () => {
    const gate = refusedAt(8)
    let waitUs = (gate.scout.blockedAtUs - gate.scout.cycleAtUs) / 12
    ok(waitUs > 2 * scoutDefaults.canaryUs)
    for (let i = 0; i < 3; i++, waitUs *= 2.5) {
      ok(Math.abs(opensUs(gate) - waitUs) < 10, `${opensUs(gate)} µs, not ${waitUs}`)
      gate.refused()
    }
    gate.send()
    ok(scoutDefaults.canaryLostUs - opensUs(gate) < 1_000, "the next waits for the answer to the first")
  })

  it("does not wait long for the first canary, however long the start was", () => {
    const gate = new Scouted()
    for (let i = 0; i < 200; i++) {
      gate.nowUs += 3 * second
      gate.served()
    }
    gate.refused()
    equal(opensUs(gate), scoutDefaults.canarySlowUs / 8)
  })

  it("waits a third longer each time once it waits for long", () => {
    const gate = refusedAt(8)
    for (let i = 0; i < 6; i++) gate.refused()
    const { waitUs } = gate.scout
    ok(waitUs > scoutDefaults.canarySlowUs)
    gate.refused()
    equal(opensUs(gate), Math.ceil(1.3 * waitUs))
  })

  it("waits for as long as it is asked to, and an hour at most", () => {
    const gate = refusedAt(8)
    gate.refused({ retryAfterUs: 7 * second })
    equal(opensUs(gate), 7 * second)
    gate.refused({ retryAfterUs: 100 * 3_600 * second })
    equal(opensUs(gate), 3_600 * second)
  })

  it("takes the end of an episode from what it was told, where it was", () => {
    const [guessed, told] = [refusedAt(8), new Scouted()]
    guessed.refused()
    told.served()
    told.until(() => told.perSecond >= 8)
    told.refused({ retryAfterUs: 40 * second })
    const endsAtUs = told.nowUs - rttUs + 40 * second
    told.served()
    equal(told.scout.cycleAtUs, endsAtUs)
    const { refusedAtUs } = guessed.scout
    guessed.served()
    ok(guessed.scout.cycleAtUs > refusedAtUs && guessed.scout.cycleAtUs < guessed.scout.sentAtUs, "else it lies between")
  })

  it("looks for the end of a long episode with the measure of what it remembers", () => {
    const gate = new Scouted()
    gate.windows(600, 30 * minute, 200 * minute)
    const { spanUs } = gate.scout
    gate.refused()
    for (let i = 0; i < 12; i++) {
      const blockedUs = gate.scout.refusedAtUs - gate.scout.blockedAtUs
      ok(gate.scout.waitUs <= Math.max(scoutDefaults.canarySlowUs, spanUs / 24, blockedUs / 6) + 1)
      gate.refused()
    }
  })

  it("takes what passed until a long block was over for the limit", () => {
    const gate = refusedAt(8)
    const { passed } = gate.scout
    gate.refused({ retryAfterUs: 30 * minute })
    gate.served()
    const seenPerSecond = passed / ((gate.scout.sentAtUs - startUs) / second)
    ok(Math.abs(gate.perSecond / seenPerSecond - 1) < 0.02, `${gate.perSecond} of ${seenPerSecond}`)
    ok(gate.scout.spanUs > 30 * minute)
  })

  it("reacts once to an episode", () => {
    const gate = new Scouted()
    gate.served()
    gate.until(() => gate.perSecond >= 16)
    const sent = [gate.send(), gate.send()]
    for (const [i, sentAtUs] of sent.entries()) {
      const before = gate.state
      gate.nowUs = sentAtUs + rttUs
      gate.hear("refused", sentAtUs)
      equal(gate.state === before, i > 0)
    }
  })

  it("is not unblocked by an answer to an older request", () => {
    const gate = new Scouted()
    gate.served()
    gate.until(() => gate.perSecond >= 16)
    const older = gate.send()
    gate.refused()
    gate.hear("served", older)
    equal(gate.scout.mode, mode.blocked)
    gate.served()
    equal(gate.scout.mode, mode.verify)
  })

  it("takes what has passed between two episodes for the limit", () => {
    const gate = new Scouted()
    gate.windows(100, 30 * second, 10 * minute)
    ok(Math.abs(gate.perSecond - 100 / 30) < 0.07 * (100 / 30), `${gate.perSecond} a second`)
    ok(gate.scout.spanUs >= 29 * second && gate.scout.spanUs < 90 * second, `${gate.scout.spanUs} µs`)
  })

  it("is never faster after an episode than what was refused", () => {
    const gate = refusedAt(8)
    const { everyNs } = gate.scout
    gate.served()
    ok(gate.scout.everyNs > everyNs)
  })
})

describe("scout that has found a limit", () => {
  it("verifies for longer than the other side remembers before it trusts", () => {
    const gate = new Scouted()
    gate.windows(100, 30 * second, 2 * minute)
    gate.until(() => gate.scout.mode === mode.verify)
    const { sinceUs, spanUs } = gate.scout
    const held = gate.scout.everyNs
    gate.until(() => gate.scout.sinceUs !== sinceUs)
    ok(gate.nowUs - sinceUs >= 1.1 * spanUs)
    equal(gate.scout.heldNs, held)
  })

  it("rests, and then probes a little more", () => {
    const gate = rested()
    const { everyNs, sinceUs, restUs } = gate.scout
    gate.until(() => gate.scout.mode !== mode.rest)
    ok(gate.nowUs - sinceUs >= restUs)
    equal(gate.scout.mode, mode.verify)
    ok(Math.abs(everyNs / gate.scout.everyNs - (1 + scoutDefaults.gainLeast / 1_000)) < 0.001)
  })

  it("goes back to what has held if a probe is refused, and rests for longer", () => {
    const gate = rested()
    const { everyNs } = gate.scout
    gate.until(() => gate.scout.mode === mode.verify)
    const { restUs, everyNs: probedNs } = gate.scout
    gate.until(() => gate.scout.answers > 100)
    gate.refused()
    gate.served()
    equal(gate.scout.mode, mode.rest)
    equal(gate.scout.everyNs, everyNs)
    equal(gate.scout.refusedNs, probedNs)
    equal(gate.scout.restUs, restUs)
    ok(restUs > scoutDefaults.restUs)
  })

  it("probes far more if what was refused before holds now: the limit is another", () => {
    const gate = rested()
    gate.until(() => gate.scout.mode === mode.verify)
    for (let i = 0; gate.scout.refusedNs !== null; i++) {
      ok(i < 3, "what was refused is tried again")
      const { everyNs } = gate.scout
      gate.until(() => gate.scout.everyNs < everyNs)
    }
    equal(gate.scout.gain, 9 * scoutDefaults.gainLeast)
    const probedNs = gate.scout.everyNs
    ok(Math.abs((gate.scout.heldNs ?? 0) / probedNs - (1 + gate.scout.gain / 1_000)) < 0.001)
    ok(gate.scout.restUs > scoutDefaults.restUs, "it may have been luck")
    gate.until(() => gate.scout.everyNs < probedNs)
    equal(gate.scout.gain, scoutDefaults.gainMost)
    equal(gate.scout.restUs, scoutDefaults.restUs)
  })

  it("rests for two spans at least, where the other side remembers for long", () => {
    const gate = new Scouted()
    for (let i = 0; i < 20 && (i === 0 || gate.scout.mode !== mode.rest); i++) gate.windows(600, 30 * minute, 60 * minute)
    const { mode: now, spanUs, sinceUs } = gate.scout
    equal(now, mode.rest)
    ok(spanUs > 20 * minute)
    gate.until(() => gate.scout.mode !== mode.rest)
    ok(gate.nowUs - sinceUs >= 2 * spanUs)
  })

  it("looks between what held and what was refused, and no further than a few parts in a hundred", () => {
    const gate = rested()
    gate.until(() => gate.scout.gain === 270 && gate.scout.mode === mode.verify)
    const { heldNs, everyNs } = gate.scout
    gate.until(() => gate.scout.answers > 30)
    gate.refused()
    gate.served()
    ok(gate.scout.everyNs > everyNs && gate.scout.everyNs < (heldNs ?? 0))
    for (let i = 0; gate.scout.mode !== mode.rest; i++) {
      ok(i < 10)
      for (let n = 0; n < 30; n++) gate.served()
      gate.refused()
      gate.served()
    }
    ok((gate.scout.heldNs ?? 0) / (gate.scout.refusedNs ?? 1) < 1.07)
  })

  it("is a hair slower after a refusal that is short and rare, and rests on", () => {
    const gate = rested()
    gate.until(() => gate.scout.mode === mode.rest && gate.scout.passed > scoutDefaults.tolerated && gate.scout.answers > 1)
    const { everyNs } = gate.scout
    gate.refused()
    gate.served()
    equal(gate.scout.mode, mode.rest)
    ok(gate.scout.everyNs > everyNs && gate.scout.everyNs < 1.004 * everyNs)
  })

  it("gets slower if what has held is refused soon again", () => {
    const gate = rested()
    const { everyNs } = gate.scout
    for (let i = 0; i < 2; i++) {
      for (let n = 0; n < 30; n++) gate.served()
      gate.refused()
      gate.served()
    }
    ok(gate.scout.everyNs > everyNs * 1.01)
  })

  it("follows a limit that has become another within eight windows, whenever that was", () => {
    const found = Array.from({ length: 12 }, (_, i) => {
      const gate = rested()
      gate.windows(60, minute, 1 + i * 37 * second)
      gate.windows(24, minute, 8 * minute)
      return gate.perSecond / 0.4
    })
    ok(found.filter((share) => share > 0.85 && share < 1.1).length >= 10, found.map((share) => share.toFixed(2)).join(" "))
  })

  it("stays as it is while there is nothing to send, and after", () => {
    const gate = rested()
    const { everyNs } = gate.scout
    gate.nowUs += 30 * minute
    for (let i = 0; i < 5; i++) gate.served()
    equal(gate.scout.everyNs, everyNs)
    equal(gate.scout.mode, mode.rest)
    equal(gate.windows(60, minute, 20 * minute) <= 20, true)
  })

  it("takes over a pace that somebody has set", () => {
    const gate = rested()
    const pace = gate.state.pace
    ok(pace)
    gate.state = { ...gate.state, pace: { ...pace, everyUs: 250_000 } }
    gate.served()
    equal(gate.scout.everyNs, 250_000_000)
    equal(gate.scout.heldNs, 250_000_000)
    equal(gate.state.pace?.everyUs, 250_000)
  })
})
