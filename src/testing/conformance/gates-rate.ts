// Rates: what passes a gate in a window is bounded, whoever claims, and a claim says when the next may pass and which gate decides that.

import { deepEqual, equal, ok } from "node:assert/strict"
import { ids, sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { rate, rates, rolling, through } from "./policies.ts"
import { neverAbove, offsets, type Start, starts } from "./starts.ts"

export const gatesRateTests = theme("gates-rate", {
  "a rolling rate admits its limit, says when the next may pass, and then admits as many again": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    const tasks = await bench.submitMany(7, { gates: through("vendor", "eu") })
    const worker = bench.worker()
    const startMs = bench.world.wallMs()
    const first = await worker.look()
    sameTasks(first.claimed, tasks.slice(0, 3))
    deepEqual([first.more, first.nextAtMs, first.blockedBy], [false, startMs + 10_000, "vendor/eu"])
    await bench.world.advance(9_999)
    const tooEarly = await worker.look()
    deepEqual([tooEarly.claimed, tooEarly.nextAtMs, tooEarly.blockedBy], [[], startMs + 10_000, "vendor/eu"])
    await bench.world.advance(1)
    const second = await worker.look()
    sameTasks(second.claimed, tasks.slice(3, 6))
    equal(second.nextAtMs, startMs + 20_000)
  },

  "the window rolls: each charge is free again a window after it was made": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    const worker = bench.worker()
    const startMs = bench.world.wallMs()
    for (const waitMs of [0, 4_000, 5_000]) {
      await bench.world.advance(waitMs)
      await bench.submit({ gates: through("vendor") })
      equal((await worker.claim()).length, 1)
    }
    await bench.submitMany(4, { gates: through("vendor") })
    deepEqual(offsets(await starts(bench), startMs), [10_000, 14_000, 19_000, 20_000])
  },

  "no stretch of the window's length has more than the limit, whoever claims": async (bench) => {
    await bench.declare("vendor", rolling(4, 1_000))
    const desks = [bench, await bench.connect(), await bench.connect()]
    const found: Start[] = []
    for (let round = 0; round < 60; round++) {
      const desk = desks[round % 3] ?? bench
      await desk.submitMany(round % 4, { gates: through("vendor") })
      const { claimed, nowMs } = await desk.worker(`w${round}`).look({ max: 1 + (round % 3) })
      found.push(...claimed.map((task) => ({ task, atMs: nowMs })))
      await bench.world.advance((round * 37) % 311)
    }
    neverAbove([...found, ...(await starts(bench))], 4, 1_000)
  },

  "several rates on one limit all hold": async (bench) => {
    await bench.declare("vendor", rates(rate(2, 1_000), rate(5, 10_000)))
    await bench.submitMany(12, { gates: through("vendor") })
    const startMs = bench.world.wallMs()
    const seconds = [0, 0, 1, 1, 2, 10, 10, 11, 11, 12, 20, 20]
    deepEqual(
      offsets(await starts(bench), startMs),
      seconds.map((second) => second * 1_000),
    )
  },

  "rates from one an hour to a hundred thousand a minute hold to the last unit": async (bench) => {
    for (const [limit, perMs] of [
      [1, 3_600_000],
      [7, 86_400_000],
      [100, 1_000],
      [1_000, 60_000],
      [100_000, 60_000],
    ] as const) {
      const name = `vendor-${limit}`
      await bench.declare(name, rolling(limit, perMs))
      const worker = bench.worker(name)
      const most = await bench.submit({ gates: through(name, "", limit) })
      const one = await bench.submit({ gates: through(name) })
      const first = await worker.look()
      sameTasks(first.claimed, [most])
      const waitMs = (first.nextAtMs ?? 0) - first.nowMs
      // Where a limit is large, charges become free together, a 256th of the window later at most.
      ok(waitMs >= perMs && waitMs <= perMs + Math.ceil(perMs / 256), `expected ${perMs} ms or a little more, got ${waitMs}`)
      await bench.world.advance(waitMs - 1)
      deepEqual(await worker.claim(), [])
      await bench.world.advance(1)
      sameTasks(await worker.claim(), [one])
    }
  },

  "each key is a gate of its own": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    const [a, , b] = await bench.submitAll(["a", "a", "b"].map((key) => ({ gates: through("vendor", key) })))
    ok(a && b)
    sameTasks(await bench.worker().claim(), [a, b])
    deepEqual((await bench.gate("vendor", "a")).levels, [{ used: 1, of: 1, perMs: 10_000 }])
    deepEqual((await bench.gate("vendor", "c")).levels, [{ used: 0, of: 1, perMs: 10_000 }])
  },

  "a gate that is closed holds up nobody else": async (bench) => {
    await bench.declare("vendor", rolling(1, 3_600_000))
    await bench.submitMany(50, { gates: through("vendor"), priority: 9 })
    const others = await bench.submitAll([{}, { gates: through("other") }, { flow: "x", gates: through("vendor", "k") }])
    const worker = bench.worker()
    deepEqual(ids((await worker.claim()).slice(1)).sort(), ids(others).sort())
    const late = await bench.submit()
    sameTasks(await worker.claim(), [late])
  },

  "any number of closed gates costs a claim nothing": async (bench) => {
    await bench.declare("vendor", rolling(1, 3_600_000))
    const keys = Array.from({ length: 300 }, (_, i) => ({ gates: through("vendor", `key-${i}`), flow: `flow-${i % 30}` }))
    const worker = bench.worker()
    await bench.submitAll([...keys, ...keys])
    const types = [{ type: "mail", room: 1_000 }]
    for (let claims = 0; claims < 20 && (await worker.look({ types })).more; claims++);
    deepEqual(await bench.counts(), { running: 300, pending: 300 })
    await bench.submitMany(5)
    const { claimed, touched } = await worker.look()
    equal(claimed.length, 5)
    ok(touched <= 70, `expected a claim of 5 to look at 70 records at most, got ${touched}`)
  },

  "an opening costs a claim little, however many wait for it": async (bench) => {
    await bench.declare("vendor", rolling(1, 1_000))
    await bench.submitAll(Array.from({ length: 300 }, (_, i) => ({ gates: through("vendor"), flow: `flow-${i}` })))
    const worker = bench.worker()
    for (let claims = 0; claims < 10 && (await worker.look()).more; claims++);
    for (let opening = 0; opening < 3; opening++) {
      await bench.world.advance(1_000)
      const { claimed, touched } = await worker.look()
      equal(claimed.length, 1)
      ok(touched <= 30, `expected a claim of 1 to look at 30 records at most, got ${touched}`)
    }
  },

  "a task that two gates refuse is told of the one that opens last": async (bench) => {
    await bench.declare("soon", rolling(1, 10_000))
    await bench.declare("late", rolling(1, 60_000))
    for (const names of [
      ["soon", "late"],
      ["late", "soon"],
    ]) {
      const key = names.join()
      await bench.submitMany(2, { gates: names.flatMap((name) => through(name, key)) })
      const { claimed, nextAtMs, blockedBy } = await bench.worker(key).look()
      deepEqual([claimed.length, nextAtMs, blockedBy], [1, bench.world.wallMs() + 60_000, `late/${key}`])
      await bench.store.cancel({ ids: ids(await bench.list()) })
    }
  },

  "a task that passes two gates charges both or none": async (bench) => {
    await bench.declare("wide", rolling(3, 10_000))
    await bench.declare("narrow", rolling(1, 10_000))
    const both = [...through("wide"), ...through("narrow")]
    const [first, second] = await bench.submitMany(2, { gates: both })
    ok(first && second)
    const used = async () => [(await bench.gate("wide")).levels[0]?.used, (await bench.gate("narrow")).levels[0]?.used]
    const worker = bench.worker()
    const answer = await worker.look()
    sameTasks(answer.claimed, [first])
    equal(answer.blockedBy, "narrow")
    deepEqual(await used(), [1, 1])
    const [third, fourth, fifth] = await bench.submitMany(3, { gates: through("wide") })
    ok(third && fourth && fifth)
    sameTasks(await worker.claim(), [third, fourth])
    deepEqual(await used(), [3, 1])
    await bench.world.advance(10_000)
    sameTasks(await worker.claim(), [second, fifth])
    deepEqual(await used(), [2, 1])
  },

  "a task that is done gives nothing back before its window has passed": async (bench) => {
    await bench.declare("vendor", rolling(1, 10_000))
    await bench.submitMany(2, { gates: through("vendor") })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    await bench.world.advance(9_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    equal((await worker.claim()).length, 1)
  },
})
