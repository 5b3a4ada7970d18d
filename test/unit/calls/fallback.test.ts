// Limits outside the queue while the store is out of reach: shares, leases, refusals, and the way back.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, type QueueEvents } from "../../../src/index.ts"
import type { Fault } from "../../../src/testing/faulty-store.ts"
import { sleep } from "../../../src/world/index.ts"
import { Load, Place, type TestProcess } from "./kit.ts"

const api = defineLimit("vendor-api", { concurrency: 5 })
const calls = { lease: "6s", wait: "60s", fallbackFor: "2m" } as const

const cutAll = (processes: readonly TestProcess[], fault: Fault | null) => {
  for (const process of processes) process.cut = fault
}

async function busy(count: number, options: object = calls) {
  const place = new Place()
  const processes = await place.processes(count, options)
  const load = new Load(place.world)
  for (const { queue } of processes) load.on(queue.limit(api), 4, 300)
  // Long enough that shares are told and confirmed.
  await place.world.advance(15_000)
  return { place, processes, load }
}

describe("queue.limit without its store", () => {
  for (const fault of ["refuse", "lose_reply", "hang"] as const) {
    it(`goes on with shares that sum to the limit, and comes back (${fault})`, async () => {
      const { place, processes, load } = await busy(4)
      assert.equal(load.takeMost(), 5)
      cutAll(processes, fault)
      // From step to step: never more than the limit, whatever it goes on with.
      for (let second = 0; second < 30; second++) {
        await place.world.advance(1_000)
        assert.ok(load.takeMost() <= 5, `expected at most 5 in second ${second}`)
      }
      const under = processes.map(({ queue }) => queue.limit(api).stats())
      assert.deepEqual(
        under.map(({ isDetached }) => isDetached),
        [true, true, true, true],
      )
      const before = load.runs
      await place.world.advance(3_000)
      assert.ok(load.runs - before >= 40, `expected 5 at once to go on under shares, got ${load.runs - before} runs in 3 s`)
      assert.equal(load.takeMost(), 5)
      cutAll(processes, null)
      for (let step = 0; step < 100; step++) {
        await place.world.advance(100)
        assert.ok(load.takeMost() <= 5, `expected at most 5 in step ${step} of the way back`)
        if (step >= 20) for (const { queue } of processes) assert.equal(queue.limit(api).stats().isDetached, false)
      }
      await place.world.advance(2_000)
      assert.equal(load.takeMost(), 5)
      await load.stop()
      assert.deepEqual(load.errors, [])
    })
  }

  it("stays within the limit where one process alone loses the store, and others take what it cannot use", async () => {
    const { place, processes, load } = await busy(4)
    load.takeMost()
    const [alone] = processes
    assert.ok(alone)
    for (let round = 0; round < 5; round++) {
      alone.cut = "refuse"
      for (let step = 0; step < 200; step++) {
        await place.world.advance(100)
        assert.ok(load.takeMost() <= 5)
      }
      alone.cut = null
      for (let step = 0; step < 100; step++) {
        await place.world.advance(100)
        assert.ok(load.takeMost() <= 5)
      }
      assert.equal(load.takeMost() >= 4, true)
    }
    await load.stop()
  })

  it("goes on with the slots that it has, one for one, from the first moment", async () => {
    const { place, processes, load } = await busy(1)
    cutAll(processes, "refuse")
    const before = load.runs
    await place.world.advance(3_000)
    assert.ok(load.runs - before >= 30, `got ${load.runs - before} runs`)
    assert.ok(load.takeMost() <= 5)
    await load.stop()
  })

  it("gives a surplus process nothing: it refuses, and says that the store is out of reach", async () => {
    const place = new Place()
    const few = defineLimit("few", { concurrency: 1 })
    const processes = await place.processes(3, calls)
    // All know the limit, and have their parts of one slot.
    for (let round = 0; round < 4; round++) {
      for (const { queue } of processes) (await queue.limit(few).tryAcquire())?.release()
      await place.world.advance(2_500)
    }
    cutAll(processes, "refuse")
    await place.world.advance(20_000)
    const tried = await Promise.all(processes.map(({ queue }) => queue.limit(few).tryAcquire()))
    assert.equal(tried.filter(Boolean).length, 1)
    const without = processes[tried.indexOf(null)]
    const refused = assert.rejects(
      without?.queue.limit(few).acquire({ wait: "2s" }) ?? Promise.resolve(),
      /^RateLimitError: Could not acquire API slot: expected gate few to open within 2s, but the store is out of reach \(.*\), and this process's share of the limit is used up/,
    )
    await place.world.advance(2_000)
    await refused
  })

  it("goes on where a key is called like something that every object has", async () => {
    const place = new Place()
    const process = await place.process(calls)
    const limit = process.queue.limit(api)
    for (let round = 0; round < 4; round++) {
      for (const key of ["constructor", "__proto__"]) (await limit.tryAcquire(key))?.release()
      await place.world.advance(2_500)
    }
    process.cut = "refuse"
    await place.world.advance(20_000)
    for (const key of ["constructor", "__proto__"]) assert.ok(await limit.tryAcquire(key), key)
    await process.queue.close()
  })

  it("refuses, where it is told to, once its leases are over", async () => {
    const place = new Place()
    const process = await place.process({ lease: "6s", fallback: "refuse" })
    const limit = process.queue.limit(api)
    const slot = await limit.acquire()
    process.cut = "refuse"
    await place.world.advance(1_500)
    assert.equal(slot.signal.aborted, false)
    const refused = assert.rejects(limit.acquire({ wait: "3s" }), /the store is out of reach .* calls are refused meanwhile, as configured/)
    await place.world.advance(1_000)
    assert.equal(await limit.tryAcquire(), null)
    await place.world.advance(4_000)
    await refused
    assert.equal(slot.signal.aborted, true)
    assert.equal((slot.signal.reason as { code?: string }).code, "lease_lost")
    process.cut = null
    await place.world.advance(2_000)
    assert.ok(await limit.tryAcquire())
    assert.deepEqual(limit.stats(), { granted: 2, refused: 2, waited: 0, underShare: 0, lost: 1, isDetached: false })
  })

  it("takes from those beyond the share when the leases end, the latest first", async () => {
    const place = new Place()
    const [one, two] = await place.processes(2, calls)
    assert.ok(one && two)
    // Both have used the limit, so that each has half of it.
    for (let round = 0; round < 4; round++) {
      for (const { queue } of [one, two]) (await queue.limit(api).tryAcquire())?.release()
      await place.world.advance(2_500)
    }
    const slots = []
    for (let n = 0; n < 5; n++) slots.push(await one.queue.limit(api).acquire())
    cutAll([one, two], "refuse")
    await place.world.advance(4_000)
    assert.deepEqual(
      slots.map(({ signal }) => signal.aborted),
      [false, false, false, false, false],
    )
    await place.world.advance(6_000)
    const kept = slots.map(({ signal }) => signal.aborted)
    assert.ok([2, 3].includes(kept.filter((isAborted) => !isAborted).length), `got ${kept}`)
    assert.deepEqual(kept, [...kept].sort())
    assert.equal(one.queue.limit(api).stats().lost, kept.filter(Boolean).length)
    // What they did not lose they keep when the store is back.
    cutAll([one, two], null)
    await place.world.advance(20_000)
    assert.deepEqual(
      slots.map(({ signal }) => signal.aborted),
      kept,
    )
    assert.equal((await one.queue.limits.gates(api.name)).gates[0]?.slots?.held, kept.filter((isAborted) => !isAborted).length)
  })

  it("stops using its share when its time is over", async () => {
    const { place, processes, load } = await busy(2, { ...calls, fallbackFor: "30s" })
    cutAll(processes, "refuse")
    await place.world.advance(26_500)
    assert.ok(load.inside > 0)
    await place.world.advance(3_500)
    assert.equal(load.inside, 0)
    const before = load.runs
    await place.world.advance(20_000)
    assert.equal(load.runs, before)
    cutAll(processes, null)
    await place.world.advance(3_000)
    assert.equal(load.inside, 5)
    await load.stop()
  })

  it("keeps a rate through a cut, counted over all processes", async () => {
    const place = new Place()
    const rated = defineLimit("rated", { rate: { limit: 8, per: "4s", provider: "sliding" } })
    const processes = await place.processes(3, calls)
    const startedAtMs: number[] = []
    let isOver = false
    const loops = processes.flatMap(({ queue }) =>
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await queue
            .limit(rated)
            .run(() => void startedAtMs.push(place.world.monotonicMs()), { wait: "5m" })
            .catch(() => sleep(place.world, 100))
        }
      }),
    )
    await place.world.advance(20_000)
    cutAll(processes, "lose_reply")
    await place.world.advance(40_000)
    const under = startedAtMs.filter((atMs) => atMs > 35_000).length
    assert.ok(under > 20, `expected the shares of the rate to be used, got ${under} starts`)
    cutAll(processes, null)
    await place.world.advance(30_000)
    isOver = true
    await place.world.advance(30_000)
    await Promise.all(loops)
    // A call that waits in line starts when its process hears that it was granted, which may be a moment later.
    for (const [i, atMs] of startedAtMs.entries()) {
      const next = startedAtMs[i + 8]
      assert.ok(next === undefined || next - atMs > 4_000 - 50, `expected at most 8 in 4 s, got 9 in ${(next ?? 0) - atMs} ms at ${atMs}`)
    }
  })

  it("tells that the store is away, and that it is back", async () => {
    const place = new Place()
    const process = await place.process(calls)
    const told: [string, unknown][] = []
    for (const name of ["limit.detached", "limit.attached", "limit.lost"] as const satisfies (keyof QueueEvents)[])
      process.queue.on(name, ({ limit, ...event }: { limit: string; error?: Error }) => told.push([`${name} ${limit}`, event]))
    await process.queue.limit(api).run(() => {})
    await place.world.settle()
    process.cut = "refuse"
    await place.world.advance(4_000)
    assert.deepEqual(
      told.map(([name]) => name),
      ["limit.detached vendor-api"],
    )
    const { error, ...others } = (told[0]?.[1] ?? {}) as { error: Error }
    assert.match(error.message, /was made to fail/)
    assert.deepEqual(others, { fallback: "share", slots: 5 })
    process.cut = null
    await place.world.advance(2_000)
    assert.deepEqual(
      told.map(([name]) => name),
      ["limit.detached vendor-api", "limit.attached vendor-api"],
    )
    await process.queue.close()
  })

  it("asks again at least every second, and not all at the same moment", async () => {
    const { place, processes, load } = await busy(4)
    cutAll(processes, "refuse")
    await place.world.advance(10_000)
    const before = processes.map(({ asked }) => asked.length)
    await place.world.advance(20_000)
    for (const [i, { asked }] of processes.entries()) {
      const times = asked.length - (before[i] ?? 0)
      assert.ok(times >= 20 && times <= 80, `expected 20 to 80 in 20 s, got ${times}`)
    }
    await load.stop()
  })

  it("knows a store that was emptied meanwhile by its answer, and declares its limits again", async () => {
    const place = new Place()
    const process = await place.process({ ...calls, fallback: "refuse" })
    const other = new Place()
    const empty = await other.process(calls)
    await process.queue.limit(api).run(() => {})
    Object.assign(process.queue.store, { hold: empty.queue.store.hold, hello: empty.queue.store.hello })
    assert.equal(await process.queue.limit(api).run(() => "ran"), "ran")
  })
})
