// A declared rate that is refused what it called safe: spaced from then on, a little more with each refusal, a little less after long.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import {
  admit,
  emptyGate,
  type GatePolicy,
  type GateState,
  gateOpensAtUs,
  type Heard,
  learn,
  type RatePolicy,
} from "../../../src/limits/index.ts"
import { noMargin } from "../../../src/limits/learning/margin.ts"
import { answer, second, startUs } from "./answers.ts"

const ten: RatePolicy = { limit: 10, perUs: 10 * second, provider: "unknown", burst: 10, phaseUs: 0, guardUs: 0, slackUs: 500_000 }
const policy: GatePolicy = { rates: [ten], concurrency: null }
/** So few that one less is a fifth. */
const few: GatePolicy = { ...policy, rates: [{ ...ten, limit: 5 }] }

/** A gate with much to send, whose requests are answered at once. */
class Busy {
  state: GateState
  nowUs = startUs
  policy: GatePolicy

  constructor(given: GatePolicy = policy) {
    this.policy = given
    this.state = emptyGate(given)
  }

  send(lateUs = 0): number {
    this.nowUs = gateOpensAtUs(this.policy, this.state, this.nowUs, 1) + lateUs
    const admission = admit(this.policy, this.state, this.nowUs, { id: "t", fence: 1, cost: 1, untilUs: this.nowUs })
    ok(admission.kind === "admitted")
    this.state = admission.state
    return this.nowUs
  }

  hear(kind: Heard["kind"], sentAtUs: number, cost = 1): void {
    this.state = learn(this.policy, this.state, this.nowUs, answer(kind, sentAtUs, { cost }))
  }

  call(kind: Heard["kind"], times = 1, lateUs = 0): void {
    for (let n = 0; n < times; n++) this.hear(kind, this.send(lateUs))
  }

  get marginUs(): number | undefined {
    return this.state.learned?.margin?.marginUs
  }

  get everyUs(): number | undefined {
    return this.state.pace?.everyUs
  }
}

/** Margin and distance after each of three episodes. */
function widened(gate: Busy): unknown[] {
  return [10, 15, 150].map((clean) => {
    gate.call("served", clean)
    gate.call("refused")
    return [gate.marginUs, gate.everyUs]
  })
}

