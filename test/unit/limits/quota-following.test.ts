// What the other side says of its quota: a gate that scouts takes its pace from it, any gate closes when it is empty.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import {
  emptyGate,
  type GatePolicy,
  type GateState,
  type Heard,
  type HeardQuota,
  learn,
  type RatePolicy,
} from "../../../src/limits/index.ts"
import { mostResetUs, mostRetryAfterUs, quotaEveryNs } from "../../../src/limits/learning/quota.ts"
import { mode } from "../../../src/limits/learning/scout-state.ts"
import { answer, second, startUs } from "./answers.ts"
import { rttUs, Scouted, scouting } from "./scouted.ts"

const hour = 3_600 * second
const declaredRate: RatePolicy = { limit: 100, perUs: 60 * second, provider: "sliding", burst: 100, phaseUs: 0, guardUs: 0, slackUs: 0 }
const declared: GatePolicy = { rates: [declaredRate], concurrency: null }

function quota(limit: number, remaining: number, resetUs: number, windowUs: number | null = null): HeardQuota {
  return { limit, remaining, resetUs, windowUs }
}

function hear(policy: GatePolicy, given: Partial<Heard>, state: GateState = emptyGate(policy), atUs = startUs + rttUs): GateState {
  return learn(policy, state, atUs, answer("served", atUs - rttUs, { respondedAtUs: atUs, ...given }))
}

const closedUs = (state: GateState, atUs = startUs + rttUs) => Math.max(0, state.closedUntilUs - atUs)

/** A window of so many, told with each answer; the reset in whole seconds, rounded up. */
function tellWindow(gate: Scouted, limit: number, perUs: number, forUs: number): void {
  const endUs = gate.nowUs + forUs
  let [window, used] = [-1, 0]
  while (gate.nowUs < endUs) {
    const sentAtUs = gate.send()
    const countedUs = sentAtUs + rttUs / 2 - startUs
    if (Math.floor(countedUs / perUs) !== window) [window, used] = [Math.floor(countedUs / perUs), 0]
    used++
    ok(used <= limit, "nothing is refused")
    const resetUs = Math.ceil(((window + 1) * perUs - countedUs) / second) * second
    gate.hear("served", sentAtUs, { quota: quota(limit, limit - used, resetUs) })
  }
}

