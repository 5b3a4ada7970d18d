// A response moves a charge to when the other side can have counted it at the latest.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { admit, emptyGate, type GatePolicy, gateOpensAtUs, settleGate } from "../../../src/limits/index.ts"
import { minute, second, startUs } from "./answers.ts"

/** When a full gate opens whose one request was answered after so long. */
function opensAfterUs(limit: number, tookUs: number, { rttUs = tookUs, perUs = second } = {}): number {
  const rate = { limit, perUs, provider: "unknown" as const, burst: limit, phaseUs: 0, guardUs: 0, slackUs: 500_000 }
  const policy: GatePolicy = { rates: [rate], concurrency: null }
  const admission = admit(policy, emptyGate(policy), startUs, { id: "t", fence: 1, cost: limit, untilUs: startUs })
  ok(admission.kind === "admitted")
  const respondedAtUs = startUs + tookUs
  const times = { admittedAtUs: startUs, sentAtUs: startUs, respondedAtUs, rttUs }
  const after = settleGate(policy, admission.state, respondedAtUs, { id: "t", fence: 1, reserved: limit, actual: null, ...times })
  return gateOpensAtUs(policy, after, respondedAtUs, 1) - startUs
}

describe("an echo", () => {
  it("takes half of the shortest round trip for the way back", () => {
    equal(opensAfterUs(19, 80_000, { perUs: minute }), minute + 40_000)
    equal(opensAfterUs(1, 80_000, { perUs: minute }), minute + 40_000)
  })

  it("takes more of it where a window shows many", () => {
    equal(opensAfterUs(20, 80_000, { perUs: minute }), minute + 20_000)
  })

  it("takes more of it where the window is so short that jitter is a large part of it", () => {
    equal(opensAfterUs(19, 80_000), second + 20_000)
    equal(opensAfterUs(20, 80_000), second + 4_000)
    equal(opensAfterUs(20, 80_000, { perUs: 2 * second + 1_000 }), 2 * second + 21_000)
  })

  it("never goes beyond the slack", () => {
    equal(opensAfterUs(20, 700_000, { rttUs: 60_000 }), second + 500_000)
    equal(opensAfterUs(1, 700_000, { rttUs: 60_000 }), second + 500_000)
  })
})
