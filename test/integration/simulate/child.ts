// A worker process for tests: works on the file it is given until it is told to stop.

import { connect } from "../../../src/index.ts"
import { callApi } from "./call-api.ts"

const [url = ""] = process.argv.slice(2)
const queue = await connect(url)
const stop = new AbortController()
process.on("SIGTERM", () => stop.abort())
const worker = queue.worker([callApi], { concurrency: 10 })
worker.on("worker.started", () => process.stdout.write("ready\n"))
await worker.run({ signal: stop.signal })
await queue.close()
