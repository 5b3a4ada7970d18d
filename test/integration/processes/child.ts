// A worker process for tests: works on the file it is given until it is told to stop, and says on its standard output
// what the store accepted.

import { connect, defineTask } from "../../../src/index.ts"

const [url = "", id = ""] = process.argv.slice(2)

const add = defineTask<{ a: number; b: number }, { sum: number }>("add", {
  maxRetries: 20,
  run: async ({ a, b }) => {
    // Long enough that a kill finds tasks under way.
    await new Promise((resolve) => setTimeout(resolve, (a % 5) + 1))
    return { sum: a + b }
  },
})

const queue = await connect(url)
const worker = queue.worker([add], { id, concurrency: 20, lease: "3s", heartbeat: "1s", sweep: "1s" })
worker.on("task.settled", ({ id: task, fence, status }) => process.stdout.write(`settled ${task} ${fence} ${status}\n`))
const stop = new AbortController()
process.on("SIGTERM", () => stop.abort())
process.stdout.write("ready\n")
await worker.run({ signal: stop.signal })
await queue.close()
