// A worker process: one task, on a store that it shares with the others. Drains when told to stop; ends with its parent.
import { connect } from "../../dist/index.js"

const { store, module, options, settings } = JSON.parse(process.argv[2])
const stops = new AbortController()
process.on("message", () => stops.abort())
process.on("disconnect", () => process.exit())

const { makeTask } = await import(module)
const queue = await connect(store)
const worker = queue.worker([makeTask({ ...options, workerId: settings.id })], settings)
worker.on("worker.started", () => process.send({ kind: "started" }))
await worker.run({ signal: stops.signal })
await queue.close()
process.send({ kind: "stopped", cpuMs: cpuMs() }, () => process.exit())

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
