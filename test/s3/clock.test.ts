// The server's clock, as far as answers tell it; and what a rate does about what they leave open.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { ServerClock } from "../../src/store/server-clock.ts"
import { layoutVersion } from "../../src/stores/s3/record.ts"
import { type Applied, Replica } from "../../src/stores/s3/replica.ts"
import { Dice } from "../../src/testing/dice.ts"

const second = 1_000

it("it is between what all answers have said, and no wider than a few round trips soon", () => {
  const dice = new Dice(3)
  const clock = new ServerClock(second)
  const aheadMs = 1_794_960_000_123.4
  let nowMs = 50
  equal(clock.at(nowMs), null)
  for (let i = 0; i < 200; i++) {
    nowMs += dice.random() * 150
    const [sentAtMs, toldAtMs, receivedAtMs] = [nowMs, nowMs + dice.random() * 5, nowMs + 5 + dice.random() * 5]
    clock.hear({ sentAtMs, receivedAtMs, atMs: Math.floor((toldAtMs + aheadMs) / second) * second })
    const bounds = clock.at(receivedAtMs)
    const trueMs = receivedAtMs + aheadMs
    ok(bounds && bounds.fromMs <= trueMs && trueMs <= bounds.toMs, `answer ${i}: expected ${trueMs} within ${JSON.stringify(bounds)}`)
    if (i > 60) ok(bounds.toMs - bounds.fromMs < 60, `answer ${i}: expected less than 60 ms, got ${bounds.toMs - bounds.fromMs}`)
    nowMs = receivedAtMs
  }
})

it("a clock that was set is followed, and one that nobody hears of widens", () => {
  const clock = new ServerClock(second)
  clock.hear({ sentAtMs: 0, receivedAtMs: 10, atMs: 100_000 })
  clock.hear({ sentAtMs: 10, receivedAtMs: 20, atMs: 50_000 })
  deepEqual(clock.at(20), { fromMs: 50_000, toMs: 51_010 })
  const later = clock.at(20 + 1_000_000)
  ok(later && later.toMs - later.fromMs >= 1_010 + 400, "expected 200 ppm each way")
})

/** A window of 10 s that lets one pass, and a log whose records are stamped with the error. */
function place(errorMs: number, provider = "sliding", slackUs = 0) {
  const replica = new Replica()
  const policy = {
    rates: [{ limit: 1, perUs: 10_000_000, provider, slackUs, guardUs: 0, phaseUs: 0, burst: null }],
    concurrency: null,
  }
  const startMs = 1_794_960_000_000
  let number = 0
  const apply = (ms: number, op: string, request: unknown) => {
    let answer: unknown = null
    const head = { layout: layoutVersion, number: ++number, writer: "w", attempt: number, atMs: startMs + ms, errorMs }
    const tell = (_id: string, applied: Applied) => {
      ok(applied.kind === "answer", `${op}: ${String((applied as { error?: unknown }).error)}`)
      answer = applied.answer
    }
    replica.apply({ head, bytes: 0, requests: [{ id: "r", op, waitedMs: 0, request }] }, tell)
    return answer
  }
  apply(0, "hello", { workerId: "w", types: [], limits: [{ name: "api", policy }] })
  const task = (id: string) => ({
    ...{
      id,
      type: "t",
      input: "{}",
      priority: 0,
      tags: [],
      jobId: null,
      flow: "t",
      gates: [{ limit: "api", key: "", cost: 1 }],
      schedule: null,
    },
    ...{ expiry: null, maxRetries: 3, maxReschedules: null, maxThrottles: null, timeoutMs: 1_000, idempotencyKey: null, inputDigest: null },
  })
  return { apply, task }
}

/** Claims at these times. */
function claims(errorMs: number, atMs: readonly number[], provider?: string, slackUs?: number): readonly number[] {
  const { apply, task } = place(errorMs, provider, slackUs)
  apply(0, "submit", { tasks: [task("a"), task("b")] })
  const claim = (claimNumber: number) => ({ number: claimNumber, types: [{ type: "t", room: 1 }], max: 1 })
  const settle = { id: "a", fence: 1, outcome: { kind: "completed", output: null }, spent: [], sentAgoMs: 5, respondedAgoMs: 1, rttMs: 4 }
  return atMs.map((ms, i) => {
    const request = { workerId: "w", leaseMs: 1_000, heartbeats: [], settles: i === 1 ? [settle] : [], claim: claim(i + 1) }
    return (apply(ms, "exchange", request) as { claimed: unknown[] }).claimed.length
  })
}

it("what is charged becomes free later by the clock's error, also once it is settled", () => {
  deepEqual(claims(0, [0, 100, 9_999, 10_000]), [1, 0, 0, 1])
  deepEqual(claims(300, [0, 100, 10_000, 10_299, 10_300]), [1, 0, 0, 0, 1])
})

it("what is settled may have been answered later by the clock's error than its record says", () => {
  // Answered a millisecond before the settle; two of its way were the way back.
  deepEqual(claims(0, [0, 100, 10_096, 10_097], "unknown", 500_000), [1, 0, 0, 1])
  deepEqual(claims(300, [0, 100, 10_396, 10_397], "unknown", 500_000), [1, 0, 0, 1])
})

it("the same holds for calls outside the queue, those that stood in line among them", () => {
  const granted = (errorMs: number, atMs: readonly number[], waitMs: number, spent: number | null = null) => {
    const { apply } = place(errorMs)
    const nothing = { renew: [], adopt: [], shares: [], sinceMs: 0, leaseMs: 60_000 }
    const ended = { spent, sentAgoMs: 5, respondedAgoMs: 1, rttMs: 4, heard: [] }
    let number = 0
    let held: string[] = []
    return atMs.map((ms) => {
      const release = held.map((id) => ({ id, ...ended }))
      const acquire = [
        { id: waitMs > 0 ? `in line ${Math.min(number, 1)}` : `call ${number}`, limit: "api", key: "", cost: 1, isFurther: false, waitMs },
      ]
      const hold = { ownerId: "o", number: ++number, ...nothing, release, acquire }
      const { acquired } = apply(ms, "hold", hold) as { acquired: { kind: string }[] }
      const isGranted = acquired[0]?.kind === "granted"
      held = isGranted ? acquire.map(({ id }) => id) : []
      return isGranted ? 1 : 0
    })
  }
  for (const waitMs of [0, 60_000]) {
    deepEqual(granted(0, [0, 100, 9_999, 10_000], waitMs), [1, 0, 0, 1])
    deepEqual(granted(300, [0, 100, 10_000, 10_299, 10_300], waitMs), [1, 0, 0, 0, 1])
  }
  // What it has not spent is found where it was charged.
  deepEqual(granted(300, [0, 100], 0, 0), [1, 1])
})

it("the same holds for further requests of a run", () => {
  const waits = (errorMs: number) => {
    const { apply, task } = place(errorMs)
    apply(0, "submit", { tasks: [task("a")] })
    const claim = { number: 1, types: [{ type: "t", room: 1 }], max: 1 }
    apply(0, "exchange", { workerId: "w", leaseMs: 60_000, heartbeats: [], settles: [], claim })
    const permit = () => (apply(0, "permit", { id: "a", fence: 1, limit: "api", cost: 1, withinMs: 60_000 }) as { waitMs: number }).waitMs
    return [permit(), permit()]
  }
  deepEqual(waits(0), [10_000, 20_000])
  deepEqual(waits(300), [10_300, 20_600])
})
