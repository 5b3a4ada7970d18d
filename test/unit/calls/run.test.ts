// Limits outside the queue while the store is there: run, acquire, tryAcquire.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, isSluiceError } from "../../../src/index.ts"
import { sleep } from "../../../src/world/index.ts"
import { deferred } from "../worker/kit.ts"
import { Load, Place } from "./kit.ts"

const api = defineLimit("vendor-api", { concurrency: 2 })

describe("queue.limit", () => {
  it("runs the function and gives its result, or its error", async () => {
    const { queue } = await new Place().process()
    assert.equal(await queue.limit(api).run(() => 7), 7)
    assert.equal(await queue.limit(api).run("acme", async ({ key }) => key), "acme")
    const failure = new Error("no")
    await assert.rejects(
      queue.limit(api).run(() => Promise.reject(failure)),
      failure,
    )
    assert.equal(await queue.limit("vendor-api").run(() => "by name"), "by name")
    await queue.close()
  })

  it("has no more at once than the limit, whichever process runs them, and serves them in order", async () => {
    const place = new Place()
    const [one, two] = await place.processes(2)
    assert.ok(one && two)
    const order: number[] = []
    let [inside, most] = [0, 0]
    const runs: Promise<void>[] = []
    for (let i = 0; i < 10; i++) {
      const { queue } = i % 2 === 0 ? one : two
      runs.push(
        queue.limit(api).run(async () => {
          order.push(i)
          most = Math.max(most, ++inside)
          await sleep(place.world, 1_000)
          inside--
        }),
      )
      await place.world.settle()
    }
    await place.world.advance(6_000)
    await Promise.all(runs)
    assert.equal(most, 2)
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.deepEqual(one.queue.limit(api).stats().granted + two.queue.limit(api).stats().granted, 10)
  })

  it("rejects after its wait, and says which gate, who holds it and when it would open", async () => {
    const place = new Place()
    const { queue } = await place.process()
    const slots = [await queue.limit(api).acquire("acme"), await queue.limit(api).acquire("acme")]
    const waiting = queue.limit(api).run("acme", () => {}, { wait: "5s" })
    const told = assert.rejects(waiting, (error: Error) => {
      assert.ok(isSluiceError(error) && error.code === "rate_limited")
      assert.match(
        error.message,
        /^Could not acquire API slot: expected gate vendor-api\/acme to open within 5s, but 2 of 2 slots were held/,
      )
      assert.match(error.message, /0 calls waited before it, it was expected to open in 2\ds/)
      return true
    })
    await place.world.advance(4_999)
    assert.equal(queue.limit(api).stats().refused, 0)
    await place.world.advance(1)
    await told
    assert.equal(queue.limit(api).stats().refused, 1)
    for (const slot of slots) slot.release()
    await place.world.settle()
    assert.ok(await queue.limit(api).tryAcquire("acme"))
    await queue.close()
  })

  it("gives up its place when it is asked to stop, and the next one has it", async () => {
    const place = new Place()
    const { queue } = await place.process()
    const held = [await queue.limit(api).acquire(), await queue.limit(api).acquire()]
    const stop = new AbortController()
    const reason = new Error("the client has gone")
    const gone = assert.rejects(queue.limit(api).acquire({ signal: stop.signal }), reason)
    const next = queue.limit(api).acquire()
    await place.world.settle()
    stop.abort(reason)
    await gone
    held[0]?.release()
    await place.world.settle()
    assert.ok(await next)
    await queue.close()
  })

  it("tries without waiting and without overtaking", async () => {
    const place = new Place()
    const { queue } = await place.process()
    const limit = queue.limit(api)
    const first = await limit.tryAcquire()
    assert.ok(first)
    const costly = limit.acquire({ cost: 2 })
    await place.world.settle()
    assert.equal(await limit.tryAcquire(), null)
    first.release()
    await place.world.settle()
    ;(await costly).release()
    const again = await limit.tryAcquire()
    assert.ok(again)
    await again[Symbol.asyncDispose]()
    await queue.close()
  })

  it("keeps its slot for as long as it runs", async () => {
    const place = new Place()
    const [one, two] = await place.processes(2, { lease: "3s" })
    assert.ok(one && two)
    const [slot] = [await one.queue.limit(api).acquire({ cost: 2 })]
    for (let second = 0; second < 30; second++) {
      await place.world.advance(1_000)
      assert.equal(await two.queue.limit(api).tryAcquire(), null)
    }
    assert.equal(slot.signal.aborted, false)
    slot.release()
    await place.world.settle()
    assert.ok(await two.queue.limit(api).tryAcquire({ cost: 2 }))
  })

  it("asks nothing while it waits, beyond renewing its place", async () => {
    const place = new Place()
    const [one, two] = await place.processes(2, { lease: "30s", fallback: "refuse" })
    assert.ok(one && two)
    const slot = await one.queue.limit(api).acquire({ cost: 2 })
    const waiting = two.queue.limit(api).acquire({ wait: "5m" })
    await place.world.advance(1_000)
    const before = two.holds.length
    await place.world.advance(60_000)
    assert.ok(two.holds.length - before <= 7, `expected to renew every 10 s, got ${two.holds.length - before} holds in 60 s`)
    const releasedAtMs = place.world.monotonicMs()
    slot.release()
    await place.world.settle()
    ;(await waiting).release()
    assert.equal(place.world.monotonicMs(), releasedAtMs)
    await two.queue.close()
  })

  it("says nothing and has no timers when there is nothing to hold", async () => {
    const place = new Place()
    const { queue, asked } = await place.process({ fallback: "refuse" })
    await queue.limit(api).run(() => {})
    await place.world.settle()
    const before = asked.length
    await place.world.advance(600_000)
    assert.equal(asked.length, before)
    assert.equal(place.world.armedTimers, 0)
  })

  it("gives up its share a minute after it was used, and is silent then", async () => {
    const place = new Place()
    const { queue, asked, holds } = await place.process()
    await queue.limit(api).run(() => {})
    await place.world.advance(50_000)
    assert.ok(holds.length >= 5 && holds.length <= 10, `got ${holds.length} holds`)
    await place.world.advance(30_000)
    assert.equal(holds.at(-1)?.shares[0]?.isLeaving, true)
    const before = asked.length
    await place.world.advance(600_000)
    assert.equal(asked.length, before)
    assert.equal(place.world.armedTimers, 0)
  })

  it("says one thing for all that is asked in the same turn", async () => {
    const place = new Place()
    const { queue, holds } = await place.process()
    const limit = queue.limit(defineLimit("wide", { concurrency: 100 }))
    const slots = await Promise.all(Array.from({ length: 50 }, () => limit.acquire()))
    assert.equal(holds.length, 1)
    for (const slot of slots) slot.release()
    await place.world.settle()
    assert.equal(holds.length, 2)
    assert.equal(holds[1]?.release.length, 50)
    await queue.close()
  })

  it("lets a rate open by time, without asking in between", async () => {
    const place = new Place()
    const { queue, holds } = await place.process({ fallback: "refuse" })
    const rated = queue.limit(defineLimit("rated", { rate: { limit: 2, per: "10s", provider: "sliding" } }))
    const startedAtMs: number[] = []
    const runs = Array.from({ length: 6 }, () => rated.run(() => void startedAtMs.push(place.world.monotonicMs()), { wait: "60s" }))
    await place.world.advance(25_000)
    await Promise.all(runs)
    assert.deepEqual(startedAtMs, [0, 0, 10_000, 10_000, 20_000, 20_000])
    assert.ok(holds.length <= 12, `got ${holds.length} holds`)
  })

  it("refuses what it cannot do, with the reason", async () => {
    const { queue } = await new Place().process()
    await assert.rejects(queue.limit("nobody").acquire(), /expected a limit that some code has declared, got "nobody"/)
    await assert.rejects(queue.limit(api).acquire({ cost: 3 }), /expected a cost of at most 2/)
    await assert.rejects(queue.limit(api).acquire("", {}), /key: expected 1 to 512 characters/)
    const missing = undefined as unknown as string
    await assert.rejects(
      queue.limit(api).run(missing, () => {}),
      /key: expected 1 to 512 characters.*, got undefined/,
    )
    await assert.rejects(queue.limit(api).acquire(missing, { wait: "5s" }), /key: expected 1 to 512 characters.*, got undefined/)
    await assert.rejects(queue.limit(api).run("key", 7 as never), /expected a function to run, got 7/)
    await assert.rejects(
      queue.limit(api).run(() => {}, { wayt: "3s" } as never),
      /unknown option "wayt"; did you mean "wait"/,
    )
    await assert.rejects(queue.limit(api).acquire({ signal: 3 as never }), /signal: expected an AbortSignal, got 3/)
    await queue.close()
  })

  it("ends with the queue: what waits is refused, what runs is told, and all is given back", async () => {
    const place = new Place()
    const [one, two] = await place.processes(2)
    assert.ok(one && two)
    const slot = await one.queue.limit(api).acquire({ cost: 2 })
    const waiting = assert.rejects(one.queue.limit(api).acquire(), /expected an open queue, this one was closed/)
    await place.world.settle()
    await one.queue.close()
    await waiting
    assert.equal(slot.signal.aborted, true)
    assert.ok(await two.queue.limit(api).tryAcquire({ cost: 2 }))
    await assert.rejects(one.queue.limit(api).acquire(), /this one was closed/)
    await two.queue.close()
  })

  it("keeps a limit under load to the limit, and lets everybody have his turn", async () => {
    const place = new Place()
    const processes = await place.processes(4)
    const load = new Load(place.world)
    for (const { queue } of processes) load.on(queue.limit(api), 3, 100)
    await place.world.advance(30_000)
    assert.equal(load.most, 2)
    assert.ok(load.runs > 400, `got ${load.runs} runs`)
    const granted = processes.map(({ queue }) => queue.limit(api).stats().granted)
    assert.ok(Math.max(...granted) - Math.min(...granted) < 20, `got ${granted}`)
    await load.stop()
    for (const { queue } of processes) await queue.close()
  })

  it("is another process's turn while one process waits for a further request", async () => {
    const place = new Place()
    const { queue } = await place.process()
    const limit = queue.limit(defineLimit("both", { concurrency: 1, rate: { limit: 2, per: "10s", provider: "sliding" } }))
    const went: number[] = []
    const done = deferred()
    void limit
      .run(async ({ permit }) => {
        for (let n = 0; n < 3; n++) {
          await permit()
          went.push(place.world.monotonicMs())
        }
      })
      .then(done.resolve)
    await place.world.advance(15_000)
    await done.promise
    assert.deepEqual(went, [0, 10_000, 10_000])
    await queue.close()
  })
})
