// The server's process: serves one store, makes the calls of the store itself when it is told to, and tells what it uses.
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { serve } from "../../dist/http/index.js"
import { connect } from "../../dist/index.js"
import { drive } from "./drive.mjs"
import { input, operations, type } from "./operations.mjs"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")
const batch = 1_000

const queue = await connect(JSON.parse(process.argv[2]).url)
// Known to need no gates, so that what is submitted can be claimed.
await queue.store.hello({ workerId: "bench", types: [{ type, limits: [] }], limits: [] })
// All clients have one address here; what each of them may ask a second is not what is measured.
const server = await serve(queue, { port: 0, requestsPerSecond: 1_000_000 })

/** As many waiting tasks as the calls will take, and some to be asked for. */
async function prepare({ operation, calls }) {
  const wanted = Math.max(calls * operations[operation].needs, batch)
  const ids = []
  for (let done = 0; done < wanted; done += batch) {
    const tasks = await queue.submitEach(Array.from({ length: batch }, () => ({ task: type, input, options: {} })))
    if (ids.length === 0) ids.push(...tasks.map(({ id }) => id))
  }
  return { ids }
}

const answers = {
  prepare,
  async measure({ operation, calls, inFlight }) {
    const { ids } = await prepare({ operation, calls })
    return drive(calls, inFlight, operations[operation].store({ queue, ids, inFlight }))
  },
  async mark() {
    const { user, system } = process.cpuUsage()
    collect()
    const { heapUsed, rss } = process.memoryUsage()
    return {
      cpuUs: user + system,
      heapBytes: heapUsed,
      rssBytes: rss,
      streams: server.app.openStreams,
      connections: await server.openConnections(),
      counts: await queue.counts(),
    }
  },
}

process.on("message", async ({ kind, ...message }) => {
  process.send({ kind: `${kind}.done`, ...(await answers[kind](message)) })
})
process.send({ kind: "ready", url: server.url })
