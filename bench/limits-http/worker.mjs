// A worker process: one task, on a SQLite file that it shares with the others. Drains when told to stop; ends with its parent.
import { connect } from "../../dist/index.js"

const { file, module, options, settings } = JSON.parse(process.argv[2])
const stops = new AbortController()
process.on("message", () => stops.abort())
process.on("disconnect", () => process.exit())

const { makeTask } = await import(module)
const queue = await connect(`sqlite:${file}`)
const worker = queue.worker([makeTask({ ...options, workerId: settings.id })], settings)
worker.on("worker.started", () => process.send({ kind: "started" }))
await worker.run({ signal: stops.signal })
await queue.close()
process.send({ kind: "stopped", cpuMs: cpuMs() }, () => process.exit())

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
