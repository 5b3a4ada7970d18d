// A worker process of the fifth seed's crawl: works on the file that it is given until it is told to stop.

import { connect } from "../../src/index.ts"
import { crawler } from "./crawl.ts"
import { shared } from "./crawl-shared.ts"

const [store = "", url = "", id = ""] = process.argv.slice(2)
const queue = await connect(store)
const worker = queue.worker([crawler(url, shared.concurrency, shared.linear)], { id, concurrency: shared.concurrencyOfOne })
const stop = new AbortController()
process.on("SIGTERM", () => stop.abort())
worker.on("worker.started", () => process.stdout.write("ready\n"))
await worker.run({ signal: stop.signal })
await queue.close()