describe("margin", () => {
  it("has no pace before the first refusal", () => {
    const gate = new Busy()
    gate.call("served", 10)
    equal(gate.nowUs, startUs, "a whole limit passes at once")
    gate.call("served", 300)
    deepEqual([gate.state.pace, gate.state.learned], [undefined, undefined])
  })

  it("takes the first refusal for a counter that lets one less pass, and widens in small steps with each further episode", () => {
    // W / N is 1 s, W / (N − 1) is 1.11 s.
    deepEqual(widened(new Busy()), [
      [1_111_112, 1_111_112],
      [1_261_112, 1_126_112],
      [1_411_112, 1_141_112],
    ])
  })

  it("takes two refusals for one less of a small limit, where that is much of it", () => {
    // W / N is 2 s, W / (N − 1) is 2.5 s.
    deepEqual(widened(new Busy(few)), [
      [100_000, 2_020_000],
      [2_500_000, 2_500_000],
      [2_800_000, 2_560_000],
    ])
  })

  it("takes a refusal that comes late for somebody else's, and adds a step only", () => {
    const gate = new Busy(few)
    gate.call("refused")
    gate.call("served", 215)
    ok((gate.marginUs ?? 0) < 100_000, "it has shrunk once by then")
    gate.call("refused")
    equal(gate.marginUs, 90_000 + 300_000)
  })

  it("spaces admissions evenly, and the pace is kept when nothing is left of the margin", () => {
    const gate = new Busy()
    gate.call("refused")
    gate.call("served", 20_000)
    equal(gate.marginUs, 0)
    equal(gate.everyUs, second)
    const before = gate.state.learned
    gate.call("served", 300)
    equal(gate.state.learned, before, "there is nothing left to write")
    const sent = Array.from({ length: 6 }, () => gate.send())
    // Who comes a little late does not delay those behind.
    ok((sent.at(-1) ?? 0) - (sent[0] ?? 0) >= 5 * second - 50_000)
  })

  it("reacts once to all that was under way", () => {
    const gate = new Busy()
    const sent = Array.from({ length: 10 }, () => gate.send())
    gate.nowUs += 100_000
    for (const sentAtUs of sent) gate.hear("refused", sentAtUs)
    deepEqual(gate.state.learned?.margin, { ...noMargin, marginUs: 1_111_112, patience: 200 })
    equal(gate.state.learned?.version, 1)
  })

  it("shrinks by a tenth, and takes twice as long for the next try where that was too little", () => {
    const gate = new Busy()
    gate.call("refused")
    gate.call("served", 212)
    equal(gate.marginUs, 1_000_000)
    gate.call("refused")
    deepEqual(gate.state.learned?.margin, { marginUs: 1_150_000, clean: 0, patience: 400, shrunk: 0 })
    const seen: unknown[] = []
    for (let n = 0; n < 5; n++) {
      while (gate.state.learned?.margin?.shrunk === 0) gate.call("served")
      gate.call("refused")
      seen.push(gate.state.learned?.margin?.patience)
    }
    deepEqual(seen, [800, 1_600, 3_200, 3_200, 3_200])
  })

  it("comes back quicker once it has shrunk twice", () => {
    const gate = new Busy()
    gate.call("refused", 2)
    const seen: number[] = []
    for (let n = 0; n < 1_020; n++) {
      gate.call("served")
      if (seen.at(-1) !== gate.marginUs) seen.push(gate.marginUs ?? 0)
    }
    deepEqual(seen, [1_261_112, 1_135_000, 1_021_500, 766_125, 574_593, 430_944])
  })

  it("learns nothing of a smaller margin while there is little to send", () => {
    const gate = new Busy()
    gate.call("refused")
    gate.call("served", 1_000, 5 * second)
    equal(gate.marginUs, 1_111_112)
  })

  it("counts answers by their cost", () => {
    const tokens: GatePolicy = { ...policy, rates: [{ ...ten, limit: 1_000, perUs: 60 * second }] }
    const gate = new Busy(tokens)
    gate.call("refused")
    gate.call("served", 20)
    equal(gate.marginUs, 60_061)
    for (let n = 0; n < 5; n++) gate.hear("served", gate.send(), 1_000)
    equal(gate.marginUs, 54_054)
  })

  it("is never wider than three distances or a quarter of the window", () => {
    const gate = new Busy()
    gate.call("refused", 100)
    equal(gate.marginUs, 3 * second)
    const wide = new Busy({ ...policy, rates: [{ ...ten, limit: 100, perUs: 60 * second }] })
    wide.call("refused", 300)
    equal(wide.marginUs, 15 * second)
    const one = new Busy({ ...policy, rates: [{ ...ten, limit: 1 }] })
    one.call("refused", 30)
    equal(one.everyUs, 20 * second)
  })

  it("is for the slowest of several rates", () => {
    const gate = new Busy({ ...policy, rates: [{ ...ten, limit: 50, perUs: second }, ten, { ...ten, limit: 1, provider: "fixed" }] })
    gate.call("refused")
    equal(gate.everyUs, 1_111_112)
  })

  it("leaves aligned windows, and what is neither served nor refused, alone", () => {
    const fixed = new Busy({ ...policy, rates: [{ ...ten, provider: "fixed" }] })
    fixed.call("refused", 3)
    deepEqual([fixed.state.pace, fixed.state.learned], [undefined, undefined])
    equal(fixed.state.cooldown.count, 3)
    const gate = new Busy()
    gate.call("told", 5)
    deepEqual([gate.state.pace, gate.state.learned], [undefined, undefined])
  })

  it("follows a limit that was changed since", () => {
    const gate = new Busy()
    gate.call("refused", 100)
    gate.call("served", 12)
    gate.policy = { ...policy, rates: [{ ...ten, limit: 50, perUs: second }] }
    gate.call("served")
    equal(gate.marginUs, 250_000)
    equal(gate.everyUs, 25_000)
  })
})
