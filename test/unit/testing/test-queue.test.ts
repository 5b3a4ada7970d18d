// The tools that users test their own tasks with.

import { deepEqual, equal, match, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { connect, defineLimit, defineTask } from "../../../src/index.ts"
import { faultyStore, sleepUntilEmpty, testQueue, VirtualWorld, viaJson } from "../../../src/testing/index.ts"
import { systemWorld } from "../../../src/world/index.ts"

const greet = defineTask("greet", { run: (name: string) => `hello ${name}` })

describe("testQueue", () => {
  it("runs what is submitted, and drain waits for it", async () => {
    const queue = await testQueue([greet])
    const { id } = await queue.submit(greet, "you")
    await queue.drain()
    equal((await queue.get(id))?.output, "hello you")
  })

  it("drains what tasks submit, roomful after roomful, however many", async () => {
    const split = defineTask("split", {
      run: async (n: number, { queue }) => {
        if (n > 0) await queue.submitMany("split", [n - 1, n - 1])
      },
    })
    const queue = await testQueue([split], { worker: { concurrency: 2 } })
    await queue.submit(split, 6)
    await queue.drain()
    equal((await queue.counts()).completed, 127)
  })

  it("drains handlers that wait for the real world", async () => {
    const slow = defineTask("slow", { run: () => new Promise<void>((resolve) => void systemWorld.timer(30, resolve)) })
    const queue = await testQueue([slow])
    await queue.submit(slow, null)
    await queue.drain()
    equal((await queue.counts()).completed, 1)
  })

  it("moves no time by itself: what is due later waits for advance", async () => {
    const queue = await testQueue([greet])
    const { id } = await queue.submit(greet, "later", { delay: "1h" })
    const before = await queue.now()
    await queue.drain()
    deepEqual(await queue.now(), before)
    equal((await queue.get(id))?.status, "pending")
    await queue.advance("1h")
    equal((await queue.get(id))?.status, "completed")
    equal((await queue.now()).getTime() - before.getTime(), 3_600_000)
  })

  it("drains what may pass its gates, slot after slot, and leaves what they hold", async () => {
    const vendor = defineLimit("vendor", { rate: { limit: 2, per: "10s", provider: "sliding" }, concurrency: 1 })
    const call = defineTask("call", { limits: [vendor], run: (name: string) => name })
    const queue = await testQueue([call])
    await queue.submitMany(call, ["a", "b", "c", "d", "e"])
    for (const completed of [2, 4, 5]) {
      await queue.drain()
      equal((await queue.counts()).completed, completed)
      await queue.advance("10s")
    }
  })

  it("drains what was submitted without the code, once its worker has routed it", async () => {
    const vendor = defineLimit("vendor", { concurrency: 1 })
    const call = defineTask("call", { limits: [vendor], run: (name: string) => name })
    const queue = await testQueue([call])
    const { id } = await queue.submit("call", "by name")
    await queue.drain()
    deepEqual([(await queue.get(id))?.status, (await queue.get(id))?.gates], ["completed", ["vendor"]])
  })

  it("repeats itself: the same seed, the same ids and the same jitter", async () => {
    const fails = defineTask("fails", {
      run: () => {
        throw new Error("broken")
      },
    })
    const lives: unknown[] = []
    for (let life = 0; life < 2; life++) {
      const queue = await testQueue([fails], { world: new VirtualWorld({ seed: 7 }), worker: { id: "worker-1" } })
      const { id } = await queue.submit(fails, null)
      await queue.advance("5m")
      lives.push(await queue.history(id))
    }
    deepEqual(lives[0], lives[1])
  })

  it("works through another store, and through text", async () => {
    const queue = await testQueue([greet], { store: "memory:by-name", through: viaJson })
    const { id } = await queue.submit(greet, "text")
    await queue.drain()
    equal((await queue.get(id))?.output, "hello text")
  })

  it("gives back what runs when it is closed, and leaves no timer", async () => {
    const world = new VirtualWorld()
    const stuck = defineTask("stuck", { run: () => new Promise<never>(() => {}) })
    const queue = await testQueue([stuck], { world })
    const { id } = await queue.submit(stuck, null)
    await world.settle()
    await queue.close()
    const task = await queue.get(id)
    deepEqual([task?.status, task?.attempt], ["pending", 0])
    equal(world.armedTimers, 0)
  })

  it("can be closed while its store is away", async () => {
    const queue = await testQueue([greet], { through: (store) => faultyStore(store, () => "hang") })
    await queue.world.settle()
    await queue.close()
  })

  it("refuses options that it does not know", async () => {
    await rejects(testQueue([greet], { concurrency: 5 } as never), {
      code: "invalid_option",
      message: /^testQueue: unknown option "concurrency"/,
    })
  })
})

describe("sleepUntilEmpty", () => {
  it("moves virtual time on until nothing is left to do", async () => {
    const queue = await testQueue([greet])
    await queue.submitMany(greet, ["a", "b"], { delay: "20m" })
    await sleepUntilEmpty(queue)
    equal((await queue.counts()).completed, 2)
    equal((await queue.now()).toISOString(), "2026-01-28T12:20:00.000Z")
  })

  it("moves it on from opening to opening", async () => {
    const vendor = defineLimit("vendor", { rate: { limit: 1, per: "1h", provider: "sliding" } })
    const queue = await testQueue([defineTask("call", { limits: [vendor], run: () => {} })])
    await queue.submitMany("call", [1, 2, 3, 4])
    await sleepUntilEmpty(queue, { within: "3h" })
    equal((await queue.now()).toISOString(), "2026-01-28T15:00:00.000Z")
  })

  it("waits in the real world as well", async () => {
    const queue = await connect("memory:")
    const worker = queue.worker([greet])
    const running = worker.run()
    await queue.submitMany(greet, ["a", "b"], { delay: "30ms" })
    await sleepUntilEmpty(queue, { within: "10s" })
    equal((await queue.counts()).completed, 2)
    worker.stop()
    await running
  })

  it("fails when it takes too long, and says what is left", async () => {
    const queue = await testQueue([greet])
    await queue.submit("nobody_runs_this", null)
    await rejects(sleepUntilEmpty(queue, { within: "5m" }), (error: Error) => {
      match(error.message, /^sleepUntilEmpty: expected an empty queue within 5m, got 1 tasks that are pending or running$/)
      return true
    })
  })

  it("ends early when it is told to", async () => {
    const queue = await testQueue([greet])
    await queue.submit("nobody_runs_this", null)
    await sleepUntilEmpty(queue, { signal: AbortSignal.abort() })
  })
})

describe("faultyStore", () => {
  it("refuses, loses replies, hangs, or leaves the store as it is", async () => {
    const queue = await connect("memory:")
    const request = { tasks: [] as never[] }
    const submitted = (fault: "refuse" | "lose_reply" | "hang" | null) => {
      const calls: string[] = []
      const store = faultyStore(queue.store, (operation) => {
        calls.push(operation)
        return fault
      })
      return { calls, answer: store.submit(request) }
    }
    await rejects(submitted("refuse").answer, { code: "store_unavailable" })
    await rejects(submitted("lose_reply").answer, { code: "store_unavailable" })
    const fine = submitted(null)
    equal((await fine.answer).kind, "ok")
    deepEqual(fine.calls, ["submit"])
    const first = await Promise.race([
      submitted("hang").answer.then(() => "answered"),
      new Promise((resolve) => systemWorld.turn(() => resolve("silent"))),
    ])
    equal(first, "silent")
  })

  it("carries out what it loses the reply of, and only that", async () => {
    const world = new VirtualWorld()
    for (const [fault, expected] of [
      ["refuse", 0],
      ["lose_reply", 1],
    ] as const) {
      const queue = await testQueue([greet], {
        world,
        through: (store) => faultyStore(store, (operation) => (operation === "submit" ? fault : null)),
      })
      await rejects(queue.submit("other", null), { code: "store_unavailable" })
      equal((await queue.counts()).pending, expected)
      await queue.close()
    }
  })
})
