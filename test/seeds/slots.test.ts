// The fourth seed: calls with a timeout, five at once over all workers, backoff after a 429, and a delay that people can see.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { defineLimit, defineTask, RateLimitError, type Task } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { sleep, type World } from "../../src/world/index.ts"
import { onServersToo } from "./stores.ts"

const calls = defineLimit("document-ai", { concurrency: 5 })

interface Chunk {
  readonly page: number
  readonly takesMs: number
}

/** Chunks that take their time, and a count of those under way. */
function chunkTask() {
  const seen = { now: 0, most: 0 }
  const task = defineTask("ocr", {
    limits: [calls],
    timeout: "60s",
    maxRetries: 0,
    run: async ({ takesMs, page }: Chunk, { queue, signal }) => {
      seen.most = Math.max(seen.most, ++seen.now)
      try {
        await sleep(queue.world, takesMs, signal)
        signal.throwIfAborted()
        return page
      } finally {
        seen.now--
      }
    },
  })
  return { task, seen }
}

const chunks = (count: number, takesMs: number): Chunk[] => Array.from({ length: count }, (_, page) => ({ page, takesMs }))

async function reload(queue: TestQueue, tasks: readonly Task[]): Promise<Task[]> {
  return Promise.all(tasks.map(async ({ id }) => (await queue.get(id)) as Task))
}

onServersToo("the timeout and concurrency seed", (open) => {
  it("fails a call over 60 seconds with 'timeout', while the others go on", async () => {
    const { task } = chunkTask()
    const queue = await open([task], { worker: { concurrency: 20 } })
    const [hung] = await queue.submitMany(task, chunks(1, 600_000))
    const others = await queue.submitMany(task, chunks(8, 10_000))
    await queue.advance("61s")
    const [failed] = await reload(queue, [hung as Task])
    deepEqual([failed?.status, failed?.lastError], ["failed", "timeout"])
    ok((await reload(queue, others)).every(({ status }) => status === "completed"))
  })

  it("has no more than five calls under way, and the others wait for a slot without a worker", async () => {
    const { task, seen } = chunkTask()
    const queue = await open([task], { worker: { concurrency: 20 } })
    const submitted = await queue.submitMany(task, chunks(23, 1_000))
    await queue.advance(0)
    equal(seen.now, 5)
    await queue.advance("5s")
    equal(seen.most, 5)
    ok((await reload(queue, submitted)).every(({ status, attempt }) => status === "completed" && attempt === 1))
  })

  it("has no more than five over several workers", async () => {
    const { task, seen } = chunkTask()
    const queue = await open([task], { worker: { concurrency: 20 } })
    const more = [1, 2, 3].map((n) => queue.worker([task], { id: `more-${n}`, concurrency: 20 }))
    const running = more.map((worker) => worker.run())
    const submitted = await queue.submitMany(task, chunks(40, 1_000))
    await queue.advance("9s")
    equal(seen.most, 5)
    ok((await reload(queue, submitted)).every(({ status }) => status === "completed"))
    for (const worker of more) worker.stop()
    await Promise.all(running)
  })

  it("backs off 2, 4, 8, 16 and 30 seconds after 429s, shows it, and spends no retry", async () => {
    const limit = defineLimit("ocr-api", { concurrency: 5 })
    const refusedAtMs: number[] = []
    const task = defineTask("refused", {
      limits: [limit],
      maxRetries: 0,
      run: (_: null, { queue }) => {
        refusedAtMs.push(queue.world.wallMs())
        if (refusedAtMs.length < 7) throw new RateLimitError({ status: 429 })
        return "done"
      },
    })
    const queue = await open([task])
    const { id } = await queue.submit(task, null)
    await queue.advance(0)
    const explained = await queue.explain(id)
    equal(explained.forecast?.basis, "cooldown")
    equal(explained.gates[0]?.cooldown?.count, 1)
    await advanceLong(queue.world as World & { advance(ms: number): Promise<void> }, 120_000)
    const gaps = refusedAtMs.slice(1).map((atMs, i) => (atMs - (refusedAtMs[i] ?? 0)) / 1_000)
    for (const [i, wanted] of [2, 4, 8, 16, 30, 30].entries()) {
      const gap = gaps[i] ?? 0
      ok(gap >= wanted && gap <= wanted * 1.1 + 0.01, `expected about ${wanted} s, got ${gap}`)
    }
    const done = await queue.get(id)
    deepEqual([done?.status, done?.retryCount, done?.throttleCount], ["completed", 0, 6])
  })
})

async function advanceLong(world: { advance(ms: number): Promise<void> }, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) await world.advance(1_000)
}
