// The other side of these examples: an emulated provider behind real HTTP, in a process of its own. Submits so many tasks, works until all
// of them have ended, and tells how it went.

import { connect } from "sluice"
import { startHttpServer } from "../../bench/limits/emulator/start-http-server.mjs"

/** `provider` as the emulator takes it. The tasks are given its address. */
export async function runAgainst(provider, task, count) {
  const server = await startHttpServer({ provider })
  const queue = await connect("memory:")
  try {
    const submitted = await queue.submitMany(
      task,
      Array.from({ length: count }, (_, number) => ({ url: server.url, number })),
    )
    const left = new Set(submitted.map(({ id }) => id))
    const stop = new AbortController()
    const worker = queue.worker([task], { concurrency: 20 })
    worker.on("gate.cooling", ({ status }) => console.log(`refused with ${status}: ${left.size} tasks left`))
    worker.on("task.settled", ({ id, status, error }) => {
      if (status !== "completed" && status !== "pending") console.log(`${status}: ${error}`)
      if (status !== "pending") left.delete(id)
      if (left.size === 0) stop.abort()
    })
    await worker.run({ signal: stop.signal })
    const { completed } = await queue.counts()
    console.log(`${completed} tasks completed, ${(await server.stats()).refused} refusals`)
    if (completed < count) process.exitCode = 1
  } finally {
    await queue.close()
    await server.stop()
  }
}
