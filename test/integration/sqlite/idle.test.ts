// Idle workers cost next to nothing: nobody polls the queue, and nobody wakes another for nothing.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineTask, type Queue } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-idle-"))
after(() => rmSync(folder, { recursive: true, force: true }))

function countExchanges(queue: Queue): () => number {
  let count = 0
  const exchange = queue.store.exchange.bind(queue.store)
  queue.store.exchange = (request) => {
    count++
    return exchange(request)
  }
  return () => count
}

describe("idle workers on one SQLite file", () => {
  it("make no exchange while nothing happens, and one hears of another's task", async () => {
    const world = new VirtualWorld()
    const url = `sqlite:${join(folder, "q.db")}`
    const ran: number[] = []
    const noop = defineTask("noop", { run: async (input: { n: number }) => void ran.push(input.n) })
    const queues = [await connect(url, { world }), await connect(url, { world }), await connect(url, { world })]
    const [submitter, ...others] = queues as [Queue, Queue, Queue]
    const counts = others.map(countExchanges)
    const workers = others.map((queue) => queue.worker([noop]))
    const running = workers.map((worker) => worker.run())
    await world.advance(1_000)
    const before = counts.map((count) => count())
    await world.advance(60_000)
    assert.deepEqual(
      counts.map((count, i) => count() - (before[i] ?? 0)),
      [0, 0],
      "no exchanges in a minute without news",
    )

    await submitter.submit(noop, { n: 1 })
    await world.advanceUntil(() => ran.length > 0, 1_000)
    await submitter.submit(noop, { n: 2 }, { delay: "30s" })
    await world.advanceUntil(() => ran.length > 1, 31_000)
    assert.deepEqual(ran, [1, 2])

    for (const worker of workers) worker.stop()
    await world.advance(1_000)
    await Promise.all(running)
    await Promise.all(queues.map((queue) => queue.close()))
  })
})