describe("a gate that scouts and is told a quota", () => {
  const isSpread = (gate: Scouted, times: number) => {
    const { remaining = 0, resetAtUs = 0, atUs = 0 } = gate.state.learned?.quota ?? {}
    const spreadUs = (times * (resetAtUs - atUs)) / remaining
    return Math.abs((gate.state.pace?.everyUs ?? 0) - spreadUs) < 0.02 * spreadUs
  }

  it("spreads what is left of a window over the time that is left", () => {
    const gate = new Scouted()
    tellWindow(gate, 120, 60 * second, 80 * second)
    ok(isSpread(gate, 1))
    equal(gate.scout.mode, mode.rest)
  })

  it("uses half of the first window that it hears of: it may count in the next one as well", () => {
    const gate = new Scouted()
    tellWindow(gate, 120, 60 * second, 20 * second)
    ok(isSpread(gate, 2))
  })

  it("uses a window up to its end, and the next likewise, without a refusal", () => {
    const gate = new Scouted()
    tellWindow(gate, 60, 60 * second, 600 * second)
    equal(gate.state.learned?.quota?.moves, 0)
    ok(Math.abs(gate.perSecond - 1) < 0.1)
  })

  it("takes the earliest of the resets told, which are rounded up", () => {
    let state = hear(scouting(), { quota: quota(10, 9, 10 * second) })
    state = hear(scouting(), { quota: quota(10, 8, 9 * second) }, state, startUs + 1.2 * second)
    equal(state.learned?.quota?.resetAtUs, startUs + rttUs + 10 * second)
    state = hear(scouting(), { quota: quota(10, 7, 8 * second) }, state, startUs + 1.9 * second)
    equal(state.learned?.quota?.resetAtUs, startUs + 9.9 * second)
  })

  it("keeps back what is under way", () => {
    const gate = new Scouted()
    for (let i = 0; i < 100; i++) gate.served()
    const sentAtUs = gate.send()
    for (let i = 0; i < 3; i++) gate.send()
    gate.hear("served", sentAtUs, { quota: quota(100, 3, 30 * second) })
    ok(gate.state.closedUntilUs >= sentAtUs + 30 * second)
  })

  it("sees a bucket by the reset that moves, and keeps its pace", () => {
    const gate = new Scouted()
    let [tokens, atUs] = [10, startUs]
    for (let i = 0; i < 400; i++) {
      const sentAtUs = gate.send()
      const countedUs = sentAtUs + rttUs / 2
      tokens = Math.min(10, tokens + ((countedUs - atUs) * 5) / second) - 1
      atUs = countedUs
      ok(tokens >= 0, "nothing is refused")
      gate.hear("served", sentAtUs, { quota: quota(10, Math.floor(tokens), Math.ceil(((10 - tokens) * second) / 5)) })
    }
    ok((gate.state.learned?.quota?.moves ?? 0) > 500)
    ok(gate.perSecond > 4.5 && gate.perSecond < 5.3, `${gate.perSecond} a second`)
  })

  it("sees two windows that fade into each other: the next one is not full", () => {
    let state = hear(scouting(), { quota: quota(600, 400, 60 * second) })
    for (let at = 1; at < 60; at++)
      state = hear(scouting(), { quota: quota(600, 400 - at, (60 - at) * second) }, state, startUs + at * second)
    equal(state.learned?.quota?.moves, 0)
    state = hear(scouting(), { quota: quota(600, 341, 59 * second) }, state, startUs + 62 * second)
    ok((state.learned?.quota?.moves ?? 0) > 500)
  })

  it("sees that a window which was hardly used has begun anew, and takes it for no bucket", () => {
    const policy = scouting()
    const tell = (state: GateState, atUs: number, remaining: number, resetUs: number) =>
      hear(policy, { quota: quota(50, remaining, resetUs) }, state, startUs + atUs)
    let state = tell(emptyGate(policy), rttUs, 42, 2 * second)
    state = tell(state, 2.2 * second, 49, 9.8 * second)
    equal(state.learned?.quota?.moves, 0)
    // A bucket that is nearly full takes as long for each unit as before.
    let bucket = tell(emptyGate(policy), rttUs, 49, 0.2 * second)
    bucket = tell(bucket, second, 49, 0.2 * second)
    ok((bucket.learned?.quota?.moves ?? 0) > 0)
  })

  it("learns nothing of the next window from an answer that comes after the end of its own", () => {
    const policy = scouting()
    const tell = (state: GateState, atUs: number, remaining: number, resetUs: number) =>
      hear(policy, { quota: quota(50, remaining, resetUs) }, state, startUs + atUs)
    let state = tell(emptyGate(policy), rttUs, 10, 0.05 * second)
    state = tell(state, rttUs + 0.1 * second, 9, 0.01 * second)
    equal(state.learned?.quota?.moves, 0)
    // In whole seconds it is rounded up.
    state = tell(state, rttUs + 0.2 * second, 8, second)
    equal(state.learned?.quota?.moves, 0)
  })

  it("leaves room in a window that slides and is not much longer than an answer takes", () => {
    const everyNs = (windowUs: number) => {
      let state = emptyGate(scouting())
      for (let i = 1; i < 60; i++)
        state = hear(scouting(), { quota: quota(30, 0, windowUs - 1_000, windowUs) }, state, startUs + i * 2 * windowUs)
      ok((state.learned?.quota?.moves ?? 0) > 500)
      return (state.learned?.quota?.everyNs ?? 0) / windowUs
    }
    const shareOf = rttUs / second
    ok(Math.abs((everyNs(second) / everyNs(600 * second)) * (1 - shareOf) - 1) < 0.01)
  })

  it("is closed by an empty bucket until one unit has flowed in", () => {
    let state = emptyGate(scouting())
    for (let i = 0; i < 20; i++)
      state = hear(scouting(), { quota: quota(10, Math.max(0, 9 - i), 2 * second, 2 * second) }, state, startUs + (i + 1) * second * 3)
    ok((state.learned?.quota?.moves ?? 0) > 500)
    const us = closedUs(state, startUs + 60 * second)
    ok(us > 0 && us <= 200_000, `${us} µs`)
  })

  it("leaves to others what they took of the last windows", () => {
    let state = emptyGate(scouting())
    const tell = (window: number, at: number, remaining: number) => {
      const atUs = startUs + (window * 60 + at) * second
      state = hear(scouting(), { quota: quota(100, remaining, (60 - at) * second, 60 * second) }, state, atUs)
    }
    for (let window = 0; window < 6; window++) for (let at = 1; at < 59; at += 2) tell(window, at, Math.max(1, 99 - Math.floor(at * 1.6)))
    ok((state.learned?.quota?.foreign ?? 0) > 40 * 60 * 1_000, "about one a second less half of one")
    tell(6, 1, 99)
    const spreadNs = (59 * second * 1_000) / 99
    ok((state.learned?.quota?.everyNs ?? 0) > 1.5 * spreadNs)
  })

  it("goes back to its own search if much is left and yet it is refused", () => {
    const gate = new Scouted()
    for (let i = 0; i < 30; i++) gate.served({ quota: quota(5_000, 4_000 - i, 1_800 * second) })
    ok(quotaEveryNs(gate.state, gate.nowUs) !== null)
    gate.refused()
    equal(quotaEveryNs(gate.state, gate.nowUs), null)
    const { everyNs } = gate.scout
    gate.served({ quota: quota(5_000, 3_900, 1_700 * second) })
    ok(gate.scout.everyNs > everyNs)
  })

  it("goes on with its search from there when nothing is told any more", () => {
    const gate = new Scouted()
    tellWindow(gate, 60, 60 * second, 120 * second)
    const { everyNs } = gate.scout
    gate.nowUs += 600 * second
    gate.served()
    equal(gate.scout.everyNs, everyNs)
    gate.until(() => gate.scout.everyNs < everyNs)
  })
})

