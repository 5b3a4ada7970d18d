// How the other side counts decides when a charge is free again: in windows that are aligned, from a bucket that refills, or in a
// way that nobody knows, where the answer to a request bounds when it can have been counted.

import { deepEqual, equal } from "node:assert/strict"
import { type Bench, theme } from "./kit.ts"
import { completed, retried } from "./outcomes.ts"
import { rate, rates, through } from "./policies.ts"
import { offsets, starts } from "./starts.ts"

const gates = through("vendor")
const unknown = (limit: number) => rates(rate(limit, 10_000, { provider: "unknown", slackUs: 3_000_000 }))

/** A gate of one, at which one task has passed and another waits. */
async function onePassed(bench: Bench) {
  await bench.declare("vendor", unknown(1))
  await bench.submitMany(2, { gates })
  const worker = bench.worker()
  const held = await worker.claimOne()
  const opensAfterMs = async () => ((await worker.look()).nextAtMs ?? 0) - (held.startedAtMs ?? 0)
  return { worker, held, opensAfterMs }
}

export const gatesCountingTests = theme("gates-counting", {
  "fixed windows begin where they are aligned, however late the first charge came": async (bench) => {
    await bench.declare("vendor", rates(rate(3, 10_000, { provider: "fixed" })))
    const startMs = bench.world.wallMs()
    await bench.world.advance(9_000)
    await bench.submitMany(8, { gates })
    deepEqual(offsets(await starts(bench), startMs), [9_000, 9_000, 9_000, 10_000, 10_000, 10_000, 20_000, 20_000])
  },

  "fixed windows may be shifted, and may be kept away from at both ends": async (bench) => {
    const shifted = rate(2, 10_000, { provider: "fixed", phaseUs: 4_000_000, guardUs: 500_000 })
    await bench.declare("vendor", rates(shifted))
    const startMs = bench.world.wallMs()
    await bench.submitMany(3, { gates })
    deepEqual(offsets(await starts(bench), startMs), [0, 0, 4_500])
    await bench.world.advance(startMs + 13_501 - bench.world.wallMs())
    await bench.submitMany(3, { gates })
    deepEqual(offsets(await starts(bench), startMs), [14_500, 14_500, 24_500])
  },

  "a bucket gives its burst at once and then one after the other, and fills up again": async (bench) => {
    await bench.declare("vendor", rates(rate(10, 10_000, { provider: "bucket", burst: 3 })))
    const startMs = bench.world.wallMs()
    await bench.submitMany(6, { gates })
    deepEqual(offsets(await starts(bench), startMs), [0, 0, 0, 1_000, 2_000, 3_000])
    await bench.world.advance(60_000)
    const laterMs = bench.world.wallMs()
    await bench.submitMany(4, { gates })
    deepEqual(offsets(await starts(bench), laterMs), [0, 0, 0, 1_000])
  },

  "a request that nothing was heard of is free after its window and the slack": async (bench) => {
    const { worker, held, opensAfterMs } = await onePassed(bench)
    equal(await opensAfterMs(), 13_000)
    await bench.world.advance(2_000)
    await worker.settle(held, completed())
    equal(await opensAfterMs(), 13_000)
  },

  "an answer frees it earlier: a window after the answer came": async (bench) => {
    const { worker, held, opensAfterMs } = await onePassed(bench)
    await bench.world.advance(2_000)
    await worker.settle(held, completed(), { respondedAgoMs: 500 })
    equal(await opensAfterMs(), 11_500)
    await bench.world.advance(9_499)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    equal((await worker.claim()).length, 1)
  },

  "half of the shortest way there and back is the way that the answer came": async (bench) => {
    const { worker, held, opensAfterMs } = await onePassed(bench)
    await bench.world.advance(2_000)
    await worker.settle(held, completed(), { respondedAgoMs: 500, rttMs: 400 })
    equal(await opensAfterMs(), 11_300)
  },

  "no answer frees it before its window, nor later than the slack": async (bench) => {
    const early = await onePassed(bench)
    await bench.world.advance(1_000)
    await early.worker.settle(early.held, completed(), { respondedAgoMs: 60_000, rttMs: 1_000 })
    equal(await early.opensAfterMs(), 10_000)
    await bench.world.advance(9_000)
    const late = await early.worker.claimOne()
    await bench.submit({ gates })
    await bench.world.advance(8_000)
    await early.worker.settle(late, completed(), { respondedAgoMs: 0 })
    equal(((await early.worker.look()).nextAtMs ?? 0) - (late.startedAtMs ?? 0), 13_000)
  },

  "an answer is counted for the run that got it, not for one before": async (bench) => {
    const { worker, held } = await onePassed(bench)
    await worker.settle(held, retried(60_000))
    await bench.world.advance(13_000)
    await worker.settle(await worker.claimOne(), completed(), { respondedAgoMs: 0 })
    await bench.world.advance(47_000)
    const again = await worker.claimOne()
    equal(again.id, held.id)
    await bench.submit({ gates })
    await bench.world.advance(1_000)
    await worker.settle(again, completed(), { respondedAgoMs: 0 })
    equal(((await worker.look()).nextAtMs ?? 0) - (again.startedAtMs ?? 0), 11_000)
  },

  "the other side may count two rates in two ways": async (bench) => {
    await bench.declare("vendor", rates(rate(2, 10_000, { provider: "fixed" }), rate(1, 6_000)))
    const startMs = bench.world.wallMs()
    await bench.world.advance(3_000)
    await bench.submitMany(4, { gates })
    deepEqual(offsets(await starts(bench), startMs), [3_000, 9_000, 15_000, 21_000])
  },
})
