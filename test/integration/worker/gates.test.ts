// Gates across processes: several workers on one SQLite file keep one rate together.

import { deepEqual, equal, ok } from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineLimit, defineTask, type Queue, RateLimitError } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-gates-"))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Three connections to one file, two of them with a worker. */
async function open(name: string, task: Parameters<Queue["worker"]>[0][number]) {
  const world = new VirtualWorld()
  const url = `sqlite:${join(folder, `${name}.db`)}`
  const queues = await Promise.all([1, 2, 3].map(() => connect(url, { world })))
  const [submitter, ...others] = queues as [Queue, Queue, Queue]
  const workers = others.map((queue) => queue.worker([task], { concurrency: 10 }))
  const running = workers.map((worker) => worker.run())
  await world.advance(1_000)
  return {
    world,
    submitter,
    async close() {
      for (const worker of workers) worker.stop()
      await world.advance(1_000)
      await Promise.all(running)
      await Promise.all(queues.map((queue) => queue.close()))
    },
  }
}

describe("two workers on one SQLite file", () => {
  it("keep a rate and a concurrency together, for tasks with and without a route", async () => {
    const starts: number[] = []
    let running = 0
    let most = 0
    const api = defineLimit("api", { rate: "5/10s", provider: "sliding", concurrency: 3 })
    const call = defineTask("call", {
      limits: () => [api("x")],
      run: async (_input: number, { queue }) => {
        starts.push(queue.world.monotonicMs())
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => void queue.world.timer(500, resolve))
        running--
      },
    })
    const { world, submitter, close } = await open("rate", call)
    const count = (n: number) => Array.from({ length: n }, (_, i) => i)
    await submitter.submitMany(call, count(10))
    await submitter.submitMany("call", count(10))
    await world.advance(60_000)
    equal((await submitter.counts()).completed, 20)
    for (const from of starts) ok(starts.filter((at) => at >= from && at < from + 10_000).length <= 5, `more than 5 in 10s from ${from}`)
    equal(most, 3)
    await close()
  })

  it("stop together when the other side says so, and go on together", async () => {
    const ran: string[] = []
    let refuses = true
    const api = defineLimit("api", { rate: "100/1s", provider: "sliding" })
    const call = defineTask("call", {
      limits: [api],
      run: (name: string) => {
        ran.push(name)
        if (!refuses) return
        refuses = false
        throw new RateLimitError({ retryAfter: "30s" })
      },
    })
    const { world, submitter, close } = await open("cooldown", call)
    await submitter.submit(call, "first")
    await world.advance(2_000)
    await submitter.submitMany(call, ["second", "third"])
    await world.advance(25_000)
    deepEqual(ran, ["first"])
    await world.advance(10_000)
    deepEqual(ran.sort(), ["first", "first", "second", "third"])
    await close()
  })
})
