// A worker process of the document: works on the file that it is given until it is told to stop.

import { connect } from "../../src/index.ts"
import { chunkTask } from "./document.ts"

const [store = "", url = "", id = ""] = process.argv.slice(2)
const queue = await connect(store)
const worker = queue.worker([chunkTask(url)], { id, concurrency: 20 })
const stop = new AbortController()
process.on("SIGTERM", () => stop.abort())
worker.on("worker.started", () => process.stdout.write("ready\n"))
await worker.run({ signal: stop.signal })
await queue.close()