describe("a gate with a declared rate", () => {
  it("closes when the window is empty, until it ends, and is not paced", () => {
    let state = hear(declared, { quota: quota(100, 60, 31 * second) })
    equal(closedUs(state), 0)
    state = hear(declared, { quota: quota(100, 0, 20 * second) }, state, startUs + 11.2 * second)
    equal(closedUs(state), 31 * second)
    equal(state.pace, undefined)
  })

  it("does not wait for what whole seconds were rounded up by", () => {
    equal(closedUs(hear(declared, { quota: quota(100, 0, second) })), 0)
    equal(closedUs(hear(declared, { quota: quota(100, 0, 1_234_567) })), 1_234_567)
  })

  it("closes for as long as an answer asks, even one that passed", () => {
    equal(closedUs(hear(declared, { retryAfterUs: 5 * second })), 5 * second)
    equal(closedUs(hear(declared, { kind: "told", retryAfterUs: 5 * second })), 5 * second)
  })

  it("is closed for an hour at most by a Retry-After, and a day and an hour by a quota", () => {
    equal(closedUs(hear(declared, { retryAfterUs: 1e15 })), mostRetryAfterUs)
    equal(mostRetryAfterUs, hour)
    equal(closedUs(hear(declared, { quota: quota(100, 0, 1e15 + 1) })), mostResetUs - second)
    equal(mostResetUs, 25 * hour)
  })

  it("ignores a quota that does not say how much is left, or until when", () => {
    for (const part of [{ limit: null }, { remaining: null }, { resetUs: null }, { limit: 0 }])
      equal(hear(declared, { quota: { ...quota(100, 0, 20 * second), ...part } }).closedUntilUs, 0)
  })

  it("is not misled by the answer to an older request", () => {
    const newer = hear(declared, { quota: quota(100, 50, 20 * second), sentAtUs: startUs + 50 })
    const after = hear(declared, { quota: quota(100, 0, 20 * second), sentAtUs: startUs }, newer)
    equal(after.closedUntilUs, 0)
    equal(after.learned?.quota?.remaining, 50)
  })
})
