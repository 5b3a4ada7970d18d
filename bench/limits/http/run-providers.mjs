// Sluice against several providers at once, in real time: worker processes on one SQLite file, the providers in a process of their own.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "../../../dist/index.js"
import { withChildren } from "../../limits-http/children.mjs"
import { nowMs } from "../../limits-http/now.mjs"
import { makeTask } from "./calls.mjs"
import { feed } from "./feed.mjs"

const concurrency = 100
const mostRequests = 1_000_000
/** What starting and reading take at most, beside the run itself. */
const aroundMs = 120_000

/**
 * `providers`: by name, what createProvider takes, with a `scale`. `limits`: by name, what defineLimit takes. `backlogs`: as feed.mjs
 * takes them. Runs for `durationMs` of real time; answers with the log of the providers, when the first task was submitted, how few
 * waited at each gate at least, and what `read(queue)` gives.
 */
export async function runProviders({ providers, network, limits, workerCount, backlogs, durationMs, retention, read = () => null }) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"))
  try {
    return await withChildren(durationMs + aroundMs, async (start) => {
      const server = start("../limits/http/server.mjs", { providers, network, mostRequests })
      const { url } = await server.next("listening")
      const options = { url, limits }
      const store = `sqlite:${join(folder, "sluice.db")}`
      const queue = await connect(store)
      const workers = Array.from({ length: workerCount }, (_, i) =>
        start("worker.mjs", {
          store,
          module: "../limits/http/calls.mjs",
          options,
          settings: { id: `worker-${i + 1}`, concurrency, ...(retention ? { retention } : {}) },
        }),
      )
      await Promise.all(workers.map((worker) => worker.next("started")))
      const startedAtMs = nowMs()
      const feeding = await feed(queue, makeTask(options), backlogs)
      await new Promise((resolve) => setTimeout(resolve, startedAtMs + durationMs - nowMs()))
      server.send({ kind: "log" })
      const { log } = await server.next("log")
      const leastWaiting = await feeding.stop()
      for (const { name, isLive } of workers) if (!isLive) throw new Error(`${name}: expected it to run until the end`)
      const found = await read(queue)
      await queue.close()
      return { log, startedAtMs, leastWaiting, found }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
