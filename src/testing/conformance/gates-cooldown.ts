// Cooldown: the other side said "too fast", so the gate closes for as long as it asked, else ever longer. All requests that were under
// way say the same thing, and are heard once.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, retried, said, throttled } from "./outcomes.ts"
import { rolling, slots, through } from "./policies.ts"

const gates = through("vendor")
const tooFast = (fields: Parameters<typeof throttled>[2] = {}) => throttled(1_000_000, 429, fields)
const after = (seconds: number) => tooFast({ retryAfterMs: seconds * 1_000 })

/** How long the gate stays closed from now on. */
async function closedForMs(bench: Bench, limit = "vendor", key = ""): Promise<number> {
  const { cooldown, opensAtMs } = await bench.gate(limit, key)
  const nowMs = await bench.nowMs()
  if (cooldown) equal(opensAtMs, cooldown.untilMs)
  return (cooldown?.untilMs ?? nowMs) - nowMs
}

export const gatesCooldownTests = theme("gates-cooldown", {
  "the gate closes for as long as the other side asked": async (bench) => {
    await bench.declare("vendor", slots(5))
    const tasks = await bench.submitMany(3, { gates })
    const worker = bench.worker()
    const [held] = await worker.claim({ max: 1 })
    ok(held)
    deepEqual(await worker.settle(held, after(7)), { kind: "ok", status: "pending" })
    deepEqual((await bench.gate("vendor")).cooldown, { untilMs: bench.world.wallMs() + 7_000, count: 1 })
    const { claimed, nextAtMs, blockedBy } = await worker.look()
    deepEqual([claimed, nextAtMs, blockedBy], [[], bench.world.wallMs() + 7_000, "vendor"])
    await bench.world.advance(6_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    sameTasks(await worker.claim(), tasks)
    deepEqual((await bench.gate("vendor")).cooldown, null)
  },

  "the caller's chance adds up to a tenth": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submit({ gates })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), tooFast({ retryAfterMs: 10_000, random: 0.5 }))
    equal(await closedForMs(bench), 10_500)
  },

  "whoever was not told for how long waits 2, 4, 8, 16 and then 30 seconds": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submit({ gates })
    const worker = bench.worker()
    const waits: number[] = []
    for (let i = 0; i < 7; i++) {
      await worker.settle(await worker.claimOne(), tooFast())
      const waitMs = await closedForMs(bench)
      waits.push(waitMs / 1_000)
      await bench.world.advance(waitMs - 1)
      deepEqual(await worker.claim(), [])
      await bench.world.advance(1)
    }
    deepEqual(waits, [2, 4, 8, 16, 30, 30, 30])
  },

  "requests that were under way together are heard once": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(5, { gates })
    const worker = bench.worker()
    const [first, ...others] = await worker.claim()
    ok(first)
    await bench.world.advance(100)
    await worker.settle(first, tooFast())
    for (const one of others) {
      await bench.world.advance(10)
      await worker.settle(one, after(60))
    }
    deepEqual((await bench.gate("vendor")).cooldown?.count, 1)
    equal(await closedForMs(bench), 2_000 - 40)
  },

  "a request that was sent after the reaction is heard, whenever its run began": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(2, { gates })
    const worker = bench.worker()
    const [first, second] = await worker.claim()
    ok(first && second)
    await bench.world.advance(1_000)
    await worker.settle(first, tooFast())
    await bench.world.advance(1_000)
    await worker.settle(second, tooFast(), { sentAgoMs: 500 })
    deepEqual((await bench.gate("vendor")).cooldown?.count, 2)
    equal(await closedForMs(bench), 4_000)
  },

  "no request was sent before its run began, whatever is said of it": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submit({ gates })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), tooFast())
    await bench.world.advance(2_000)
    await worker.settle(await worker.claimOne(), tooFast(), { sentAgoMs: 60_000 })
    equal(await closedForMs(bench), 4_000)
  },

  "a later refusal never opens the gate earlier": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(2, { gates })
    const worker = bench.worker()
    const [first, second] = await worker.claim()
    ok(first && second)
    await worker.settle(first, after(60))
    await bench.world.advance(1_000)
    await worker.settle(second, after(1), { sentAgoMs: 0 })
    equal(await closedForMs(bench), 59_000)
  },

  "the throttled task keeps its place, and everybody who waits moves with it": async (bench) => {
    await bench.declare("vendor", slots(1))
    const tasks = await bench.submitMany(3, { gates })
    const worker = bench.worker()
    const held = await worker.claimOne()
    const before = await worker.look()
    await bench.world.advance(500)
    const { nextAtMs } = await worker.exchange({ settles: [said(held, after(90))], claim: worker.nextClaim() })
    ok((before.nextAtMs ?? 0) < (nextAtMs ?? 0))
    equal(nextAtMs, bench.world.wallMs() + 90_000)
    await bench.world.advance(90_000)
    const again = await worker.claimOne()
    sameTasks([again], tasks.slice(0, 1))
    deepEqual([again.throttleCount, again.retryCount], [1, 0])
  },

  "a refusal closes the gates of the limit that it names, or all that the task has passed": async (bench) => {
    const both = [...through("a", "k"), ...through("b")]
    const worker = bench.worker()
    for (const [limit, closed] of [
      ["a", [5_000, 0]],
      ["b", [0, 5_000]],
      [null, [5_000, 5_000]],
    ] as const) {
      for (const name of ["a", "b"]) await bench.declare(name, slots(5))
      const task = await bench.submit({ gates: both })
      await worker.settle(await worker.claimOne(), tooFast({ limit, retryAfterMs: 5_000 }))
      deepEqual([await closedForMs(bench, "a", "k"), await closedForMs(bench, "b")], closed)
      deepEqual([(await bench.gate("a", "other")).cooldown, (await bench.get(task)).availableAtMs], [null, bench.world.wallMs()])
      await bench.move("cancel", task)
      await bench.world.advance(60_000)
    }
  },

  "a task that has passed no such gate waits alone, for its own delay": async (bench) => {
    await bench.declare("vendor", slots(5))
    const worker = bench.worker()
    const [alone, other] = await bench.submitMany(2, { gates })
    ok(alone && other)
    const [held] = await worker.claim({ max: 1 })
    ok(held)
    await worker.settle(held, throttled(30_000, 429, { limit: "elsewhere", retryAfterMs: 5_000 }))
    equal(await closedForMs(bench), 0)
    sameTasks(await worker.claim(), [other])
    await bench.world.advance(29_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    sameTasks(await worker.claim(), [alone])
  },

  "a success that was sent after the refusal ends the episode, and one before does not": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submitMany(3, { gates })
    const worker = bench.worker()
    const [first, second] = await worker.claim({ max: 2 })
    ok(first && second)
    await bench.world.advance(100)
    await worker.settle(first, tooFast())
    await worker.settle(second, completed())
    await bench.world.advance(2_000)
    const [again, last] = await worker.claim()
    ok(again && last)
    await worker.settle(again, tooFast())
    equal(await closedForMs(bench), 4_000)
    await bench.world.advance(4_000)
    await worker.settle(await worker.claimOne(), completed())
    await worker.settle(last, tooFast(), { sentAgoMs: 0 })
    equal(await closedForMs(bench), 2_000)
  },

  "an error of another kind neither closes the gate nor ends the episode": async (bench) => {
    await bench.declare("vendor", slots(5))
    await bench.submit({ gates })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), tooFast())
    await bench.world.advance(2_000)
    await worker.settle(await worker.claimOne(), retried())
    equal(await closedForMs(bench), 0)
    await bench.world.advance(1)
    await worker.settle(await worker.claimOne(), tooFast())
    equal(await closedForMs(bench), 4_000)
  },

  "a gate stays closed for whoever connects later": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    await first.declare("vendor", rolling(9, 1_000))
    await first.submit({ gates })
    const worker = first.worker()
    await worker.settle(await worker.claimOne(), after(60))
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    await bench.world.advance(1_000)
    const { claimed, nextAtMs } = await second.worker("other").look()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 59_000])
  },
})
